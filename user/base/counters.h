/* SPDX-License-Identifier: GPL-2.0-only */
/* Named numbers in the order in which they were added: counts of losses and costs. */
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

/* @name must live as long as the counters. */
void counters__add(struct counters *counters, const char *name, uint64_t value);
/* Stops at the largest value: counts of another run, or in a recording, may be any number. */
void counter__raise(struct counter *c, uint64_t by);
/* Returns 0 if there is no counter of that name. */
uint64_t counters__get(const struct counters *counters, const char *name);
/* The sum of all counters. */
uint64_t counters__sum(const struct counters *counters);
void counters__free(struct counters *counters);

#endif
