// SPDX-License-Identifier: GPL-2.0-only
/* Reads the times of the firmware and the boot loader; see firmware.h. */
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

/* The most plausible time before the kernel; systemd has this limit, too. */
#define MOST_NS 3600000000000
/* The most plausible time between the boot loader and the zero of the kernel's clock. */
#define MOST_UNPACKING_NS 60000000000

/* Of the Boot Loader Interface, https://systemd.io/BOOT_LOADER_INTERFACE */
#define LOADER "4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"

/* Reads a number from a file of sysfs; 0: there is none. */
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

/* Reads an EFI variable: 4 bytes of attributes, a decimal number in UTF-16. 0: there is none. */
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

/* Returns false without setting the times if they are not plausible. */
static bool set(struct boot_firmware *f, enum firmware_source source, uint64_t loader_start, uint64_t loader_end)
{
	if (!loader_start || loader_start > loader_end || loader_end > MOST_NS)
		return false;
	f->source = source;
	f->loader_start = loader_start;
	f->loader_end = loader_end;
	return true;
}

void boot_firmware__load(struct boot_firmware *ret, const char *sys)
{
	memset(ret, 0, sizeof(*ret));
	/* The firmware's times are about the boot of the first kernel. */
	if (was_started_by_kernel()) {
		ret->kexec = true;
		return;
	}
	/* Without EFI, an FPDT has only a part of the numbers, with another meaning. */
	if (!set(ret, FIRMWARE_FPDT, read_fpdt(sys, "bootloader_launch_ns"), read_fpdt(sys, "exitbootservice_end_ns")))
		set(ret, FIRMWARE_EFI, 1000 * read_variable(sys, "LoaderTimeInitUSec"),
		    1000 * read_variable(sys, "LoaderTimeExecUSec"));
}

void boot_firmware__add(struct boot_firmware *f, uint64_t firmware, uint64_t loader)
{
	if (!f->source && !f->kexec && loader && loader < firmware)
		set(f, FIRMWARE_SYSTEMD, firmware - loader, firmware);
}

bool boot_firmware__fits(const struct boot_firmware *f, uint64_t since_reset)
{
	if (!f->source)
		return since_reset <= MOST_NS;
	return since_reset >= f->loader_end && since_reset - f->loader_end <= MOST_UNPACKING_NS;
}

const char *boot_firmware__source(const struct boot_firmware *f)
{
	static const char *const names[] = {
		[FIRMWARE_FPDT] = "fpdt", [FIRMWARE_EFI] = "efi", [FIRMWARE_SYSTEMD] = "systemd",
	};

	return names[f->source];
}
