/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What came before the kernel, as the firmware has noted it: ACPI's table FPDT, or the EFI variables
 * that systemd-boot and other boot loaders write. Kernels without CONFIG_ACPI_FPDT, such as Debian's, do not show the
 * table, but systemd reads it itself. Times are those since the processor's reset.
 */
#ifndef HYTRACE_BOOT_FIRMWARE_H
#define HYTRACE_BOOT_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

enum firmware_source { FIRMWARE_NONE, FIRMWARE_FPDT, FIRMWARE_EFI, FIRMWARE_SYSTEMD };

struct boot_firmware {
	enum firmware_source source;	/* where the next two are from */
	/* In ns since the reset; 0: not known. */
	uint64_t loader_start;		/* the end of the firmware's own work */
	uint64_t loader_end;		/* the boot loader has started the kernel */
	bool kexec;			/* another kernel has started this one: the reset is long ago */
};

/* Is this number of /proc/sys/kernel/bootloader_type that of kexec? */
bool boot_firmware__is_kexec(unsigned int bootloader_type);

/**
 * boot_firmware__load() - read what the firmware has noted
 * @ret: the times; what is not there is not known
 * @sys: the directory firmware of sysfs: "/sys/firmware"
 *
 * If both are there, this is FPDT's, as in systemd.
 */
void boot_firmware__load(struct boot_firmware *ret, const char *sys);
/* Takes what systemd has found if nothing else was. Both are counted backwards from the start of the kernel; 0: not known. */
void boot_firmware__add(struct boot_firmware *f, uint64_t firmware, uint64_t loader);
/*
 * Can the TSC have been reset when the firmware began, if it began to count so long before the kernel's clock? Some warm
 * starts do not clear it.
 */
bool boot_firmware__fits(const struct boot_firmware *f, uint64_t since_reset);

/* "fpdt", "efi", "systemd"; NULL: none. */
const char *boot_firmware__source(const struct boot_firmware *f);

#endif
