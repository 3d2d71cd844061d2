/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ran because fentry.multi keeps a task on its CPU. While its trampoline runs a program, the task may be
 * preempted, but may not migrate. If it is switched out there, the scheduler pins it to its CPU, and the end of the
 * trampoline takes that back. Functions for a change of affinity run for both, though nobody has changed one.
 */
#ifndef HYTRACE_REPORT_PINNED_H
#define HYTRACE_REPORT_PINNED_H

#include <stdbool.h>

#include "document/coverage.h"

struct pinned {
	const struct hit **list;	/* functions of which all recorded calls come from there */
	size_t count;
};

/**
 * pinned__find() - find the functions that may have run only because of fentry.multi
 * @ret: to be freed by pinned__free(); empty if the document is not by fentry.multi
 * @c: the document, which must live as long
 */
void pinned__find(struct pinned *ret, const struct coverage *c);
void pinned__free(struct pinned *p);

/* Is the hit of @c's such a function, or a call inside of one or of the trampoline's end? */
bool pinned__has(const struct pinned *p, const struct hit *hit);

#endif
