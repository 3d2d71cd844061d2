/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run is called in the kernel, and what is found there of runs that have not been able to clean
 * up, having been ended together with their watchdog: a container that was killed, a control group.
 */
#ifndef HYTRACE_RUN_LEFTOVERS_H
#define HYTRACE_RUN_LEFTOVERS_H

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

/*
 * Has the watchdog remove them, and tells the user. Between the beginning and the end, no run is there that has
 * not locked its instance yet: whoever makes one does so in between as well. What begin returns is end's.
 */
int leftovers__begin(const char *instances);
int leftovers__find(const char *instances, struct guard *guard);
void leftovers__end(int lock);

#endif
