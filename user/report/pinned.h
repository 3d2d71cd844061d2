/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ran because fentry.multi keeps a task on its CPU. While its trampoline runs a program, the
 * task may be preempted, but not migrate. If it is preempted, the scheduler pins it, and the end of
 * the trampoline unpins it. Both run functions that change affinity, though nobody asked for it.
 */
#ifndef HYTRACE_REPORT_PINNED_H
#define HYTRACE_REPORT_PINNED_H

#include <stdbool.h>

#include "document/coverage.h"

struct pinned {
	const struct hit **list;	/* functions whose recorded calls all are due to pinning */
	size_t count;
};

/**
 * pinned__find() - find the functions that may have run only because of fentry.multi
 * @ret: to be freed by pinned__free(); empty if the recording is not by fentry.multi
 * @c: the recording, which must outlive @ret
 */
void pinned__find(struct pinned *ret, const struct coverage *c);
void pinned__free(struct pinned *p);

/* Is @hit such a function, or a call from one of them or from the end of the trampoline? */
bool pinned__has(const struct pinned *p, const struct hit *hit);

#endif
