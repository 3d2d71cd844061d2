/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an engine is: a way to have the kernel record which functions ran. `hytrace cover` drives one or
 * two of them through the same steps, so that both look through the same window at the same thing:
 *
 *   prepare  everything that can fail for the kernel's or the user's sake
 *   follow   restrict it to a process (and what that forks), once it exists
 *   start    attach, with the gate still closed
 *   gate     opened: from here on hits are recorded
 *   tend     again and again meanwhile, where an engine has something to do then
 *   gate     closed: from here on none is
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

/* What is to be covered; the same for every engine of a run. */
struct request {
	const struct cover_options *options;
	const struct filter *filter;	/* the options', and what engines deny for themselves */
	const struct symbols *symbols;
	const struct traceable *traceable;
	struct instance *instance;
	struct guard *guard;
	bool alone;			/* no other engine looks on */
};

struct engine_ops {
	const char *name;
	bool monotonic;			/* it stamps with CLOCK_MONOTONIC; else with the trace clock "local" */
	/* Why it cannot do what these ask for on any kernel; NULL: it can. No such function: it can do all. */
	const char *(*refuse)(const struct cover_options *o);
	enum feature needs;		/* of the kernel and of the caller */
	/* Adds the functions that it would record as its own work; all engines of a run leave them out. */
	int (*deny_own)(struct globs *own, const struct request *request);
	int (*prepare)(void **ret, const struct request *request);
	int (*follow)(void *engine, int pidfd);
	int (*start)(void *engine);
	/* From here on hits are recorded, or none is any more. */
	int (*gate)(void *engine, bool open);
	/*
	 * After how many milliseconds it wants to be called again at the latest, or a negative errno, said.
	 * NULL: there is nothing to do.
	 */
	int (*tend)(void *engine);
	/* A descriptor that can be read when tend() is to be called at once; -1, or no such function: none. */
	int (*wakes)(void *engine);
	/* How many functions are recorded by now. No such function: it does not know. */
	size_t (*count)(void *engine);
	/* From here on what this process calls is not recorded, or is again. No such function: it always is. */
	void (*leave_out)(void *engine, bool leave_out);
	int (*stop)(void *engine);
	/* The stamps as they were recorded: all, or before stop() what there is so far. */
	int (*collect)(void *engine, struct coverage *c, const struct places *places);
	void (*destroy)(void *engine);
};

extern const struct engine_ops engine_oneshot;
extern const struct engine_ops engine_bpf;
extern const struct engine_ops engine_event;

/* What the set in the top-level instance holds since boot; nothing is started or stopped. */
int oneshot__collect_boot(struct coverage *c, const struct places *places);

/* Whether that set may still grow: false once the tracer, or the recording, is switched off. */
bool oneshot__records_boot(void);

#endif
