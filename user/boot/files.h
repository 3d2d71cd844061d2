/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files with which a kernel with very early function tracing reports its boot: early_stats, and
 * the early calls themselves. These are in the instance "early", or at the beginning of the oneshot
 * tracer's set.
 *
 * @dir is the mount point of tracefs. Failures are reported by messages.
 */
#ifndef HYTRACE_BOOT_FILES_H
#define HYTRACE_BOOT_FILES_H

#include <stdio.h>

#include "boot/calls.h"
#include "kernel/places.h"

/* The buffer has 32 pieces, and each one may end with a hole. */
#define EARLY_HOLES 32

/* The contents of the file early_stats. Times are in units of @clock. */
struct early_stats {
	char tracer[32];		/* "function", "oneshot"; "none": nothing was traced */
	char refused[128];		/* why the kernel refused although the boot asked for it; "none", or "" */
	char clock[32];			/* "x86-tsc" for calls, "local" for the first hits of oneshot */
	uint64_t recorded;		/* calls, or for oneshot pairs of function and caller */
	uint64_t before_ftrace_init;	/* the part of these before ftrace_init(); 0: unknown */
	uint64_t lost;			/* calls that did not fit into the early buffer */
	uint64_t shown;			/* calls that the kernel has put in the instance */
	struct early_hole holes[EARLY_HOLES];	/* where calls were lost, by the number of calls before */
	size_t hole_count;
	uint64_t first, last;
	uint64_t before_zero;		/* hits with time 0: the clock began later, or tsc_khz was 0 */
	uint64_t tsc_khz;		/* 0: not known */
	uint64_t cpu;
	uint64_t sites;
	uint64_t differing;		/* sites for which ftrace's filters later selected otherwise */
	uint64_t buffer_bytes, ring_buffer_bytes;
	uint64_t convert_cycles;	/* TSC cycles of the hand-over: to change all sites */
	uint64_t show_cycles;		/* TSC cycles that a worker took to fill the instance */
};

/* Returns -EPROTO if the file cannot be parsed. */
int early_stats__read(struct early_stats *ret, FILE *f, const char *name);
/*
 * Returns -EOPNOTSUPP if the kernel does not have this file, or if this boot was not traced early.
 */
int early_stats__load(struct early_stats *ret, const char *dir);
/* Did this boot ask for being traced early? If so, early_stats__load() tells what became of it. */
bool early_stats__asked(const char *dir);

/* Does the clock give times that early_stats__time() can convert to nanoseconds? */
bool early_stats__in_ns(const struct early_stats *s);
/* Converts a time in the clock's units to nanoseconds if possible. */
uint64_t early_stats__time(const struct early_stats *s, uint64_t time);
/*
 * Is the duration of the hand-over known, so that early_stats__cycles_ns() can convert it to
 * nanoseconds?
 */
bool early_stats__has_hand_over(const struct early_stats *s);
/* Converts TSC cycles, whatever the clock is. The frequency of the TSC must be known. */
uint64_t early_stats__cycles_ns(const struct early_stats *s, uint64_t cycles);

/*
 * Loads the early calls of the tracer "function" that are in the instance. @ret_missing: how many
 * are not; there is no message about them. Returns -ENODATA if there are none, -EPROTO if a line
 * cannot be parsed.
 */
int early_calls__load(struct early_calls *c, const struct early_stats *s, const char *dir,
		      uint64_t *ret_missing);
/*
 * Loads the early hits of the tracer "oneshot". The names of functions and callers are found by
 * @places.
 */
int early_calls__load_oneshot(struct early_calls *c, const struct early_stats *s, const char *dir,
			      const struct places *places);

#endif
