/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The calls of the early part of a boot, some hundred thousand, and what is called most. How calls nest is
 * spans.h's, the phases of the boot are phases.h's.
 *
 * Of the oneshot tracer, which keeps no calls, it holds the first hits in the same form: a call of which
 * the function, or the place that called it, had been seen before has NO_NAME for that one.
 */
#ifndef HYTRACE_BOOT_CALLS_H
#define HYTRACE_BOOT_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_NAME UINT32_MAX

/*
 * The function whose calls are the phases of the boot, and the one that sets ftrace up, which is itself
 * never traced.
 */
#define BOOT_FUNCTION "start_kernel"
#define FTRACE_FUNCTION "ftrace_init"

struct lh_table;
struct strings;

struct early_call {
	uint64_t time;
	uint32_t function, parent;	/* indices into names, or NO_NAME */
};

/* Calls that were lost, between that of the index before and that one. */
struct early_hole {
	size_t before;
	uint64_t lost;
};

struct early_calls {
	struct early_call *list;	/* in order of time */
	size_t count, room;
	const char **names;		/* with their module, as the kernel prints it: "f [module]" */
	size_t name_count, name_room;
	size_t ftrace_init;		/* the first call since then; SIZE_MAX: not known */
	size_t timeless;		/* so many first ones have no time: the clock began later */
	struct early_hole *holes;	/* in order, at different places */
	size_t hole_count;
	struct lh_table *ids;		/* the way back, from a name to its index */
	struct strings *store;
};

int early_calls__init(struct early_calls *c);
void early_calls__free(struct early_calls *c);

/* The index of @name, a new one if need be. */
int early_calls__intern(struct early_calls *c, const char *name, uint32_t *ret);
int early_calls__add(struct early_calls *c, uint64_t time, uint32_t function, uint32_t parent);
/* Right before the call that is added next. */
int early_calls__add_hole(struct early_calls *c, uint64_t lost);
/* Were calls lost right before that at @index? */
bool early_calls__behind_hole(const struct early_calls *c, size_t index);
/* When a stretch of calls ends of which that at @end is not one: with that one, if it is the next indeed. */
uint64_t early_calls__end_time(const struct early_calls *c, size_t end);
/* ftrace_init() begins right before the call at @index; of another index, that stays unknown. */
int early_calls__mark_ftrace(struct early_calls *c, size_t index);
/* NO_NAME: there is none of that name. */
uint32_t early_calls__find(const struct early_calls *c, const char *name);
/* How many calls have a function, and how many a parent. */
size_t early_calls__functions(const struct early_calls *c);
size_t early_calls__callers(const struct early_calls *c);

/* ---- functions */

struct early_function {
	uint32_t name;
	uint64_t first;			/* the time of its first call */
	bool timeless;			/* which is not known */
	size_t calls;
};

/* All, those with the most calls first; of as many calls, in order of the first. To be freed. */
int early_calls__by_calls(const struct early_calls *c, struct early_function **ret,
			  size_t *ret_count);

#endif
