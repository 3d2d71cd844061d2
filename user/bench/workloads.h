/* SPDX-License-Identifier: GPL-2.0-only */
/* The workloads that are traced while the cost is measured. */
#ifndef HYTRACE_BENCH_WORKLOADS_H
#define HYTRACE_BENCH_WORKLOADS_H

#include "bench/bench.h"

struct timed_workload {
	const char *name;
	enum bench_workload which;
	/* How many calls give a measurable cost. For a workload that takes long, one is enough. */
	unsigned long calls;
	/* How many calls warm up caches, and let a set learn what the workload calls. */
	unsigned long warmup;
	/* Both end the process after a message if they fail. @begin: called once before; or NULL */
	void (*run)(unsigned long calls);
	void (*begin)(void);
	/* Repetitions to measure, if fewer than of other workloads; else 0. */
	unsigned int repetitions;
	/* The workload also waits: measure the CPU time of it and its children. */
	bool waits;
};

extern const struct timed_workload workloads[];

/* Makes the files' directory, without files of a killed process. Returns 0 or a negative errno. */
int workloads__make_directory(void);
void workloads__remove_files(void);

#endif
