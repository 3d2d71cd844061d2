/* SPDX-License-Identifier: GPL-2.0-only */
/* The phases of the early part of a boot. */
#ifndef HYTRACE_BOOT_PHASES_H
#define HYTRACE_BOOT_PHASES_H

#include "boot/calls.h"

/*
 * A phase is a direct call by start_kernel(). It ends with its return, or, if returns were not
 * recorded, with the next direct call. The phase of ftrace_init() lasts from the first call inside
 * it to the end of the last one. After that, only tracing itself is started.
 */
enum early_kind {
	PHASE_FUNCTION,			/* NO_NAME: the function is not known */
	PHASE_BEFORE,			/* the calls before all other phases */
	PHASE_TRACER,			/* the start of ftrace and the tracer */
	PHASE_HOLE,			/* lost calls */
	PHASE_SELF,			/* start_kernel() itself, between phases; has no start */
};

struct early_phase {
	enum early_kind kind;
	uint32_t function;		/* NO_NAME: not known, or there is none */
	bool timeless;			/* start and time are not known */
	bool exact;			/* ends with the return of its last call */
	/*
	 * The number of calls of which the phase has only the part of the recorder's time that is
	 * inside the call. Negative: the phase also has the outside part of so many other calls.
	 */
	long partly;
	size_t jumps;			/* see spans.h */
	uint64_t lost;			/* for PHASE_HOLE: the number of lost calls */
	uint64_t start, time;
	size_t calls;			/* all calls */
	size_t functions, callers;	/* calls with a function; calls with a parent */
	size_t seen_first;		/* functions that were not called before */
	struct early_phase *inner;	/* the direct calls of the phase's own function */
	size_t inner_count;
};

struct early_phases {
	struct early_phase *list;
	size_t count;
};

/*
 * Finds the functions that start_kernel() calls, in order, each with the functions that it calls
 * directly; also ftrace_init(), if its beginning is known. Calls before the first such function are
 * PHASE_BEFORE if the call of start_kernel() is among them and no call is missing at the beginning
 * (@complete). Otherwise their phase is not known (NO_NAME). After a hole, it is not known either,
 * until the next call by start_kernel().
 */
void early_phases__find(struct early_phases *ret, const struct early_calls *c, bool complete);
void early_phases__free(struct early_phases *p);

#endif
