/* SPDX-License-Identifier: GPL-2.0-only */
/* How the kernel reports new threads and names: the part of tasks.h that needs a kernel. */
#ifndef HYTRACE_RUN_TASK_EVENTS_H
#define HYTRACE_RUN_TASK_EVENTS_H

#include "run/tasks.h"

struct task_events;

/**
 * task_events__start() - begin to record, and add all existing threads
 * @ret: to be freed by task_events__free(); NULL after success: this kernel has no such events
 * @t: gets the threads
 * @guard: removes the instance
 *
 * Return: 0, or a negative errno after a message.
 */
int task_events__start(struct task_events **ret, struct tasks *t, struct guard *guard);

/**
 * task_events__read() - add the events since the last call
 * @e: the events
 * @t: gets the changes, and the time of a loss
 * @stopped: this is the last call
 *
 * Return: 0, or a negative errno after a message.
 */
int task_events__read(struct task_events *e, struct tasks *t, bool stopped);

/**
 * task_events__bytes() - the size of the instance's ring buffer
 * @e: the events
 *
 * Return: the size in bytes.
 */
uint64_t task_events__bytes(const struct task_events *e);

/**
 * task_events__free() - free them; the watchdog removes the instance
 * @e: may be NULL
 */
void task_events__free(struct task_events *e);

#endif
