/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the account of the running machine's boot is found: clocks and firmware (clock.c), units (units.c), and the
 * parts (account.c). What is found is in boot.h.
 */
#ifndef HYTRACE_BOOT_ACCOUNT_H
#define HYTRACE_BOOT_ACCOUNT_H

#include "boot/boot.h"

/* "parts", "firmware", "userspace" and "units" in the document, with offsets in struct boot. */
extern const struct json_field account_fields[];
/* The last two, with offsets in struct boot and struct boot_unit. */
extern const struct json_field boot_userspace_fields[], boot_unit_fields[];
/* Of a struct boot_units: is the boot complete? Null: they are not known. Only written. */
extern const struct json_kind boot_units_complete;

/* Finds clocks, firmware and units, and divides the boot. @dir: the mount point of tracefs; NULL: there is none */
void boot__account(struct boot *b, const char *dir);
/* Divides it. @log: the kernel's log; NULL: there is none */
void boot__divide(struct boot *b, FILE *log);

/*
 * ---- clocks. The events of a boot tell the relation to CLOCK_MONOTONIC when systemd began; NTP may change it later,
 * also while units are started. The relation to the TSC is not recorded, so it is measured now; without events, the
 * one to CLOCK_MONOTONIC, too.
 */

/* The difference between two clocks lies in this range, in ns. */
struct clock_range {
	int64_t least, most;
};

extern const struct clock_range clock_anything;
extern const struct boot_clock clock_not_known;
/* Trace files round to microseconds. */
#define TRACE_ROUNDED_NS 500

/* Finds the relations between the clocks, in some milliseconds. @dir: as above; @store: for texts */
void boot_clock__measure(struct boot_clock *ret, const char *dir, struct strings *store);
/*
 * Translates a TSC count to the clock "local", while the boot is recorded; NOT_KNOWN.
 *
 * During boot, the kernel may correct the TSC's frequency ("Refined TSC clocksource calibration"). This uses the
 * corrected frequency. Events before the correction have times by the old frequency, so their times differ in
 * proportion to the time since the clock's zero.
 */
int64_t boot_clock__from_tsc(const struct boot_clock *c, uint64_t tsc);
/*
 * Takes the relation to CLOCK_MONOTONIC from the events of the boot, if they tell it. @ahead: for each of @inits, "local"
 * - CLOCK_MONOTONIC after it. @userspace, @finish: when systemd began, and when the boot was complete, or NOT_KNOWN
 */
void boot_clock__of_boot(struct boot_clock *c, const struct span_list *inits, const struct clock_range *ahead,
			 int64_t userspace, int64_t finish);

/* Narrows the range by one more reading: the difference is between @least and @most. */
void clock_range__add(struct clock_range *r, int64_t least, int64_t most);
/* CLOCK_BOOTTIME - CLOCK_MONOTONIC, without the @offsets that a time namespace adds (its file). */
int64_t clock__suspended(int64_t boottime, int64_t monotonic, const char *offsets);
/* The result of many readings of the clocks. */
struct clock_looks {
	struct clock_range to_monotonic, to_tsc;	/* "local" minus that clock */
	int64_t uptime;			/* CLOCK_MONOTONIC */
	int64_t suspended;		/* how long the machine was suspended, at least */
};

/* Fills @c, which already has the relation between the TSC and the kernel's log, if known. */
void boot_clock__conclude(struct boot_clock *c, const struct clock_looks *l);

/*
 * ---- times before the kernel, since the CPU's reset. The firmware notes them in ACPI's table FPDT, or systemd-boot
 * and other boot loaders in EFI variables. Kernels without CONFIG_ACPI_FPDT, such as Debian's, do not show the table,
 * but systemd reads it itself.
 */

/* Does this value of /proc/sys/kernel/bootloader_type mean kexec? */
bool boot_firmware__is_kexec(long bootloader_type);
/* Reads the times; of both, takes FPDT, as systemd does. @sys: "/sys/firmware" */
void boot_firmware__load(struct boot_firmware *ret, const char *sys);
/* Without another source, takes systemd's times: ns before the kernel's start; or NOT_KNOWN. */
void boot_firmware__add(struct boot_firmware *f, int64_t firmware, int64_t loader);
/* Has systemd-boot started this kernel, by EFI's variable LoaderInfo? */
bool boot_firmware__is_systemd_boot(const char *sys);

/* ---- units */

/* Is process 1 systemd? */
bool boot_units__are_here(void);
/* Asks systemd for the units of this boot. Sets b->units, to be freed by boot_units__free(). */
void boot_units__load(struct boot *b);
struct sd_bus;
/* Asks over a connection, and closes it. Returns a negative errno without a message; -ETIMEDOUT if there is no answer. */
int boot_units__ask(struct boot *b, struct sd_bus *bus);
/* Before they are read: they are not known, for this reason, and nothing has ever begun. */
void boot_units__not_known(struct boot *b, const char *why);
void boot_units__free(struct boot_units *u);
/* Subtracts from all times the @offset that systemd's time namespace adds to CLOCK_MONOTONIC. */
void boot_units__shift(struct boot *b, int64_t offset);

#endif
