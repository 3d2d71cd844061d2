/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The relations between the clocks of a boot. All times of a report are in the trace clock "local",
 * the clock of the kernel's events. Other sources use the time stamp counter (TSC) of the CPU, from
 * its reset on, or CLOCK_MONOTONIC, as systemd does.
 *
 * The events of a boot tell the relation to CLOCK_MONOTONIC when systemd began; NTP may change it
 * later, also while units are started. The relation to the TSC is not recorded, so it is measured
 * now; without events, the one to CLOCK_MONOTONIC, too. Each relation has a bound of its error.
 */
#ifndef HYTRACE_BOOT_CLOCK_H
#define HYTRACE_BOOT_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span_list;
struct strings;

/* The difference between two clocks lies in this range, in ns. */
struct clock_range {
	int64_t least, most;
};

extern const struct clock_range clock_anything;
/* Trace files round to microseconds. */
#define TRACE_ROUNDED_NS 500

/* A number may be NOT_KNOWN. */
struct boot_clock {
	int64_t since_reset;		/* from the TSC's zero to that of the clock "local" */
	int64_t tsc_error;
	const char *why_no_tsc;
	int64_t ahead;			/* "local" - CLOCK_MONOTONIC */
	int64_t error;			/* of "ahead"; if measured now, with NTP's changes since boot */
	int64_t slewed;			/* if from events: more error after systemd's beginning */
	const char *why_no_ahead;
	bool unstable;			/* the clocks of CPUs may differ */

	/* Only while the boot is recorded. If @tsc_known: local = zero + (tsc * mult >> shift) */
	bool tsc_known;
	uint32_t mult;
	uint16_t shift;
	int64_t zero;
	int64_t measured_error;		/* of "ahead" without NTP's changes */
	int64_t log_ahead;		/* "local" - the clock of the kernel's log */
};

extern const struct boot_clock clock_not_known;

/**
 * boot_clock__measure() - find the relations between the clocks
 * @ret: the relations
 * @dir: the mount point of tracefs; NULL: there is none
 * @store: for texts
 *
 * Takes some milliseconds, and changes nothing.
 */
void boot_clock__measure(struct boot_clock *ret, const char *dir, struct strings *store);

/**
 * boot_clock__from_tsc() - translate a TSC count to the clock "local", while the boot is recorded
 *
 * During boot, the kernel may correct the TSC's frequency ("Refined TSC clocksource calibration").
 * This uses the corrected frequency. Events before the correction have times by the old frequency,
 * so their times differ in proportion to the time since the clock's zero.
 *
 * Return: ns of the clock "local", negative before its zero; NOT_KNOWN.
 */
int64_t boot_clock__from_tsc(const struct boot_clock *c, uint64_t tsc);

/*
 * Translates a time of CLOCK_MONOTONIC to the clock "local"; NOT_KNOWN. Only for times of user
 * space: earlier in the boot, CLOCK_MONOTONIC may have missed ticks.
 */
int64_t boot_clock__from_monotonic(const struct boot_clock *c, int64_t ns);

/**
 * boot_clock__of_boot() - take the relation to CLOCK_MONOTONIC from the events of the boot
 * @c: the clocks; unchanged if the events do not tell the relation
 * @inits: the programs of process 1
 * @ahead: for each: "local" - CLOCK_MONOTONIC after it
 * @userspace: when systemd began, by CLOCK_MONOTONIC
 * @finish: when the boot was complete; NOT_KNOWN: it is not complete
 */
void boot_clock__of_boot(struct boot_clock *c, const struct span_list *inits, const struct clock_range *ahead,
			 int64_t userspace, int64_t finish);

/* ---- for the measurement */

/* Narrows the range by one more reading: the difference is between @least and @most. */
void clock_range__add(struct clock_range *r, int64_t least, int64_t most);
/* ns for @tsc by perf's multiplier: (tsc * mult) >> shift without an overflow. */
uint64_t clock__scale(uint64_t tsc, uint32_t mult, uint16_t shift);
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

/* ---- before the kernel */

/*
 * Times before the kernel, since the CPU's reset. The firmware notes them in ACPI's table FPDT, or
 * systemd-boot and other boot loaders in EFI variables. Kernels without CONFIG_ACPI_FPDT, such as
 * Debian's, do not show the table, but systemd reads it itself.
 */
enum firmware_source { FIRMWARE_NONE, FIRMWARE_FPDT, FIRMWARE_EFI, FIRMWARE_SYSTEMD };

struct boot_firmware {
	enum firmware_source source;	/* of loader_start and loader_end */
	/* In ns since the reset; NOT_KNOWN if there is no source. */
	int64_t loader_start;		/* when the firmware started the boot loader */
	int64_t loader_end;		/* when the boot loader started the kernel */
	bool kexec;			/* started by another kernel: the reset is long ago */
};

/* Does this value of /proc/sys/kernel/bootloader_type mean kexec? */
bool boot_firmware__is_kexec(long bootloader_type);

/**
 * boot_firmware__load() - read the times of the firmware and the boot loader
 * @ret: the times
 * @sys: the directory firmware of sysfs: "/sys/firmware"
 *
 * If FPDT and EFI variables are there, this takes FPDT, as systemd does.
 */
void boot_firmware__load(struct boot_firmware *ret, const char *sys);
/* Without another source, takes systemd's times: ns before the kernel's start; or NOT_KNOWN. */
void boot_firmware__add(struct boot_firmware *f, int64_t firmware, int64_t loader);
/*
 * Some warm starts do not clear the TSC. Does its zero, @since_reset ns before the zero of the
 * kernel's clock, fit to a reset when the firmware began?
 */
bool boot_firmware__fits(const struct boot_firmware *f, int64_t since_reset);
/* Has systemd-boot started this kernel, by EFI's variable LoaderInfo? */
bool boot_firmware__is_systemd_boot(const char *sys);

#endif
