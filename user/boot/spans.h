/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long calls took, and how they nest. If returns were recorded, the result is exact. Otherwise
 * it is estimated from the calls alone.
 */
#ifndef HYTRACE_BOOT_SPANS_H
#define HYTRACE_BOOT_SPANS_H

#include "boot/calls.h"
#include "boot/cost.h"

#define NO_CALL UINT32_MAX

struct early_span {
	size_t call;			/* the index of the call */
	uint64_t start, end;
};

/*
 * The @most longest spans, sorted by time, an outer span before its inner spans; to be freed. All
 * calls must have a function and a parent.
 */
struct early_span *early_calls__spans(const struct early_calls *c, size_t most, size_t *ret_count);

/* Arrays with an element for each call. */
struct early_nesting {
	uint32_t *ends;			/* the next call outside of it, or the number of calls */
	uint32_t *outer;		/* the call that contains this call, or NO_CALL */
	uint64_t *times;		/* when the call ended */
	/*
	 * The sum over all earlier calls; one element more has the sum over all calls. A jump at
	 * the end of a function (tail call) counts 1, the next jump of a chain of jumps 1 more.
	 */
	uint32_t *jumps;
};

/* Fills @ret; to be freed by early_nesting__free(). All calls must have a function and a parent. */
void early_calls__nest(const struct early_calls *c, struct early_nesting *ret);
void early_nesting__free(struct early_nesting *n);

/* ---- times.c */

/**
 * early_times__find() - add up the times of each function
 * @c: calls with ends
 * @functions: the list of early_calls__by_calls(), gets the times
 * @count: the number of @functions
 *
 * A call's own time excludes the calls that were recorded inside it. So it includes the time of
 * untraced functions inside it.
 */
void early_times__find(const struct early_calls *c, struct early_function *functions, size_t count);

/* How many TSC cycles of the recorder are in a function's inclusive time, and in its own. */
uint64_t early_times__cost_inclusive(const struct early_function *f, const struct early_cost *cost);
uint64_t early_times__cost_self(const struct early_function *f, const struct early_cost *cost);

#endif
