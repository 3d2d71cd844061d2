/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracefs instance of this run, hytrace-ID: everything it sets is set there and goes away with it,
 * so that nobody else's tracing is touched. It also tells the ring buffer's clock from CLOCK_MONOTONIC.
 * By its instance a run is known to be alive, so it is made before anything else in the kernel.
 */
#ifndef HYTRACE_RUN_INSTANCE_H
#define HYTRACE_RUN_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "run/guard.h"

struct instance;

int instance__create(struct instance **ret, struct guard *guard);
void instance__close(struct instance *i);

/* Tells what file of which instance refused which text; @file is relative to the instance. */
int instance__write(struct instance *i, const char *file, const char *text);
/* One write for each, as the filter files take them; stops at the first that is refused. */
int instance__write_list(struct instance *i, const char *file, char *const *list);
/*
 * Makes its ring buffer, which is full-sized at first, as small as it can be, for who reads nothing from it. It has
 * a part for each CPU. @ret_bytes: what is left.
 */
int instance__shrink(struct instance *i, uint64_t *ret_bytes);
/* The numbers of a process's threads, for set_ftrace_pid and the like. */
int instance__write_threads(struct instance *i, const char *file, int pidfd);
bool instance__has(struct instance *i, const char *file);
/* The text of one of its files, to be freed; NULL: it cannot be read, see errno. */
char *instance__read(struct instance *i, const char *file);
/* The path of one of its files, to be freed. */
char *instance__path(struct instance *i, const char *file);

/* tracing_on, held open: opening and closing the gate is one system call. */
int instance__gate(struct instance *i, bool on);

/* What the two clocks said at the same moment, as near as that can be known. */
struct clock_pair {
	uint64_t monotonic, local, error;
};

int instance__read_clock(struct instance *i, struct clock_pair *ret);
/* A CLOCK_MONOTONIC time between two such moments on the other clock. */
uint64_t clock_pair__local(const struct clock_pair *first, const struct clock_pair *last,
			   uint64_t monotonic);
/* As the kernel has it, in a time namespace as well. */
uint64_t clock__monotonic(void);
/* In ns since 1970. */
uint64_t clock__realtime(void);

#endif
