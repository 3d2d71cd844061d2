/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What process 1 and the initcalls waited for. Each instant of a task belongs to one class: it ran,
 * it was ready but another task had the processor, or it waited. A wait is ended by somebody: a
 * timer, an interrupt, or another task, whose own time until then is divided in the same way. So the
 * time of a wait is divided without a rest, and the pieces in order of time are the critical path of
 * process 1.
 */
#ifndef HYTRACE_BOOT_WAITS_H
#define HYTRACE_BOOT_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "boot/start.h"

enum wait_class {
	CLASS_RUNNING,			/* the task itself */
	CLASS_READY,			/* for a processor; name: what that processor ran */
	CLASS_TASK,			/* for another task; name: its command */
	CLASS_WORK,			/* for work of a workqueue; name: its function */
	CLASS_ASYNC,			/* for what async_schedule() has started */
	CLASS_PROBE,			/* for deferred probes */
	CLASS_FIRMWARE,			/* for a firmware file */
	CLASS_RCU,			/* for a grace period */
	CLASS_TIMER,			/* for a time to pass; name: the timer's function */
	CLASS_INTERRUPT,		/* name: of the device; NULL: not known */
	CLASS_BLOCK,			/* for a block device */
	CLASS_PAGES,			/* for the initialisation of memory */
	CLASS_PROCESSORS,		/* for a processor to come up, or to be stopped */
	CLASS_UNKNOWN,
	CLASS_COUNT,
};

/* Waits at one place for one thing. */
struct boot_wait {
	const char *where;		/* an initcall of process 1, or a level, or "until init" */
	enum wait_class class;
	const char *name;		/* NULL: the class has none */
	uint64_t time;
	size_t count;
	uint64_t parts[CLASS_COUNT];	/* what whoever was waited for did in this time */
};

/* A piece of the critical path. */
struct path_piece {
	uint64_t start, end;
	const char *where;
	enum wait_class class;
	const char *name;		/* what ran, or what was waited for */
	int pid;			/* of the task that the piece is about */
};

/* How the time of an initcall is divided, in the order of its list. */
struct initcall_time {
	uint64_t running, ready, waiting;
};

struct boot_waits {
	uint64_t start, end;		/* of process 1's time that is divided */
	uint64_t running, ready;
	struct boot_wait *list;		/* the longest first */
	size_t count;
	struct path_piece *path;	/* in order of time, without gaps from start to end */
	size_t path_count;
	struct initcall_time *initcalls;
};

/**
 * boot_waits__find() - divide the time of process 1 until init, and that of all initcalls
 * @ret: to be freed by boot_waits__free()
 * @s: a boot whose events include those of the scheduler
 */
void boot_waits__find(struct boot_waits *ret, const struct boot_start *s);
void boot_waits__free(struct boot_waits *w);

/* One word, for documents. */
const char *wait_class__name(enum wait_class class);
/* For people: "a grace period of RCU". */
const char *wait_class__words(enum wait_class class);

#endif
