/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which thread had a number at a moment of the run, and its name then. The kernel's own tracers
 * only keep the number. Later, another thread may get it, and exec() changes the thread's name. So
 * the events task_newtask and task_rename are recorded during the run, in a small instance of their
 * own. The threads before that are read from /proc. If something of this is missing, the answer is
 * that the thread is not known.
 */
#ifndef HYTRACE_RUN_TASKS_H
#define HYTRACE_RUN_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strings.h"
#include "run/guard.h"

struct tasks;

/**
 * tasks__start() - begin to record the history of threads
 * @ret: to be freed by tasks__free(); NULL after success: this kernel has no such events
 * @guard: removes the instance
 *
 * Call it before recording begins, because its own calls would be recorded.
 *
 * Return: 0, or a negative errno after a message.
 */
int tasks__start(struct tasks **ret, struct guard *guard);

/**
 * tasks__read() - read the events since the last call
 * @t: the tasks
 * @stopped: recording has ended, so later events do not matter
 *
 * Return: 0, or a negative errno after a message.
 */
int tasks__read(struct tasks *t, bool stopped);

/**
 * tasks__find() - find the thread that had a number
 * @t: the tasks, read up to that moment; NULL: nothing is known
 * @pid: the thread's number, as the kernel has it, from 1
 * @ns: when, by the trace clock "local"
 * @names: where the name is to be kept
 * @ret_tgid: the number of its process
 *
 * Return: its name; NULL: the name or the process is not known, and @ret_tgid is not changed.
 */
const char *tasks__find(const struct tasks *t, uint32_t pid, uint64_t ns, struct strings *names, uint32_t *ret_tgid);

/**
 * tasks__bytes() - the memory of the instance
 * @t: the tasks, or NULL
 *
 * Return: the size of its ring buffer in bytes.
 */
uint64_t tasks__bytes(const struct tasks *t);

/**
 * tasks__free() - free the history; the watchdog removes the instance
 * @t: may be NULL
 */
void tasks__free(struct tasks *t);

/* ---- single changes, which tests also use */

struct task_change {
	uint64_t ns;
	uint32_t pid;
	uint32_t parent;	/* of a new thread */
	bool is_new, is_thread;	/* of the parent's process */
	const char *comm;	/* the name from then on */
};

/* Makes an empty history. Returns NULL after a message if there is no memory. */
struct tasks *tasks__new(void);
/* Adds a change. An earlier one may come later. */
int tasks__add(struct tasks *t, const struct task_change *change);
/* Adds a thread that was there before, with the time @ns. */
int tasks__add_old(struct tasks *t, uint64_t ns, uint32_t pid, uint32_t tgid, const char *comm);
/* From this time on, something is missing. */
void tasks__end_at(struct tasks *t, uint64_t ns);

#endif
