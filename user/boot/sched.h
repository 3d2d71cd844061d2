/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each task did in a boot: ran, was ready to run, or waited, and who ended the wait; from events
 * of the scheduler, of workqueues, of timers and of interrupts. waits.h tells from this what process
 * 1 and the initcalls waited for.
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
	WAKER_TASK,			/* name is its command */
	WAKER_TIMER,			/* of the timer wheel: name is its function, such as process_timeout */
	WAKER_HRTIMER,			/* name is its function, such as hrtimer_wakeup */
	WAKER_INTERRUPT,		/* name is that of the device's interrupt; NULL: not known */
	WAKER_SOFTIRQ,			/* name is what the kernel calls it, such as RCU or BLOCK */
};

enum task_state { TASK_READY, TASK_RUNS, TASK_WAITS };

/* From @time on, the task is in this state. */
struct task_change {
	uint64_t time;
	enum task_state state;
	bool woken;			/* READY: after it waited */
	enum waker waker;		/* of one that is woken */
	int waker_pid;			/* -1: no task */
	int cpu;			/* on which it runs, or has run last */
	const char *name;		/* of the waker at that time: a command, or as above */
	const char *work;		/* what a worker did at that time; NULL: nothing */
};

/* A function that a worker executed for a workqueue. */
struct task_work {
	uint64_t start, end;		/* end is UINT64_MAX if it was not seen */
	const char *function;
};

struct sched_task {
	int pid;
	const char *comm;
	struct task_change *list;	/* in order of time */
	size_t count;
	struct task_work *works;	/* in order of time */
	size_t work_count;
	struct task_change early;	/* it was woken before it had gone to sleep */
	bool doubtful;			/* its last change comes from that: perhaps it was woken later */
};

/* A task ran on a processor. The idle task is left out. */
struct cpu_run {
	uint64_t start, end;
	int cpu, pid;
	const char *name;		/* its work, or its command */
};

struct block_io {
	uint64_t time, bytes;
};

/* What a processor is doing while events are read. */
struct sched_cpu {
	bool known;
	int pid;			/* of the task that it runs since @since; 0: it is idle */
	const char *comm;
	uint64_t since;
	const char *irq, *hrtimer, *timer, *softirq;
	uint64_t last;			/* the time of its last event */
	uint64_t outside;		/* that of its last event that is not in an interrupt */
	bool full;			/* its buffer has no room for later ones */
};

struct boot_sched {
	struct sched_task *tasks;	/* in order of pid */
	size_t task_count;
	struct cpu_run *runs;		/* in order of their ends */
	size_t run_count;
	struct block_io *ios;		/* in order of time */
	size_t io_count;
	struct sched_cpu *cpus;
	size_t cpu_count;
	uint64_t last;			/* the time of the last event */
	size_t switches;
	uint64_t ahead_from;		/* after this time, @ahead is found */
	struct clock_range ahead;	/* what has to be added to CLOCK_MONOTONIC, by the timer of the tick */
	bool lossy;			/* events are lost, so the time before a task's first event is not known */
	struct strings *store;
};

/**
 * boot_sched__take() - take an event into account
 * @s: what is known; zeroed before the first event but for @s->store
 * @c: the event's context; its fields are those after the event's name
 *
 * Events are taken in order of time. Return: 0; -EPROTO if the fields are not those of such an event;
 * -ENOENT if this is another kind of event.
 */
int boot_sched__take(struct boot_sched *s, const struct trace_context *c);
/* The processor's buffer was full after its last event, whose time is returned; 0: it has none. */
uint64_t boot_sched__fill(struct boot_sched *s, size_t cpu);
/* Until when is it known what the processor did? */
uint64_t boot_sched__known_until(const struct boot_sched *s, size_t cpu);
/* After the last event. */
void boot_sched__end(struct boot_sched *s);
void boot_sched__free(struct boot_sched *s);

/* Returns NULL if nothing is known of that task. */
const struct sched_task *boot_sched__task(const struct boot_sched *s, int pid);
/*
 * The index of the change that holds at @time, that is the last one at or before it; SIZE_MAX if
 * there is none.
 */
size_t sched_task__at(const struct sched_task *t, uint64_t time);
/*
 * What the task executed for a workqueue at @start, and until when before @end it did so; NULL:
 * nothing, until the time in @ret_until.
 */
const char *sched_task__work(const struct sched_task *t, uint64_t start, uint64_t end,
			     uint64_t *ret_until);

#endif
