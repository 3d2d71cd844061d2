/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An engine is a way to make the kernel record which functions ran. `hytrace cover` takes one or
 * two engines through the same steps. Each step is done for both engines before the next step, so
 * that both have the same window:
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
#ifndef HYTRACE_COVER_ENGINES_H
#define HYTRACE_COVER_ENGINES_H

#include <sys/types.h>

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
	size_t asked_for;		/* kernel__count_asked_for() */
	bool alone;			/* there is no other engine */
	bool cuts;			/* the run is cut into many */
	bool apart;			/* calls of this process are left out: it reads while others are recorded */
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
	/*
	 * Begins a new set of hits without losing a call. @ret: the old set, for collect() and drop(). The event
	 * engine cannot do it, and `hytrace suite` refuses that.
	 */
	int (*cut)(void *engine, void **ret);
	/* Waits until the sets that were cut off have all of their hits. */
	int (*complete)(void *engine);
	void (*drop)(void *engine, void *cut);
	size_t most_cuts;		/* how many sets may wait for drop() when cut() is called */
	/* Should those that wait be dropped sooner, for lack of room? May be NULL: each has room of its own. */
	bool (*crowded)(void *engine);
	int (*stop)(void *engine);
	/*
	 * Adds the hits, with times as they were recorded: all of them, or before stop() those so far. @cut: those of
	 * this set; NULL: of the present one
	 */
	int (*collect)(void *engine, void *cut, struct coverage *c, const struct places *places);
	void (*destroy)(void *engine);		/* NULL: nothing is left */
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

/* ---- the one or two engines of a run */

#define MOST_ENGINES 2

struct running {
	const struct engine_ops *ops;
	void *engine;
	uint64_t opening, open, closing, closed;	/* CLOCK_MONOTONIC */
	double attach_seconds, detach_seconds;
};

struct engines {
	struct running list[MOST_ENGINES];
	size_t count;
};

/* Why the chosen engine cannot do the other options; NULL: it can. */
const char *engines__refuse(const struct cover_options *o);
void engines__choose(struct engines *e, const struct cover_options *o);
/* After a message, returns -EOPNOTSUPP if this kernel cannot do it, or -EPERM if this caller may not. */
int engines__require(const struct engines *e, const struct cover_options *o);
/* Adds the functions that any of the engines calls itself, so that no engine records them. */
void engines__deny_own(const struct engines *e, struct globs *own, const struct request *request);

int engines__prepare(struct engines *e, const struct request *request);
/* Attaches the engines. @follow: the pidfd of a process to which they are restricted; -1: all processes */
int engines__start(struct engines *e, int follow);
int engines__open(struct engines *e);
/* Calls tend() of the engines. */
int engines__tend(struct engines *e);
/* The descriptor of the first engine whose wakes() returns one; -1: none. */
int engines__wakes(const struct engines *e);
/*
 * The number of functions that were recorded so far; -1: it is unknown, or there are two engines.
 */
ssize_t engines__count(const struct engines *e);
/*
 * Calls leave_out() of the engine if it is the only one: calls that one of two engines leaves out would
 * be in the result of the other one. Returns false if calls of this process are still recorded.
 */
bool engines__leave_out(const struct engines *e, bool leave_out);
/* These functions go on after a failure, and return the first one. */
int engines__close(struct engines *e);
int engines__stop(struct engines *e);
void engines__destroy(struct engines *e);

/* ---- results of what they have recorded */

/* Both clocks before the gate opens, and after it has closed. */
struct clocks {
	struct clock_pair first, last;
};

/* The number of functions that the user asked for. */
size_t kernel__count_asked_for(const struct kernel *k, const struct filter *filter);

/*
 * Fills in what is known about the result before the run begins: its kernel, its functions and its
 * tasks. @ret must be freed.
 */
void collect__plan(struct coverage *ret, const struct request *request);
/* A part of a run, from engine_ops.cut(). Hits that came after the window of @running are no part of it. */
struct piece {
	void *cut;		/* the set; NULL: the present one */
	bool empty;		/* it has no window: no hit is a part of it */
	struct hits *outside;	/* gets copies of these hits */
};

/*
 * Makes the result of what @e has recorded. @after: the symbols at the end of the run; NULL: they
 * are those of the beginning. @piece: NULL: all of the run. @ret must be freed even after a failure.
 */
int collect__run(struct coverage *ret, const struct running *e, const struct piece *piece,
		 const struct request *request, const struct symbols *after, const struct clocks *clocks);
/* Makes a result of @hits, which become empty: parts of what @e has recorded that were collected before. */
void collect__hits(struct coverage *ret, const struct running *e, struct hits *hits, const struct counters *lost,
		   const struct request *request, const struct symbols *after, const struct clocks *clocks);
/* Makes the result of what was recorded from boot until now. It does not start or stop a tracer. */
int collect__boot(struct coverage *ret, const struct request *request);

#endif
