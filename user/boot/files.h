/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a kernel with very early function tracing tells of its boot: early_stats, and the early calls
 * themselves, which are the head of one CPU's ring buffer, or of the oneshot tracer's set.
 *
 * @dir is where tracefs is mounted. What fails is said.
 */
#ifndef HYTRACE_BOOT_FILES_H
#define HYTRACE_BOOT_FILES_H

#include <stdio.h>

#include "boot/calls.h"
#include "kernel/places.h"

/* The file of that name; times are in the units of the trace clock. */
struct early_stats {
	char tracer[32];		/* "function", "oneshot"; "none": nothing was traced */
	char refused[128];		/* why not, though the boot asked for it; "none", or "" */
	char clock[32];			/* when the ordinary tracer took over */
	uint64_t recorded;		/* calls, or for oneshot pairs of function and caller */
	uint64_t before_ftrace_init;	/* of those; 0: not known, as for oneshot */
	uint64_t lost;			/* did not fit into the early buffer */
	uint64_t overwritten;		/* in the ring buffer, by the last early ones */
	uint64_t first, last;
	uint64_t before_zero;		/* have time 0, as the clock began later, or tsc_khz is 0 */
	uint64_t tsc_khz;		/* 0: not known */
	uint64_t cpu;
	uint64_t sites;
	uint64_t differing;		/* sites that ftrace filters otherwise */
	uint64_t buffer_bytes, ring_buffer_bytes;
	uint64_t copy_cycles;		/* of the TSC, when the tracer took over: for the calls */
	uint64_t convert_cycles;	/* and then for all sites */
};

/* -EPROTO: not understood. */
int early_stats__read(struct early_stats *ret, FILE *f, const char *name);
/* -EOPNOTSUPP when the kernel has no such file, or this boot was not traced early. */
int early_stats__load(struct early_stats *ret, const char *dir);

/* Does the clock tell time, in nanoseconds once early_stats__time() has been asked? */
bool early_stats__in_ns(const struct early_stats *s);
/* A time in the clock's units, as nanoseconds if that is possible. */
uint64_t early_stats__time(const struct early_stats *s, uint64_t time);
/* Is it known what the hand-over took, in nanoseconds once early_stats__cycles_ns() has been asked? */
bool early_stats__has_hand_over(const struct early_stats *s);
/* Cycles of the TSC, whatever the clock; its frequency must be known. */
uint64_t early_stats__cycles_ns(const struct early_stats *s, uint64_t cycles);

/*
 * The early calls that are there still, of the tracer "function". @ret_missing: how many are not, which
 * is not said. -ENODATA when there is none; -EPROTO on a line that cannot be read.
 */
int early_calls__load(struct early_calls *c, const struct early_stats *s, const char *dir,
		      uint64_t *ret_missing);
/* Those of the set of the tracer "oneshot"; its functions and callers are found in @places. */
int early_calls__load_oneshot(struct early_calls *c, const struct early_stats *s, const char *dir,
			      const struct places *places);

#endif
