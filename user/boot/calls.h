/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The calls of the early part of a boot, some hundred thousand, and the functions that are called
 * most. spans.h finds how calls nest, and phases.h finds the phases of the boot.
 *
 * The oneshot tracer keeps no calls. Its first hits are held in the same form: if the function of a
 * call, or the place that called it, had been seen before, it has NO_NAME.
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

/* Ends of calls that are no times. */
#define END_UNKNOWN UINT64_MAX
#define END_OPEN (UINT64_MAX - 1)	/* it had not returned when the tracer took over */

struct early_call {
	uint64_t time, end;
	uint32_t function, parent;	/* indices into names, or NO_NAME */
	bool rounded;			/* it may have ended later, by less than "rounding" */
};

/* Calls that were lost between the call before this index and the call at it. */
struct early_hole {
	size_t before;
	uint64_t lost;
};

struct early_calls {
	struct early_call *list;	/* in order of time */
	size_t count;
	const char **names;		/* with their module, as the kernel prints it: "f [module]" */
	size_t name_count;
	size_t ftrace_init;		/* the first call of ftrace_init(); SIZE_MAX: unknown */
	bool timed;			/* returns were recorded: calls have ends */
	size_t open, unknown;		/* if so: how many had not returned, and how many have no end for another reason */
	uint64_t rounding;
	uint64_t until;			/* the last time that is known: of a call, or of an end */
	size_t timeless;		/* the number of first calls without a time, because the clock began later */
	struct early_hole *holes;	/* in order, at different places */
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
 * Sets when the last call that was added has ended: a time, or one of the values above. Then this has to be done for each
 * call.
 */
void early_calls__set_end(struct early_calls *c, uint64_t end, bool rounded);
/*
 * Notes that calls were lost directly before the call at index @before, or after the last one. They
 * are added in order.
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
 * ftrace_init() begins directly before the call at @index. If there is no such index, that stays
 * unknown.
 */
void early_calls__mark_ftrace(struct early_calls *c, size_t index);
/* Returns NO_NAME if there is no such name. */
uint32_t early_calls__find(const struct early_calls *c, const char *name);
/* The number of calls with a function, and of those with a parent. */
size_t early_calls__functions(const struct early_calls *c);
size_t early_calls__callers(const struct early_calls *c);

/* ---- functions */

struct early_function {
	uint32_t name;
	uint64_t first;			/* the time of its first call */
	bool timeless;			/* the time is not known */
	size_t calls;
	/* For calls with ends (times.c): in all calls of it, but only once in one inside of another one; and without others. */
	uint64_t inclusive, self;
	size_t outermost;		/* calls that are not inside of another one of it */
	size_t inside;			/* calls of any function that are inside of these */
	size_t jumps, jumps_inside;	/* its calls that were jumps (spans.h); and all in the outermost ones */
	size_t direct;			/* calls that it made itself, or code without a call of its own for it */
	size_t open, unknown;		/* calls whose end is not known: not returned; another reason */
};

/*
 * All functions, those with the most calls first; equal ones in order of their first calls. To be
 * freed.
 */
struct early_function *early_calls__by_calls(const struct early_calls *c, size_t *ret_count);

#endif
