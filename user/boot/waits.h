/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What process 1 and the initcalls waited for. At any time, a task runs, or is ready while another
 * task has the CPU, or waits. A waker ends the wait: a timer, an interrupt, or another task. What
 * that task did during the wait is divided in the same way. So each wait is divided completely, and
 * the pieces, sorted by time, are the critical path of process 1.
 */
#ifndef HYTRACE_BOOT_WAITS_H
#define HYTRACE_BOOT_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "boot/start.h"

enum wait_class {
	CLASS_RUNNING,			/* the task itself */
	CLASS_READY,			/* for a CPU; name: what this CPU ran */
	CLASS_TASK,			/* for another task; name: its command */
	CLASS_WORK,			/* for work of a workqueue; name: its function */
	CLASS_ASYNC,			/* for a function started by async_schedule() */
	CLASS_PROBE,			/* for deferred probes */
	CLASS_FIRMWARE,			/* for a firmware file */
	CLASS_RCU,			/* for a grace period */
	CLASS_TIMER,			/* for a time to pass; name: the timer's function */
	CLASS_INTERRUPT,		/* name: of the device's interrupt; NULL: not known */
	CLASS_BLOCK,			/* for a block device */
	CLASS_PAGES,			/* for the initialisation of memory */
	CLASS_PROCESSORS,		/* for a CPU to come up, or to be stopped */
	CLASS_UNKNOWN,
	CLASS_COUNT,
};

/* All waits of process 1 at one place for one thing. */
struct boot_wait {
	const char *where;		/* an initcall of process 1, or a level, or "until init" */
	enum wait_class class;
	const char *name;		/* NULL: the class has none */
	uint64_t time;
	size_t count;
	uint64_t parts[CLASS_COUNT];	/* this time by what the waker did meanwhile */
};

/* A piece of the critical path. */
struct path_piece {
	uint64_t start, end;
	const char *where;
	enum wait_class class;
	const char *name;		/* what ran, or what was waited for */
	int pid;			/* the task that ran, was ready or waited */
};

/* How the time of an initcall is divided. */
struct initcall_time {
	uint64_t running, ready, waiting;
};

struct boot_waits {
	uint64_t start, end;		/* the time of process 1 that is divided */
	uint64_t running, ready;
	struct boot_wait *list;		/* sorted by time, the longest first */
	size_t count;
	struct path_piece *path;	/* sorted by time, without gaps from start to end */
	size_t path_count;
	struct initcall_time *initcalls;	/* in the order of the boot's initcalls */
};

/**
 * boot_waits__find() - divide the time of process 1 until init, and the time of all initcalls
 * @ret: to be freed by boot_waits__free()
 * @s: a boot whose events include those of the scheduler
 */
void boot_waits__find(struct boot_waits *ret, const struct boot_start *s);
void boot_waits__free(struct boot_waits *w);

/* The word in json: "rcu". */
const char *wait_class__name(enum wait_class class);
/* The words in text: "a grace period of RCU". */
const char *wait_class__words(enum wait_class class);

#endif
