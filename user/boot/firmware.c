// SPDX-License-Identifier: GPL-2.0-only
/* Reads what the firmware has noted of the time before the kernel; see firmware.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "boot/firmware.h"

/* Of the Boot Loader Interface, https://systemd.io/BOOT_LOADER_INTERFACE */
#define LOADER "4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"

/* A number in a file of sysfs; 0: there is none. */
static uint64_t read_fpdt(const char *sys, const char *name)
{
	char path[PATH_MAX], *text;
	uint64_t value = 0;

	snprintf(path, sizeof(path), "%s/acpi/fpdt/boot/%s", sys, name);
	text = file__text(path);
	if (!text || sscanf(text, "%" SCNu64, &value) != 1)
		value = 0;
	free(text);
	return value;
}

/* An EFI variable with a decimal number in UTF-16, after four bytes of attributes; 0: there is none. */
static uint64_t read_variable(const char *sys, const char *name)
{
	unsigned char data[64];
	char path[PATH_MAX], digits[32] = "";
	uint64_t value;
	ssize_t length;
	int fd, end = 0;

	snprintf(path, sizeof(path), "%s/efi/efivars/%s-" LOADER, sys, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	length = read(fd, data, sizeof(data));
	close(fd);
	for (ssize_t at = 4; at + 1 < length && data[at]; at += 2) {
		if (data[at + 1] || (at - 4) / 2 + 1 >= (ssize_t)sizeof(digits))
			return 0;
		digits[(at - 4) / 2] = data[at];
	}
	return sscanf(digits, "%" SCNu64 "%n", &value, &end) == 1 && !digits[end] ? value : 0;
}

/* The upper four bits are the loader; see Documentation/arch/x86/boot.rst. */
bool boot_firmware__is_kexec(unsigned int bootloader_type)
{
	return bootloader_type >> 4 == 0xd;
}

static bool was_started_by_kernel(void)
{
	char *text = file__text("/proc/sys/kernel/bootloader_type");
	bool kexec = text && boot_firmware__is_kexec(strtoul(text, NULL, 10));

	free(text);
	return kexec;
}

void boot_firmware__load(struct boot_firmware *ret, const char *sys)
{
	memset(ret, 0, sizeof(*ret));
	/* What the firmware has noted is about the kernel before, too. */
	if (was_started_by_kernel()) {
		ret->kexec = true;
		return;
	}
	ret->loader_start = read_fpdt(sys, "bootloader_load_ns");
	ret->loader_end = read_fpdt(sys, "exitbootservice_end_ns");
	ret->source = FIRMWARE_FPDT;
	/* A boot without EFI has an FPDT with a part of the numbers, and their meaning is another one. */
	if (!ret->loader_start || !ret->loader_end) {
		ret->loader_start = 1000 * read_variable(sys, "LoaderTimeInitUSec");
		ret->loader_end = 1000 * read_variable(sys, "LoaderTimeExecUSec");
		ret->source = FIRMWARE_EFI;
	}
	if (ret->loader_start && ret->loader_start <= ret->loader_end)
		return;
	memset(ret, 0, sizeof(*ret));
}

const char *boot_firmware__source(const struct boot_firmware *f)
{
	static const char *const names[] = { [FIRMWARE_FPDT] = "fpdt", [FIRMWARE_EFI] = "efi" };

	return names[f->source];
}
