/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures the cost of a contender in instructions or nanoseconds. */
#ifndef HYTRACE_BENCH_MEASURE_H
#define HYTRACE_BENCH_MEASURE_H

#include "bench/workloads.h"

/* The default number of repetitions, which is also the largest one. */
#define MEASURE_REPETITIONS 31

/*
 * Chooses nanoseconds or instructions. Instructions need a guest whose TSC counts them (icount);
 * otherwise, returns -EINVAL after a message. @repetitions: 1 to MEASURE_REPETITIONS; 0: that
 * number. If there are fewer, there is one round of them, and the warm-up is shorter.
 */
int measure__init(bool nanoseconds, int repetitions);

/*
 * Measures in a process of its own, so that what a contender leaves behind or breaks does not
 * affect the next one. The contender is attached once for all workloads in @list; @rows gets a row
 * for each workload. Returns 0, or a negative errno after cleaning up.
 */
int measure__rows(const struct contender *c, const struct timed_workload *const *list, size_t count,
		  enum bench_scope scope, struct bench_row *rows);

/* Runs the workload once in a process of its own, which prints a message if it fails. */
bool measure__can_run(const struct timed_workload *w);

/*
 * Makes signals end the current measurement. measure__interrupted() returns the number of the last
 * signal, or 0.
 */
void measure__catch_signals(void);
int measure__interrupted(void);

#endif
