/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The calls of the early part of a boot, some hundred thousand, and the functions that are called
 * most. spans.h finds how calls nest, and phases.h finds the phases of the boot.
 *
 * The oneshot tracer records only the first hit of each address. Such a hit is stored as a call: a
 * function or caller that had been hit before is NO_NAME.
 */
#ifndef HYTRACE_BOOT_CALLS_H
#define HYTRACE_BOOT_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_NAME UINT32_MAX

/*
 * The function whose calls are the phases of the boot, and the function that sets up ftrace, which
 * is never traced.
 */
#define BOOT_FUNCTION "start_kernel"
#define FTRACE_FUNCTION "ftrace_init"

struct lh_table;
struct strings;

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

/* The index of @name; adds it if it is new. */
uint32_t early_calls__intern(struct early_calls *c, const char *name);
void early_calls__add(struct early_calls *c, uint64_t time, uint32_t function, uint32_t parent);
/*
 * Sets when the last added call has ended: a time, END_UNKNOWN or END_OPEN. If one call has an end,
 * set one for each call.
 */
void early_calls__set_end(struct early_calls *c, uint64_t end, bool rounded);
/*
 * Notes that calls were lost directly before the call at index @before, or after the last call. Add
 * the holes in order.
 */
void early_calls__add_hole(struct early_calls *c, size_t before, uint64_t lost);
/* Were calls lost directly before the call at @index? */
bool early_calls__behind_hole(const struct early_calls *c, size_t index);
/*
 * The end of a stretch of calls before @end: the time of the call at @end if there is one and no
 * calls were lost before it; otherwise the time of the stretch's last call.
 */
uint64_t early_calls__end_time(const struct early_calls *c, size_t end);
/*
 * Notes that ftrace_init() begins directly before the call at @index. If there is no such call, the
 * beginning stays unknown.
 */
void early_calls__mark_ftrace(struct early_calls *c, size_t index);
/* Returns NO_NAME if there is no such name. */
uint32_t early_calls__find(const struct early_calls *c, const char *name);
/* The number of calls with a function, and of calls with a parent. */
size_t early_calls__functions(const struct early_calls *c);
size_t early_calls__callers(const struct early_calls *c);

/* ---- functions */

struct early_function {
	uint32_t name;
	uint64_t first;			/* the time of its first call */
	bool timeless;			/* "first" is not known */
	size_t calls;
	/* If calls have ends (times.c): time with callees (recursion counts once), and without */
	uint64_t inclusive, self;
	size_t outermost;		/* its calls without the recursive calls */
	size_t inside;			/* calls of any function inside its outermost calls */
	size_t jumps, jumps_inside;	/* jumps (spans.h) to it; all in its outermost calls */
	size_t direct;			/* calls by it, or by untraced functions inside it */
	size_t open, unknown;		/* its calls with END_OPEN; with END_UNKNOWN */
};

/*
 * All functions that were called, sorted by calls, the most first, then by their first calls. To be
 * freed.
 */
struct early_function *early_calls__by_calls(const struct early_calls *c, size_t *ret_count);

#endif
