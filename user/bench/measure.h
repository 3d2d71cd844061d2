/* SPDX-License-Identifier: GPL-2.0-only */
/* Taking the cost of a contender, in instructions or nanoseconds. */
#ifndef HYTRACE_BENCH_MEASURE_H
#define HYTRACE_BENCH_MEASURE_H

#include "bench/workloads.h"

/*
 * In nanoseconds, or in instructions: a guest's TSC counts those under icount. -EINVAL, and says it, if it
 * does not.
 */
int measure__init(bool nanoseconds);

/*
 * In a process of its own: what a contender leaves behind or breaks is not the next one's. It is attached
 * once for all of @list; @rows has one for each. A negative errno; then it is cleaned up.
 */
int measure__rows(const struct contender *c, const struct workload *const *list, size_t count,
		  enum bench_scope scope, struct bench_row *rows);

/* Runs it once in a process of its own, which says what is amiss. */
bool measure__can_run(const struct workload *w);

/* A signal that asks for the end ends what is being measured, and is remembered: its number, or 0. */
void measure__catch_signals(void);
int measure__interrupted(void);

#endif
