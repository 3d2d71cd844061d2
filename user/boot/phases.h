/* SPDX-License-Identifier: GPL-2.0-only */
/* The phases of the early part of a boot. */
#ifndef HYTRACE_BOOT_PHASES_H
#define HYTRACE_BOOT_PHASES_H

#include "boot/calls.h"

/*
 * From one direct call to the next one that its caller makes; ftrace_init's, from its inside to the end of
 * the last one that it makes. Behind it there is only the start of tracing itself.
 */
enum early_kind {
	PHASE_FUNCTION,			/* NO_NAME: it is not known which */
	PHASE_BEFORE,			/* what comes before all */
	PHASE_TRACER,			/* what ftrace and the tracer do to begin */
	PHASE_HOLE,			/* calls that were lost */
};

struct early_phase {
	enum early_kind kind;
	uint32_t function;		/* NO_NAME: not known, or there is none */
	bool timeless;			/* nor is it known when it began and how long it took */
	uint64_t lost;			/* calls, in a hole */
	uint64_t start, time;
	size_t calls;			/* among them those with a function, those with a parent */
	size_t functions, callers;
	size_t seen_first;		/* functions that no earlier call was of */
	struct early_phase *inner;	/* by the direct calls of the phase's own function */
	size_t inner_count;
};

struct early_phases {
	struct early_phase *list;
	size_t count;
};

/*
 * The functions that start_kernel() calls, in order, each with those that it calls in turn. One of
 * them is ftrace_init(), if it is known where that begins. A phase of its own comes before the first:
 * up to start_kernel() and with it, if @complete says that nothing is missing at the beginning, and
 * that call is there; else it is not known what that is a part of. So it is behind a hole, until the next
 * call of start_kernel().
 */
int early_phases__find(struct early_phases *ret, const struct early_calls *c, bool complete);
void early_phases__free(struct early_phases *p);

#endif
