/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An engine is a way to make the kernel record which functions ran. `hytrace cover` drives one or
 * two engines through the same steps, so that both have the same window:
 *
 *   prepare  everything that can fail because of the kernel or the user
 *   follow   restrict it to a process (and its later children), once it exists
 *   start    attach, while the gate is still closed
 *   gate     opened: from here on hits are recorded
 *   tend     called repeatedly in between, if an engine has something to do then
 *   gate     closed: from here on no hits are recorded
 *   stop     detach
 *   collect  read what was recorded
 *   destroy  at any time
 */
#ifndef HYTRACE_COVER_ENGINE_H
#define HYTRACE_COVER_ENGINE_H

#include "cover/options.h"
#include "document/coverage.h"
#include "kernel/features.h"
#include "kernel/places.h"
#include "run/guard.h"
#include "run/instance.h"

/* What to cover; it is the same for every engine of a run. */
struct request {
	const struct cover_options *options;
	const struct filter *filter;	/* from the options, with the functions that engines deny */
	const struct kernel *kernel;	/* when tracing begins */
	struct instance *instance;
	struct guard *guard;
	bool alone;			/* there is no other engine */
};

struct engine_ops {
	const char *name;
	bool monotonic;			/* its times are of CLOCK_MONOTONIC; otherwise of the trace clock "local" */
	/*
	 * Why the engine cannot do these options on any kernel; NULL: it can. No such function: it
	 * can do all.
	 */
	const char *(*refuse)(const struct cover_options *o);
	enum feature needs;		/* of the kernel and of the caller */
	/*
	 * Adds the functions that it would record as its own work; all engines of a run leave them
	 * out.
	 */
	void (*deny_own)(struct globs *own, const struct request *request);
	int (*prepare)(void **ret, const struct request *request);
	int (*follow)(void *engine, int pidfd);
	int (*start)(void *engine);
	/* From here on, hits are recorded, or are no longer recorded. */
	int (*gate)(void *engine, bool open);
	/*
	 * Returns after how many milliseconds it must be called again at the latest, or a negative
	 * errno after a message. NULL: there is nothing to do.
	 */
	int (*tend)(void *engine);
	/*
	 * A descriptor that is readable when tend() must be called at once; -1, or no such
	 * function: there is none.
	 */
	int (*wakes)(void *engine);
	/* The number of functions that are recorded by now. No such function: it is not known. */
	size_t (*count)(void *engine);
	/*
	 * From here on, calls of this process are not recorded, or are again. No such function:
	 * they always are.
	 */
	void (*leave_out)(void *engine, bool leave_out);
	int (*stop)(void *engine);
	/* Adds the hits, with times as they were recorded: all of them, or before stop() those so far. */
	int (*collect)(void *engine, struct coverage *c, const struct places *places);
	void (*destroy)(void *engine);
};

extern const struct engine_ops engine_oneshot;
extern const struct engine_ops engine_bpf;
extern const struct engine_ops engine_event;

/*
 * Reads the set of the top-level instance, which is recorded since boot. Starts and stops nothing.
 */
int oneshot__collect_boot(struct coverage *c, const struct places *places);

/* Can that set still grow? Not if the tracer or the recording is turned off. */
bool oneshot__records_boot(void);

#endif
