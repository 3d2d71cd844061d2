/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose thread a number was at a moment of the run, and what it was called: the kernel's own tracers keep a number
 * only, which another thread may get later, and which changes its name by exec(). So the events task_newtask and
 * task_rename are recorded meanwhile, in a small instance of their own, and tell all that changes; what there was
 * before is read from /proc. Where something of that is missing, the answer is that it is not known.
 */
#ifndef HYTRACE_RUN_TASKS_H
#define HYTRACE_RUN_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strings.h"
#include "run/guard.h"

struct tasks;

/**
 * tasks__start() - from here on it is known
 * @ret: to be freed by tasks__free(); NULL after success: this kernel does not tell
 * @guard: removes the instance
 *
 * Before recording begins: what this calls would be recorded.
 *
 * Return: 0, or a negative errno, which is said.
 */
int tasks__start(struct tasks **ret, struct guard *guard);

/**
 * tasks__read() - take what was recorded since the last time
 * @t: the tasks
 * @stopped: nothing is of interest any more: recording is switched off
 *
 * Return: 0, or a negative errno, which is said.
 */
int tasks__read(struct tasks *t, bool stopped);

/**
 * tasks__find() - whose number that was
 * @t: the tasks, of which all was read up to that moment; NULL: nobody's
 * @pid: the thread's number, as the kernel has it, from 1
 * @ns: when, by the trace clock "local"
 * @names: where the name is to be kept
 * @ret_tgid: the number of its process
 *
 * Return: its name; NULL: that, or the process, is not known, and @ret_tgid is as it was.
 */
const char *tasks__find(const struct tasks *t, uint32_t pid, uint64_t ns, struct strings *names, uint32_t *ret_tgid);

/**
 * tasks__bytes() - how much memory the instance takes
 * @t: the tasks, or NULL
 *
 * Return: bytes of its ring buffer.
 */
uint64_t tasks__bytes(const struct tasks *t);

/**
 * tasks__free() - forget them; the instance is the watchdog's to remove
 * @t: may be NULL
 */
void tasks__free(struct tasks *t);

/* ---- one by one; tests do it that way as well */

struct task_change {
	uint64_t ns;
	uint32_t pid;
	uint32_t parent;	/* a new thread's */
	bool is_new, is_thread;	/* of the parent's process */
	const char *comm;	/* from then on */
};

/* Of an empty history. NULL, said: no memory. */
struct tasks *tasks__new(void);
/* Changes of one number come in their order. */
int tasks__add(struct tasks *t, const struct task_change *change);
/* One that was there before, as of @ns. */
int tasks__add_old(struct tasks *t, uint64_t ns, uint32_t pid, uint32_t tgid, const char *comm);
/* From then on something is missing. */
void tasks__end_at(struct tasks *t, uint64_t ns);

#endif
