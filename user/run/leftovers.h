/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run is called in the kernel, and what is found there of runs that have not been able to clean
 * up, having been ended together with their watchdog: a container that was killed, a control group.
 */
#ifndef HYTRACE_RUN_LEFTOVERS_H
#define HYTRACE_RUN_LEFTOVERS_H

#include <stddef.h>

#include "run/guard.h"

/* Of instances, and of the groups of events; what comes behind is the run's id. */
#define INSTANCE_PREFIX "hytrace-"
#define GROUP_PREFIX "hytrace_"

/*
 * This run's. It is random: in another container another process may have our pid, and the kernel's names
 * are the same for all.
 */
const char *run__id(void);

/*
 * A run is alive as long as its instance, the directory @path, is locked. So this is called in a process
 * that ends only after the watchdog has removed it: nobody unlocks it. Negative errno, said.
 */
int run__lock(const char *path);

/* The ids of runs that have ended. */
struct leftovers {
	char **ids;
	size_t count;
};

/*
 * Between the beginning and the end, no run is there that has not locked its instance yet: whoever makes one does
 * so in between, and so does who looks for those that have ended. What begin returns is end's.
 */
int leftovers__begin(const char *instances);
int leftovers__find(const char *instances, struct leftovers *ret);
void leftovers__end(int lock);
/*
 * Has the watchdog remove what they have left, and tells the user. After the end: for each thing the watchdog
 * waits for that lock, and the pipe to it does not hold many.
 */
int leftovers__remove(const struct leftovers *l, const char *instances, struct guard *guard);
void leftovers__free(struct leftovers *l);

#endif
