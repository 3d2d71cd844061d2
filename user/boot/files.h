/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files in which a kernel with very early function tracing reports its boot: early_stats, and
 * the early calls. The calls are in the instance "early", or at the beginning of the oneshot
 * tracer's set.
 *
 * @dir is the mount point of tracefs. Errors are returned after a message.
 */
#ifndef HYTRACE_BOOT_FILES_H
#define HYTRACE_BOOT_FILES_H

#include <stdio.h>

#include "boot/calls.h"
#include "kernel/hits.h"

/* The early buffer has 32 pieces, and each piece may end with a hole. */
#define EARLY_HOLES 32

/* The contents of the file early_stats. Times are in units of @clock. */
struct early_stats {
	char tracer[32];		/* "function", "oneshot"; "none": nothing was traced */
	char refused[128];		/* why the kernel refused; "none" or "": it did not */
	char clock[32];			/* "x86-tsc" for calls, "local" for hits of oneshot */
	uint64_t recorded;		/* calls; for oneshot pairs of function and caller */
	uint64_t before_ftrace_init;	/* calls (pairs) before ftrace_init(); 0: unknown */
	uint64_t lost;			/* calls that did not fit into the early buffer */
	uint64_t shown;			/* calls that the kernel has put in the instance */
	struct early_hole holes[EARLY_HOLES];	/* places where calls were lost, sorted */
	size_t hole_count;
	uint64_t first, last;
	uint64_t before_zero;		/* hits with time 0: before the clock, or no tsc_khz */
	uint64_t tsc_khz;		/* 0: not known */
	uint64_t cpu;
	uint64_t sites;
	uint64_t differing;		/* sites that ftrace's filters later selected differently */
	uint64_t buffer_bytes, ring_buffer_bytes;
	uint64_t convert_cycles;	/* TSC cycles that it took to switch all sites to ftrace */
	uint64_t show_cycles;		/* TSC cycles that a worker took to fill the instance */
};

/* Returns -EPROTO if the file cannot be parsed. */
int early_stats__read(struct early_stats *ret, FILE *f, const char *name);
/*
 * Returns -EOPNOTSUPP if the kernel does not have the file early_stats, or was not traced early.
 */
int early_stats__load(struct early_stats *ret, const char *dir);
/* Did this boot ask to be traced early? early_stats__load() tells whether it was, or why not. */
bool early_stats__asked(const char *dir);

/* Can early_stats__time() convert times to nanoseconds? */
bool early_stats__in_ns(const struct early_stats *s);
/* Converts a time in the clock's units to nanoseconds if possible. */
uint64_t early_stats__time(const struct early_stats *s, uint64_t time);
/*
 * Is the duration of the switch to ftrace known, and can early_stats__cycles_ns() convert it to
 * nanoseconds?
 */
bool early_stats__has_hand_over(const struct early_stats *s);
/* Converts TSC cycles, whatever the clock is. The frequency of the TSC must be known. */
uint64_t early_stats__cycles_ns(const struct early_stats *s, uint64_t cycles);

/*
 * Loads the early calls of the tracer "function" from the instance. @ret_missing: the number of
 * recorded calls that are not there any more, without a message. Returns -ENODATA if there are no
 * calls, -EPROTO if a line cannot be parsed.
 */
int early_calls__load(struct early_calls *c, const struct early_stats *s, const char *dir,
		      uint64_t *ret_missing);
/*
 * Loads the early hits of the tracer "oneshot". @places translates addresses to names.
 */
int early_calls__load_oneshot(struct early_calls *c, const struct early_stats *s, const char *dir,
			      const struct places *places);

#endif
