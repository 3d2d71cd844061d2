/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of what a run puts into the kernel, and the leftovers of other runs. A run leaves
 * something if it was killed together with its watchdog, for example with its container or control
 * group.
 */
#ifndef HYTRACE_RUN_LEFTOVERS_H
#define HYTRACE_RUN_LEFTOVERS_H

#include <stddef.h>

#include "run/guard.h"

/* Prefixes of the names of instances, and of groups of events; the run's id comes after it. */
#define INSTANCE_PREFIX "hytrace-"
#define GROUP_PREFIX "hytrace_"

/*
 * The id of this run. It is random: a process in another container may have the same pid, and the
 * kernel's names are shared by all containers.
 */
const char *run__id(void);

/*
 * Marks this run as alive, by a lock on its instance, the directory @path. The lock is never
 * released: it ends with the process. So call this in a process that ends only after the watchdog
 * has removed the instance. Returns 0, or a negative errno after a message.
 */
int run__lock(const char *path);

/* The ids of runs that have ended without cleaning up. */
struct leftovers {
	char **ids;
	size_t count;
};

/*
 * Takes the lock that a run holds while it makes and locks its instance, and while it looks for
 * ended runs. So between begin and end, each other run has locked its instance, or has none. Pass
 * to end what begin returns.
 */
int leftovers__begin(const char *instances);
void leftovers__find(const char *instances, struct leftovers *ret);
void leftovers__end(int lock);
/*
 * Lets the watchdog remove the leftovers, and prints a message for each. Call it after leftovers__end():
 * the watchdog takes the lock for each thing, and the pipe to it holds only a few lines.
 */
int leftovers__remove(const struct leftovers *l, const char *instances, struct guard *guard);
void leftovers__free(struct leftovers *l);

#endif
