// SPDX-License-Identifier: GPL-2.0
/*
 * Very early function tracing: time.
 *
 * Early calls have the time of the architecture's raw clock (TSC). Its frequency is usually
 * known when the tracer starts. Then early times are counted back from the trace clock and
 * the TSC at that moment. If the kernel sets the TSC in between (TSC_ADJUST), earlier times
 * are changed as well. So early times join any trace clock without a step, if its zero is
 * not after the first event. On x86, the clocks that sched_clock() reads ask
 * early_ftrace_zero() for their zero. Early times before the zero of a clock are zero. If
 * the frequency is not known, all of them are. early_stats tells how many.
 */
#include <linux/clocksource.h>
#include <linux/ftrace_early.h>
#include <linux/init.h>
#include <linux/math64.h>

#include "trace.h"
#include "trace_early_internal.h"

/* The clocks at the hand-over, and how to convert the raw clock to nanoseconds. */
static struct {
	u64	tsc;
	u64	trace;
	u64	local;
	u32	mult;
	u32	shift;
	u64	(*now)(void);
	bool	in_ns;
	u64	last;
} early_time __initdata;

/* The time of the event that is being written, for the ring buffer. */
u64 __init notrace early_stamp_clock(void)
{
	return early_time.last;
}

/**
 * early_ftrace_zero - choose the zero of a clock that begins now
 * @now: the raw clock
 *
 * Return: the raw clock at the start of recording if calls are recorded, else @now.
 */
u64 __init early_ftrace_zero(u64 now)
{
	return early_ftrace_on ? early_state.first_tsc : now;
}

static void __init early_pair_set_tsc(struct early_pair *pair, u64 tsc)
{
	pair->tsc = tsc;
	pair->tsc_high = tsc >> 32;
}

/**
 * early_ftrace_clock_set - the raw clock is set to another time
 * @ahead: the new time minus the old one
 *
 * Recorded calls get the time that they would have if the clock had always been set
 * like this.
 *
 * Context: nothing is called between this and the setting of the clock.
 */
void __ref early_ftrace_clock_set(s64 ahead)
{
	unsigned int i;

	if (!early_ftrace_on)
		return;

	early_state.first_tsc += ahead;
	if (early_state.once) {
		for (i = 0; i < 1 << EARLY_SET_SHIFT; i++)
			early_pair_set_tsc(&early_ftrace_set[i],
					   early_pair_tsc(&early_ftrace_set[i]) + ahead);
		return;
	}
	for (i = 0; i < early_state.nr_pieces; i++)
		early_state.pieces[i].ahead += ahead;
	early_buffer_continue_at(NULL, early_state.memory_end);
}

void __init early_time_init(struct trace_array *tr)
{
	u64 tsc, trace, local, best = U64_MAX;
	u32 khz = arch_early_ftrace_khz();
	int i;

	early_time.now = tracing_clock(tr);
	early_time.in_ns = trace_clock_in_ns(tr);
	if (khz)
		clocks_calc_mult_shift(&early_time.mult, &early_time.shift, khz,
				       NSEC_PER_MSEC, 0);
	/* A hypervisor may interrupt this: the fastest of several attempts counts. */
	for (i = 0; i < 8; i++) {
		tsc = arch_early_ftrace_clock();
		trace = early_time.now();
		local = trace_clock_local();
		if (arch_early_ftrace_clock() - tsc >= best)
			continue;
		best = arch_early_ftrace_clock() - tsc;
		early_time.tsc = tsc;
		early_time.trace = trace;
		early_time.local = local;
	}
	early_stats.khz = khz;
}

/* Nanoseconds before the hand-over; U64_MAX if the frequency is not known. */
static u64 __init early_ns_before(u64 tsc)
{
	if (!early_stats.khz)
		return U64_MAX;
	return mul_u64_u32_shr(early_time.tsc - tsc, early_time.mult, early_time.shift);
}

u64 __init early_to_local_clock(u64 tsc)
{
	u64 before = early_ns_before(tsc);

	return before > early_time.local ? 0 : early_time.local - before;
}

u64 __init early_to_trace_clock(u64 tsc)
{
	u64 before, time;

	if (!early_time.in_ns) {
		/* The raw clock itself, or a clock that does not count nanoseconds. */
		time = arch_early_ftrace_is_clock(early_time.now) ? tsc : early_time.now();
	} else {
		before = early_ns_before(tsc);
		if (before > early_time.trace)
			early_stats.before_zero++;
		time = before > early_time.trace ? 0 : early_time.trace - before;
	}

	/* If an exception interrupts a recorder, its calls come first, with later times. */
	early_time.last = max(early_time.last, time);
	return early_time.last;
}
