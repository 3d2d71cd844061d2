/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures the cost of a contender in instructions or nanoseconds. */
#ifndef HYTRACE_BENCH_MEASURE_H
#define HYTRACE_BENCH_MEASURE_H

#include "bench/workloads.h"

/* The most repetitions, and as many as there are if nobody asks for fewer. */
#define MEASURE_REPETITIONS 31

/*
 * Chooses nanoseconds or instructions, which a guest's TSC counts under icount. If it does not,
 * returns -EINVAL after a message. @repetitions: 1 to MEASURE_REPETITIONS; 0: as many as these. With
 * fewer, there is one round of them, and the warm-up is shorter.
 */
int measure__init(bool nanoseconds, int repetitions);

/*
 * Measures in a process of its own, so that what a contender leaves behind or breaks does not
 * affect the next one. It is attached once for all of @list; @rows gets a row for each. Returns 0,
 * or a negative errno after cleaning up.
 */
int measure__rows(const struct contender *c, const struct timed_workload *const *list, size_t count,
		  enum bench_scope scope, struct bench_row *rows);

/* Runs the workload once in a process of its own, which prints a message if it fails. */
bool measure__can_run(const struct timed_workload *w);

/*
 * Makes signals end the current measurement, and remembers them: measure__interrupted() returns the
 * number of the last one, or 0.
 */
void measure__catch_signals(void);
int measure__interrupted(void);

#endif
