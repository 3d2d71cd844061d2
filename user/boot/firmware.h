/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times before the kernel, since the CPU's reset. The firmware notes them in ACPI's table FPDT, or
 * systemd-boot and other boot loaders in EFI variables. Kernels without CONFIG_ACPI_FPDT, such as
 * Debian's, do not show the table, but systemd reads it itself.
 */
#ifndef HYTRACE_BOOT_FIRMWARE_H
#define HYTRACE_BOOT_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

enum firmware_source { FIRMWARE_NONE, FIRMWARE_FPDT, FIRMWARE_EFI, FIRMWARE_SYSTEMD };

struct boot_firmware {
	enum firmware_source source;	/* of loader_start and loader_end */
	/* In ns since the reset; 0: not known. */
	uint64_t loader_start;		/* when the firmware started the boot loader */
	uint64_t loader_end;		/* when the boot loader started the kernel */
	bool kexec;			/* started by another kernel: the reset is long ago */
};

/* Does this value of /proc/sys/kernel/bootloader_type mean kexec? */
bool boot_firmware__is_kexec(unsigned int bootloader_type);

/**
 * boot_firmware__load() - read the times of the firmware and the boot loader
 * @ret: the times
 * @sys: the directory firmware of sysfs: "/sys/firmware"
 *
 * If FPDT and EFI variables are there, this takes FPDT, as systemd does.
 */
void boot_firmware__load(struct boot_firmware *ret, const char *sys);
/* Without another source, takes systemd's times: ns before the kernel's start; 0: unknown. */
void boot_firmware__add(struct boot_firmware *f, uint64_t firmware, uint64_t loader);
/*
 * Some warm starts do not clear the TSC. Does its zero, @since_reset ns before the zero of the
 * kernel's clock, fit to a reset when the firmware began?
 */
bool boot_firmware__fits(const struct boot_firmware *f, uint64_t since_reset);

/* "fpdt", "efi", "systemd"; NULL: none. */
const char *boot_firmware__source(const struct boot_firmware *f);

#endif
