/* SPDX-License-Identifier: GPL-2.0-only */
/* Named numbers in the order in which they were counted: what was lost, what it cost. */
#ifndef HYTRACE_BASE_COUNTERS_H
#define HYTRACE_BASE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

struct counter {
	const char *name;
	uint64_t value;
};

struct counters {
	struct counter *list;
	size_t count;
};

/* @name lives as long as the counters do. */
int counters__add(struct counters *counters, const char *name, uint64_t value);
/* 0 when there is none of that name. */
uint64_t counters__get(const struct counters *counters, const char *name);
/* All of them. */
uint64_t counters__sum(const struct counters *counters);
void counters__free(struct counters *counters);

#endif
