/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one or two engines of a run, step by step (engine.h has the steps). Each step is done for
 * both engines before the next step, so that they have the same window.
 */
#ifndef HYTRACE_COVER_ENGINES_H
#define HYTRACE_COVER_ENGINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cover/engine.h"

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
/* Calls tend() of the engines; see engine.h. */
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

#endif
