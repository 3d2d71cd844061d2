/* SPDX-License-Identifier: GPL-2.0-only */
/* How long early functions took, in all calls of each, if returns were recorded. */
#ifndef HYTRACE_BOOT_TIMES_H
#define HYTRACE_BOOT_TIMES_H

#include "boot/calls.h"
#include "boot/cost.h"

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
