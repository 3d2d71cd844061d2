/* SPDX-License-Identifier: GPL-2.0-only */
/* What is traced while its cost is taken. */
#ifndef HYTRACE_BENCH_WORKLOADS_H
#define HYTRACE_BENCH_WORKLOADS_H

#include <stddef.h>

#include "bench/bench.h"

struct workload {
	const char *name;
	enum bench_workload which;
	/* So often that its cost can be told; a heavy one takes a call. */
	unsigned long calls;
	/* Until caches are warm, and a set knows what it calls. */
	unsigned long warmup;
	/* It waits for files, too: what is taken is the CPU time of it and its children. */
	bool waits;
	/* Ends the process, and says why, when it cannot do its work. */
	void (*run)(unsigned long calls);
};

extern const struct workload workloads[];

/* What workloads of a process that was killed have left. */
void workloads__remove_files(void);

#endif
