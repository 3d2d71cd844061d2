/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long calls took, and inside of which others. If returns were recorded, this is exact. Otherwise it
 * is as far as a trace of functions shows that.
 */
#ifndef HYTRACE_BOOT_SPANS_H
#define HYTRACE_BOOT_SPANS_H

#include "boot/calls.h"
#include "boot/cost.h"

#define NO_CALL UINT32_MAX

struct early_span {
	size_t call;			/* its index */
	uint64_t start, end;
};

/*
 * The @most longest spans in order of time, outer ones before inner ones; to be freed. All calls
 * must have both names.
 */
struct early_span *early_calls__spans(const struct early_calls *c, size_t most, size_t *ret_count);

/* For each call. */
struct early_nesting {
	uint32_t *ends;			/* the index of the first later call that is not from inside it, or the number of calls */
	uint32_t *outer;		/* the index of the call that it is inside of, or NO_CALL */
	uint64_t *times;		/* when it ended */
	/*
	 * Of the calls before this index, and before the number of calls: how many were jumps, from the end of a
	 * function to another one. A jump from a function that was itself jumped to counts one more, and so on.
	 */
	uint32_t *jumps;
};

/* Fills @ret, which is to be freed by early_nesting__free(). All calls must have both names. */
void early_calls__nest(const struct early_calls *c, struct early_nesting *ret);
void early_nesting__free(struct early_nesting *n);

/* ---- times.c */

/**
 * early_times__find() - add up the times of each function
 * @c: calls with ends
 * @functions: what early_calls__by_calls() has found; it gets the times
 * @count: how many there are
 *
 * A call's own time is that without the calls that were recorded inside of it. So what an untraced function took
 * is the own time of the call that it was inside of.
 */
void early_times__find(const struct early_calls *c, struct early_function *functions, size_t count);

/* How many TSC cycles of the recorder are in a function's inclusive time, and in its own. */
uint64_t early_times__cost_inclusive(const struct early_function *f, const struct early_cost *cost);
uint64_t early_times__cost_self(const struct early_function *f, const struct early_cost *cost);

#endif
