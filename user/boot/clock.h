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
#include <stdint.h>

/* The difference between two clocks lies in this range, in ns. */
struct clock_range {
	int64_t least, most;
};

extern const struct clock_range clock_anything;
/* Trace files round to microseconds. */
#define TRACE_ROUNDED_NS 500

struct boot_clock {
	/* If @tsc_known: local = zero + (tsc * mult >> shift) */
	bool tsc_known;
	uint32_t mult;
	uint16_t shift;
	int64_t zero;
	uint64_t tsc_error;		/* in ns */
	char why_no_tsc[128];
	/* If @monotonic_known: local = CLOCK_MONOTONIC + ahead */
	bool monotonic_known;
	int64_t ahead;
	uint64_t monotonic_error;	/* in ns; if measured now, with NTP's changes since boot */
	uint64_t measured_error;	/* in ns, without NTP's changes */
	uint64_t slewed;		/* if from events: more error after systemd's beginning */
	char why_no_monotonic[128];
	bool unstable;			/* the clocks of CPUs may differ */
};

/**
 * boot_clock__measure() - find the relations between the clocks
 * @ret: the relations; one that cannot be measured is marked as not known
 * @dir: the mount point of tracefs; NULL: there is none
 *
 * Takes some milliseconds, and changes nothing.
 */
void boot_clock__measure(struct boot_clock *ret, const char *dir);

/**
 * boot_clock__from_tsc() - translate a TSC count to the clock "local"
 * @c: the clocks
 * @tsc: the count
 * @ret_ns: ns of the clock "local"; negative before its zero
 *
 * During boot, the kernel may correct the TSC's frequency ("Refined TSC clocksource calibration").
 * This uses the corrected frequency. Events before the correction have times by the old frequency,
 * so their times differ in proportion to the time since the clock's zero.
 *
 * Return: 0; -ENODATA, without a message, if the relation is not known.
 */
int boot_clock__from_tsc(const struct boot_clock *c, uint64_t tsc, int64_t *ret_ns);

/**
 * boot_clock__since_reset() - the time from the TSC's zero to the zero of the clock "local"
 * @c: the clocks
 * @ret_ns: ns since the CPU's reset, if nobody has written to the TSC since
 *
 * Return: 0; -ENODATA, without a message, if it is not known, or the TSC's zero is later.
 */
int boot_clock__since_reset(const struct boot_clock *c, uint64_t *ret_ns);

/**
 * boot_clock__from_monotonic() - translate a time of CLOCK_MONOTONIC to the clock "local"
 * @c: the clocks
 * @ns: the time, in ns of CLOCK_MONOTONIC
 * @ret_ns: ns of the clock "local"
 *
 * Only for times of user space: earlier in the boot, CLOCK_MONOTONIC may have missed ticks.
 *
 * Return: 0; -ENODATA, without a message, if the relation is not known.
 */
int boot_clock__from_monotonic(const struct boot_clock *c, uint64_t ns, int64_t *ret_ns);

struct boot_start;

/**
 * boot_clock__of_boot() - take the relation to CLOCK_MONOTONIC from the events of the boot
 * @c: the clocks; unchanged if the events do not tell the relation
 * @s: the events
 * @userspace: when systemd began, by CLOCK_MONOTONIC
 * @finish: when the boot was complete; 0: it is not complete
 */
void boot_clock__of_boot(struct boot_clock *c, const struct boot_start *s, uint64_t userspace, uint64_t finish);

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
	uint64_t uptime;		/* CLOCK_MONOTONIC */
	int64_t suspended;		/* how long the machine was suspended, at least */
};

/* Fills @c, which already has the relation between the TSC and dmesg, if known. */
void boot_clock__conclude(struct boot_clock *c, const struct clock_looks *l);

#endif
