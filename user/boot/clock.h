/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the clocks of a boot belong together. All times of a report are those of the trace clock
 * "local", which the events of the kernel's part have. Others have the time stamp counter (TSC) of
 * the processor, from its reset on, or CLOCK_MONOTONIC, as systemd does.
 *
 * That of CLOCK_MONOTONIC when systemd began is in the events of a boot: NTP may change it later, also while units are
 * started. The others are not written down anywhere, so they are measured now, as is the first one without these events.
 * Each has a bound of its error.
 */
#ifndef HYTRACE_BOOT_CLOCK_H
#define HYTRACE_BOOT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* All that a moment can be later or earlier than another one, in ns. */
struct clock_range {
	int64_t least, most;
};

extern const struct clock_range clock_anything;
/* Trace files round to microseconds. */
#define TRACE_ROUNDED_NS 500

struct boot_clock {
	/* local = zero + (tsc * mult >> shift), for a TSC that is @tsc_known */
	bool tsc_known;
	uint32_t mult;
	uint16_t shift;
	int64_t zero;
	uint64_t tsc_error;		/* in ns */
	char why_no_tsc[128];
	/* local = CLOCK_MONOTONIC + ahead */
	bool monotonic_known;
	int64_t ahead;
	uint64_t monotonic_error;	/* in ns, with what NTP may have changed since the boot, if @ahead was measured now */
	uint64_t measured_error;	/* the same without that */
	uint64_t slewed;		/* how much more it may be for times after systemd's beginning, if @ahead is that of then */
	char why_no_monotonic[128];
	bool unstable;			/* the clocks of processors may differ */
};

/**
 * boot_clock__measure() - find the relations between the clocks
 * @ret: the relations; what cannot be measured is not known
 * @dir: the mount point of tracefs; NULL: there is none
 *
 * Takes some milliseconds, and changes nothing.
 */
void boot_clock__measure(struct boot_clock *ret, const char *dir);

/**
 * boot_clock__from_tsc() - the time of a moment whose TSC is known
 * @c: the clocks
 * @tsc: the count
 * @ret_ns: ns of the clock "local"; before its zero, they are negative
 *
 * The kernel may have changed its idea of the TSC's frequency in the boot ("Refined TSC clocksource
 * calibration"). The times here are those of the later one, which is better. So they may differ from
 * events before that, by up to this part of the time since the clock's zero.
 *
 * Return: 0; -ENODATA, without a message, if it is not known.
 */
int boot_clock__from_tsc(const struct boot_clock *c, uint64_t tsc, int64_t *ret_ns);

/**
 * boot_clock__since_reset() - the time from the TSC's zero to that of the clock "local"
 * @c: the clocks
 * @ret_ns: ns since the processor was reset, if nobody has written to the TSC since
 *
 * Return: 0; -ENODATA, without a message, if it is not known, or the TSC's zero is later.
 */
int boot_clock__since_reset(const struct boot_clock *c, uint64_t *ret_ns);

/**
 * boot_clock__from_monotonic() - the time of a moment of CLOCK_MONOTONIC
 * @c: the clocks
 * @ns: of that clock
 * @ret_ns: ns of the clock "local"
 *
 * It is for moments in which that clock ran already, as in all of user space. Before that, it may
 * have missed ticks.
 *
 * Return: 0; -ENODATA, without a message, if it is not known.
 */
int boot_clock__from_monotonic(const struct boot_clock *c, uint64_t ns, int64_t *ret_ns);

struct boot_start;

/**
 * boot_clock__of_boot() - take the relation to CLOCK_MONOTONIC from the events of the boot
 * @c: the clocks, which stay as they are if the events do not tell it
 * @s: the events
 * @userspace: when systemd began, by CLOCK_MONOTONIC
 * @finish: when the boot was complete; 0: it is not
 */
void boot_clock__of_boot(struct boot_clock *c, const struct boot_start *s, uint64_t userspace, uint64_t finish);

/* ---- for the measurement */

/* Puts what one more look tells into the range: a moment of one clock is between two of another. */
void clock_range__add(struct clock_range *r, int64_t least, int64_t most);
/* ns for @tsc by perf's multiplier: (tsc * mult) >> shift without an overflow. */
uint64_t clock__scale(uint64_t tsc, uint32_t mult, uint16_t shift);
/* How much longer CLOCK_BOOTTIME is. @offsets: the file that tells what a time namespace has added to the two clocks. */
int64_t clock__suspended(int64_t boottime, int64_t monotonic, const char *offsets);
/* What the looks at the clocks have shown. */
struct clock_looks {
	struct clock_range to_monotonic, to_tsc;	/* what has to be added for the clock "local" */
	uint64_t uptime;		/* CLOCK_MONOTONIC */
	int64_t suspended;		/* how long the machine was, at least */
};

/* Fills @c, of which the relation between the TSC and dmesg is there if it is known. */
void boot_clock__conclude(struct boot_clock *c, const struct clock_looks *l);

#endif
