/* SPDX-License-Identifier: GPL-2.0-only */
/* The workloads that are traced while the cost is measured. */
#ifndef HYTRACE_BENCH_WORKLOADS_H
#define HYTRACE_BENCH_WORKLOADS_H

#include <stddef.h>

#include "bench/bench.h"

struct timed_workload {
	const char *name;
	enum bench_workload which;
	/* How many calls give a measurable cost. For a workload that takes long, one is enough. */
	unsigned long calls;
	/* How many calls warm up caches, and let a set learn what the workload calls. */
	unsigned long warmup;
	/* How many repetitions are measured, if fewer than of other workloads; else 0. */
	unsigned int repetitions;
	/* The workload also waits for files; so the CPU time of it and its children is measured. */
	bool waits;
	/* If the workload fails, ends the process after a message. */
	void (*run)(unsigned long calls);
};

extern const struct timed_workload workloads[];

/* Makes the directory of their files anew, without what a killed process has left. Returns a negative errno. */
int workloads__make_directory(void);
void workloads__remove_files(void);

#endif
