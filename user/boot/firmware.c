// SPDX-License-Identifier: GPL-2.0-only
/* Reads the times of the firmware and the boot loader; see clock.h. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "boot/clock.h"
#include "boot/span.h"

/* The most plausible time before the kernel; systemd has this limit, too. */
#define MOST_NS 3600000000000
/* The most plausible time between the boot loader and the zero of the kernel's clock. */
#define MOST_UNPACKING_NS 60000000000

/* Of the Boot Loader Interface, https://systemd.io/BOOT_LOADER_INTERFACE */
#define LOADER "4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"

/* A number that is a whole text; 0: it is none. */
static uint64_t number(const char *text)
{
	uint64_t value;
	int end = 0;

	return sscanf(text, "%" SCNu64 "%n", &value, &end) == 1 && (!text[end] || text[end] == '\n') ? value : 0;
}

/* Reads a number from a file of sysfs; 0: there is none. */
static uint64_t read_fpdt(const char *sys, const char *name)
{
	char *path = xasprintf("%s/acpi/fpdt/boot/%s", sys, name), *text = file__text(path);
	uint64_t value = number(text ?: "");

	free(text);
	free(path);
	return value;
}

/* Reads an EFI variable: 4 bytes of attributes, a text in UTF-16, here of ASCII. "": there is none. */
static void read_variable(const char *sys, const char *name, char *ret, size_t size)
{
	char *path = xasprintf("%s/efi/efivars/%s-" LOADER, sys, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char data[256];
	ssize_t length = -1;
	size_t count = 0;

	if (fd >= 0) {
		length = read(fd, data, sizeof(data));
		close(fd);
	}
	for (ssize_t at = 4; at + 1 < length && data[at] && !data[at + 1] && count + 1 < size; at += 2)
		ret[count++] = data[at];
	ret[count] = '\0';
	free(path);
}

/* The number of an EFI variable, in ns; 0: there is none. */
static uint64_t read_us(const char *sys, const char *name)
{
	char digits[32];

	read_variable(sys, name, digits, sizeof(digits));
	return 1000 * number(digits);
}

bool boot_firmware__is_systemd_boot(const char *sys)
{
	char info[64];

	read_variable(sys, "LoaderInfo", info, sizeof(info));
	return !strncmp(info, "systemd-boot", 12);
}

/* The upper four bits are the loader; see Documentation/arch/x86/boot.rst. */
bool boot_firmware__is_kexec(long bootloader_type)
{
	return bootloader_type >> 4 == 0xd;
}

/* Returns false without setting the times if they are not plausible. */
static bool set(struct boot_firmware *f, enum firmware_source source, uint64_t loader_start, uint64_t loader_end)
{
	if (!loader_start || loader_start > loader_end || loader_end > MOST_NS)
		return false;
	*f = (struct boot_firmware){ source, loader_start, loader_end };
	return true;
}

void boot_firmware__load(struct boot_firmware *ret, const char *sys)
{
	*ret = (struct boot_firmware){ FIRMWARE_NONE, NOT_KNOWN, NOT_KNOWN };
	ret->kexec = boot_firmware__is_kexec(file__number("/proc/sys/kernel/bootloader_type"));
	/* With kexec, the firmware's times are about the boot of the first kernel. */
	if (ret->kexec)
		return;
	/* Without EFI, an FPDT has only a part of the numbers, with another meaning. */
	if (!set(ret, FIRMWARE_FPDT, read_fpdt(sys, "bootloader_launch_ns"), read_fpdt(sys, "exitbootservice_end_ns")))
		set(ret, FIRMWARE_EFI, read_us(sys, "LoaderTimeInitUSec"), read_us(sys, "LoaderTimeExecUSec"));
}

void boot_firmware__add(struct boot_firmware *f, int64_t firmware, int64_t loader)
{
	if (!f->source && !f->kexec && loader > 0 && loader < firmware)
		set(f, FIRMWARE_SYSTEMD, firmware - loader, firmware);
}

bool boot_firmware__fits(const struct boot_firmware *f, int64_t since_reset)
{
	/* A document may have a source without a time. */
	if (!f->source || f->loader_end == NOT_KNOWN)
		return since_reset <= MOST_NS;
	return since_reset >= f->loader_end && since_reset - f->loader_end <= MOST_UNPACKING_NS;
}
