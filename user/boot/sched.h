/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When each task of a boot ran, was ready to run, or waited, and who woke it. The sources are
 * events of the scheduler, of workqueues, timers and interrupts. waits.h uses this to find what
 * process 1 and the initcalls waited for.
 */
#ifndef HYTRACE_BOOT_SCHED_H
#define HYTRACE_BOOT_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/clock.h"
#include "boot/trace_line.h"

struct strings;

/* Who woke a task. */
enum waker {
	WAKER_UNKNOWN,			/* the event is lost */
	WAKER_TASK,			/* name: the command of the task */
	WAKER_TIMER,			/* of the timer wheel; name: function (process_timeout) */
	WAKER_HRTIMER,			/* name: the timer's function (hrtimer_wakeup) */
	WAKER_INTERRUPT,		/* name: the device's interrupt; NULL: not known */
	WAKER_SOFTIRQ,			/* name: the softirq in the kernel (RCU, BLOCK) */
};

enum task_state { TASK_READY, TASK_RUNS, TASK_WAITS };

/* From @time on, the task is in this state. */
struct task_change {
	uint64_t time;
	enum task_state state;
	bool woken;			/* the task is ready because it was woken */
	enum waker waker;		/* if woken: who woke the task */
	int waker_pid;			/* -1: the waker is not a task */
	int cpu;			/* the CPU on which the task runs, or has run last */
	const char *name;		/* of the waker at that time, see enum waker */
	const char *work;		/* the work that the waker executed; NULL: none */
};

/* A function that a worker executed for a workqueue. */
struct task_work {
	uint64_t start, end;		/* end is UINT64_MAX if it was not recorded */
	const char *function;
};

struct sched_task {
	int pid;
	const char *comm;
	struct task_change *list;	/* sorted by time */
	size_t count;
	struct task_work *works;	/* sorted by time */
	size_t work_count;
	struct task_change early;	/* a waking before the task has gone to sleep */
	bool doubtful;			/* the last change is from "early": may be wrong */
};

/* The time in which a task ran on a CPU. The idle task is left out. */
struct cpu_run {
	uint64_t start, end;
	int cpu, pid;
	const char *name;		/* the task's work, or its command */
};

struct block_io {
	uint64_t time, bytes;
};

/* The state of a CPU while events are read. */
struct sched_cpu {
	bool known;
	int pid;			/* the task that it runs since @since; 0: it is idle */
	const char *comm;
	uint64_t since;
	const char *irq, *hrtimer, *timer, *softirq;	/* the handlers that it is in; NULL: none */
	uint64_t last;			/* the time of its last event */
	uint64_t outside;		/* the time of its last event outside hard interrupts */
	bool full;			/* its buffer has no room for later events */
};

struct boot_sched {
	struct sched_task *tasks;	/* sorted by pid */
	size_t task_count;
	struct cpu_run *runs;		/* sorted by end */
	size_t run_count;
	struct block_io *ios;		/* sorted by time */
	size_t io_count;
	struct sched_cpu *cpus;
	size_t cpu_count;
	uint64_t last;			/* the time of the last event */
	size_t switches;
	uint64_t ahead_from;		/* events from this time on measure @ahead */
	struct clock_range ahead;	/* clock "local" - CLOCK_MONOTONIC, by the tick's timer */
	bool lossy;			/* events are lost: tasks before their first event, too */
	struct strings *store;
};

/**
 * boot_sched__take() - add an event
 * @s: the result so far; before the first event, all but @s->store is zero
 * @c: the event
 *
 * Events must come in order of time. Return: 0; -EPROTO if the event's fields cannot be parsed;
 * -ENOENT if it is an event of another kind.
 */
int boot_sched__take(struct boot_sched *s, const struct trace_context *c);
/* Notes that the CPU's buffer was full. Returns the time of the CPU's last event; 0: none. */
uint64_t boot_sched__fill(struct boot_sched *s, size_t cpu);
/* The time until which all events of the CPU were recorded. */
uint64_t boot_sched__known_until(const struct boot_sched *s, size_t cpu);
/* Must be called after the last event. */
void boot_sched__end(struct boot_sched *s);
void boot_sched__free(struct boot_sched *s);

/* Returns NULL if there are no events of the task. */
const struct sched_task *boot_sched__task(const struct boot_sched *s, int pid);
/*
 * The index of the task's state at @time, which is the last change at or before @time; SIZE_MAX if
 * there is none.
 */
size_t sched_task__at(const struct sched_task *t, uint64_t time);
/*
 * The function that the task executed for a workqueue at @start; NULL: none. @ret_until: the time
 * until which this is so, at most @end
 */
const char *sched_task__work(const struct sched_task *t, uint64_t start, uint64_t end,
			     uint64_t *ret_until);

#endif
