/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an engine is: a way to have the kernel record which functions ran. `hytrace cover` drives one or
 * two of them through the same steps, so that both look through the same window at the same thing:
 *
 *   prepare  everything that can fail for the kernel's or the user's sake
 *   follow   restrict it to a process (and what that forks), once it exists
 *   start    attach, with the gate still closed
 *   open     from here on hits are recorded
 *   tend     again and again meanwhile, where an engine has something to do then
 *   close    from here on none is
 *   stop     detach
 *   collect  read what was recorded
 *   destroy  at any time
 */
#ifndef HYTRACE_COVER_ENGINE_H
#define HYTRACE_COVER_ENGINE_H

#include "cover/coverage.h"
#include "kernel/places.h"
#include "run/guard.h"
#include "run/instance.h"

/* What is to be covered; the same for every engine of a run. */
struct request {
	const struct filter *filter;
	const struct symbols *symbols;
	const struct traceable *traceable;
	struct instance *instance;
	struct guard *guard;
	const char *pin;		/* NULL: nothing is pinned */
	const char *cgroup, *comm;	/* NULL: of any; BPF engines only */
	unsigned long max_entries;	/* 0: so many that it cannot fill in practice */
	bool callers;
	bool alone;			/* no other engine looks on */
	bool retire;
	unsigned long retire_ms;	/* for how long callers are watched; 0 without them */
	bool follow;
};

struct engine_ops {
	const char *name;
	bool monotonic;			/* it stamps with CLOCK_MONOTONIC; else with the trace clock "local" */
	/* 0, or -EOPNOTSUPP, said unless @quiet. */
	int (*available)(bool quiet);
	int (*prepare)(void **ret, const struct request *request);
	int (*follow)(void *engine, int pidfd);
	int (*start)(void *engine);
	int (*open)(void *engine);
	/*
	 * After how many milliseconds it wants to be called again at the latest, or a negative errno, said.
	 * NULL: there is nothing to do.
	 */
	int (*tend)(void *engine);
	/* A descriptor that can be read when tend() is to be called at once; -1, or no such function: none. */
	int (*wakes)(void *engine);
	int (*close)(void *engine);
	int (*stop)(void *engine);
	/* The stamps as they were recorded. */
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

/* When the BPF program calls what, of bits. */
enum {
	OWN_ALWAYS = 0,
	OWN_PROBE_READ = 1 << 0,	/* told from the kernel */
	OWN_FOLLOWING = 1 << 1,		/* --task, --pid */
	OWN_CGROUP = 1 << 2,
	OWN_COMM = 1 << 3,
	OWN_PINNED = 1 << 4,
};

/* Adds to @own the functions that the BPF program would record as its own work, in a run that is @when. */
int bpf_own__deny(struct globs *own, const struct symbols *symbols, unsigned int when);

#endif
