/* SPDX-License-Identifier: GPL-2.0-only */
/* How the kernel tells of threads that come and of their names: the part of tasks.h that needs one. */
#ifndef HYTRACE_RUN_TASK_EVENTS_H
#define HYTRACE_RUN_TASK_EVENTS_H

#include "run/tasks.h"

struct task_events;

/**
 * task_events__start() - have them recorded, and add all threads that there are
 * @ret: to be freed by task_events__free(); NULL after success: this kernel has no such events
 * @t: where to add
 * @guard: removes the instance
 *
 * Return: 0, or a negative errno, which is said.
 */
int task_events__start(struct task_events **ret, struct tasks *t, struct guard *guard);

/**
 * task_events__read() - add what was recorded since the last time
 * @e: the events
 * @t: where to add, and what is told if events were lost
 * @stopped: it is the last time
 *
 * Return: 0, or a negative errno, which is said.
 */
int task_events__read(struct task_events *e, struct tasks *t, bool stopped);

/**
 * task_events__bytes() - the size of the instance's ring buffer
 * @e: the events
 *
 * Return: in bytes.
 */
uint64_t task_events__bytes(const struct task_events *e);

/**
 * task_events__free() - forget them; the instance is the watchdog's to remove
 * @e: may be NULL
 */
void task_events__free(struct task_events *e);

#endif
