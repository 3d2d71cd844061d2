/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The early part of a boot, by very early function tracing: its files in tracefs are read (early_files.c), calls get
 * ends and become phases (early_phases.c), functions and stacks (early.c).
 *
 * The oneshot tracer records only the first hit of each address. Such a hit is stored as a call: a function or caller
 * that had been hit before is NO_NAME.
 */
#ifndef HYTRACE_BOOT_EARLY_H
#define HYTRACE_BOOT_EARLY_H

#include "boot/boot.h"
#include "kernel/hits.h"

#define NO_NAME UINT32_MAX
#define NO_CALL UINT32_MAX

struct lh_table;

/* ---- the calls */

/* Values in the place of an end time. */
#define END_UNKNOWN UINT64_MAX
#define END_OPEN (UINT64_MAX - 1)	/* the call had not returned when the tracer took over */

struct early_call {
	uint64_t time, end;
	uint32_t function, parent;	/* indices into names, or NO_NAME */
	bool rounded;			/* the call may have ended later, by less than "rounding" */
};

/* Calls that were lost between the call before this index and the call at it. */
struct early_hole {
	size_t before;
	uint64_t lost;
};

struct early_calls {
	struct early_call *list;	/* in order of time */
	size_t count;
	const char **names;		/* as the kernel prints a function: "f" or "f [module]" */
	size_t name_count;
	size_t ftrace_init;		/* the first call of ftrace_init(); SIZE_MAX: unknown */
	bool timed;			/* returns were recorded: calls have ends */
	size_t open, unknown;		/* if timed: calls with END_OPEN, calls with END_UNKNOWN */
	uint64_t rounding;
	uint64_t until;			/* the last time at which a call began or ended */
	size_t timeless;		/* first calls without a time: the clock began later */
	struct early_hole *holes;	/* sorted by "before", without duplicates */
	size_t hole_count;
	struct lh_table *ids;		/* from a name to its index */
	struct strings *store;
};

void early_calls__init(struct early_calls *c);
void early_calls__free(struct early_calls *c);
/* How calls nest: arrays with an element for each call. */
struct early_nesting {
	uint32_t *ends;			/* the next call outside of it, or the number of calls */
	uint32_t *outer;		/* the call that contains this call, or NO_CALL */
	uint64_t *times;		/* when the call ended */
	/*
	 * The sum over all earlier calls; one element more has the sum over all calls. A jump at the end of a
	 * function (tail call) counts 1, the next jump of a chain of jumps 1 more.
	 */
	uint32_t *jumps;
};

/* Fills @ret; to be freed by early_nesting__free(). All calls must have a function and a parent. */
void early_calls__nest(const struct early_calls *c, struct early_nesting *ret);
void early_nesting__free(struct early_nesting *n);

/* ---- the files; errors are returned after a message */

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
	/* TSC cycles for 1,000 calls: to record them; the part inside of their times; more, if they are jumps */
	uint64_t recorder_cycles, inside_cycles, jump_cycles;	/* 0: not known */
};

/* Parses @text, the contents of the file @path, which is changed. Returns -EPROTO if it cannot be parsed. */
int early_stats__parse(struct early_stats *ret, char *text, const char *path);
/* Returns -EOPNOTSUPP if the kernel does not have the file early_stats, or was not traced early. */
int early_stats__load(struct early_stats *ret, const char *dir);
/* Did this boot ask to be traced early? early_stats__load() tells whether it was, or why not. */
bool early_stats__asked(const char *dir);

/* Can early_stats__time() convert times to nanoseconds? */
bool early_stats__in_ns(const struct early_stats *s);
/* Converts a time in the clock's units to nanoseconds if possible. */
uint64_t early_stats__time(const struct early_stats *s, uint64_t time);
/* Is the duration of the switch to ftrace known, and can early_stats__cycles_ns() convert it to nanoseconds? */
bool early_stats__has_hand_over(const struct early_stats *s);
/* Converts TSC cycles, whatever the clock is. The frequency of the TSC must be known. */
uint64_t early_stats__cycles_ns(const struct early_stats *s, uint64_t cycles);

/*
 * Loads the early calls of the tracer "function" from the instance. @ret_missing: the number of recorded calls that
 * are not there any more. Returns -ENODATA if there are no calls, -EPROTO if a line cannot be parsed.
 */
int early_calls__load(struct early_calls *c, const struct early_stats *s, const char *dir,
		      uint64_t *ret_missing);
/* Loads the early hits of the tracer "oneshot". @places translates addresses to names. */
int early_calls__load_oneshot(struct early_calls *c, const struct early_stats *s, const char *dir,
			      const struct places *places);

/* ---- phases, functions and stacks */

/* TSC cycles of the recorder for 1,000 calls: all; inside of their own times; more for each jump. */
struct early_cost {
	uint64_t calls, inside, jumps;
};

/* The state while the early part is made. */
struct early_filler {
	struct boot *b;
	const struct early_stats *stats;
	const struct early_calls *calls;
	struct early_nesting nesting;	/* empty for oneshot */
	struct early_cost cost;		/* 0: not known, or it has no part in times */
	bool oneshot, knows_net;
};

/* The name of a function, in the store of the boot. */
const char *early_filler__name(struct early_filler *f, uint32_t name);
/* @time without @cycles of the recorder; NOT_KNOWN. */
int64_t early_filler__net(const struct early_filler *f, uint64_t time, uint64_t cycles);

/*
 * Finds the functions that start_kernel() calls, in order, each with the functions that it calls directly; also
 * ftrace_init(), if its beginning is known. A phase is a direct call by start_kernel(). It ends with its return, or,
 * if returns were not recorded, with the next direct call. The phase of ftrace_init() lasts from the first call
 * inside it to the end of the last one. After that, only tracing itself is started.
 *
 * Calls before the first such function are PHASE_BEFORE if the call of start_kernel() is among them and no call is
 * missing at the beginning (@complete). Otherwise their phase is not known. After a hole, it is not known either,
 * until the next call by start_kernel().
 */
void early_phases__find(struct early_filler *f, bool complete);

/* Fills the early part of @b. @missing: the number of recorded calls that are not there any more */
void early__fill(struct boot *b, const struct early_stats *stats, const struct early_calls *calls, uint64_t missing);
/*
 * Reads the early part of the running machine's boot. @dir: the mount point of tracefs. After an error, which has a
 * message, @b is unchanged.
 */
int early__record(struct boot *b, const struct early_stats *stats, const char *dir);

#endif
