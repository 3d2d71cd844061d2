/* SPDX-License-Identifier: GPL-2.0-only */
/* The phases of the early part of a boot. */
#ifndef HYTRACE_BOOT_PHASES_H
#define HYTRACE_BOOT_PHASES_H

#include "boot/calls.h"

/*
 * A phase lasts from one direct call to the next one that its caller makes; if returns were recorded, until
 * that call returns. That of ftrace_init() lasts from the first call inside it to the end of its last one;
 * after that, only tracing itself is started.
 */
enum early_kind {
	PHASE_FUNCTION,			/* NO_NAME: the function is not known */
	PHASE_BEFORE,			/* the calls before all other phases */
	PHASE_TRACER,			/* the start of ftrace and the tracer */
	PHASE_HOLE,			/* calls that were lost */
	PHASE_SELF,			/* what start_kernel() did itself between phases that have ends; it has no beginning */
};

struct early_phase {
	enum early_kind kind;
	uint32_t function;		/* NO_NAME: not known, or there is none */
	bool timeless;			/* its beginning and its duration are not known */
	bool exact;			/* it ends with the return of its last call */
	/*
	 * In so many calls, only a part of the recorder's time is in this phase: what is inside of the call. If it is
	 * negative, the other part of so many calls is in it, besides that of its own calls.
	 */
	long partly;
	size_t jumps;			/* calls that were jumps (spans.h) */
	uint64_t lost;			/* calls, in a hole */
	uint64_t start, time;
	size_t calls;			/* all; then those with a function, and those with a parent */
	size_t functions, callers;
	size_t seen_first;		/* functions that were not called before */
	struct early_phase *inner;	/* the direct calls of the phase's own function */
	size_t inner_count;
};

struct early_phases {
	struct early_phase *list;
	size_t count;
};

/*
 * Finds the functions that start_kernel() calls, in order, each with the functions that it calls in
 * turn. One of them is ftrace_init(), if its beginning is known. Before the first one comes a phase
 * of its own, up to and including the call of start_kernel(), if that call is there and @complete
 * says that nothing is missing at the beginning. Otherwise, the phase of the first calls is not
 * known. The same holds after a hole, until the next call by start_kernel().
 */
void early_phases__find(struct early_phases *ret, const struct early_calls *c, bool complete);
void early_phases__free(struct early_phases *p);

#endif
