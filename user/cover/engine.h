/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An engine is a way to make the kernel record which functions ran. `hytrace cover` takes one or
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
#include "kernel/hits.h"
#include "run/guard.h"
#include "run/instance.h"

/* What to cover; it is the same for every engine of a run. */
struct request {
	const struct cover_options *options;
	const struct filter *filter;	/* from the options, with the functions that engines exclude */
	const struct kernel *kernel;	/* when tracing begins */
	struct instance *instance;
	struct guard *guard;
	bool alone;			/* there is no other engine */
};

struct engine_ops {
	const char *name;
	bool monotonic;			/* its times are CLOCK_MONOTONIC; false: they are of the trace clock "local" */
	/*
	 * Returns why the engine cannot do these options on any kernel; NULL: it can. May be NULL:
	 * then it can do all.
	 */
	const char *(*refuse)(const struct cover_options *o);
	enum feature needs;		/* the features that the kernel and the caller need */
	/*
	 * Adds the functions that are the engine's own work to those that all engines of a run
	 * exclude.
	 */
	void (*deny_own)(struct globs *own, const struct request *request);
	int (*prepare)(void **ret, const struct request *request);
	int (*follow)(void *engine, int pidfd);
	int (*start)(void *engine);
	/* Begins to record hits, or ends it. */
	int (*gate)(void *engine, bool open);
	/*
	 * Returns after how many milliseconds it must be called again at the latest, or a negative
	 * errno after a message. May be NULL.
	 */
	int (*tend)(void *engine);
	/*
	 * Returns a descriptor that is readable when tend() must be called at once; -1: none. May
	 * be NULL.
	 */
	int (*wakes)(void *engine);
	/* Returns the number of functions that were recorded so far. May be NULL: the number is unknown. */
	size_t (*count)(void *engine);
	/*
	 * Excludes the calls of this process from the recording, or includes them again. May be
	 * NULL: they are always recorded.
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
 * Reads the set of the top-level instance, which is recorded since boot. It does not start or stop a tracer.
 */
int oneshot__collect_boot(struct coverage *c, const struct places *places);

/* Can the set since boot still grow? Not if the tracer or tracing_on is off. */
bool oneshot__records_boot(void);

#endif
