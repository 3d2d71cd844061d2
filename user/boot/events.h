/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a boot from the initcalls on, on any kernel: which initcalls, probes of devices and programs ran, when,
 * for how long, and what the processors ran meanwhile. The source is trace events and kernel probes, which the
 * kernel's command line enables (next.h).
 *
 * Times are ns of the clock "local", with a resolution of a microsecond. Its zero is that of the kernel's own clock
 * (0 in dmesg).
 */
#ifndef HYTRACE_BOOT_EVENTS_H
#define HYTRACE_BOOT_EVENTS_H

#include "boot/account.h"

/* ---- lines of tracefs's file `trace` */

struct trace_context {
	int pid;			/* -1: the line does not tell */
	int cpu;			/* -1: the line does not tell */
	char interrupt;			/* as in the line: 'h': hard interrupt, 's': softirq, ... */
	uint64_t time;			/* ns, to the microsecond; without a fraction a count */
	bool fraction;
	char *event;			/* the line from the event's name on, without the newline */
};

/* Returns -EPROTO, without a message, if @line is not an event; then it is unchanged. */
int trace_context__parse(char *line, struct trace_context *ret);
/* Is the line a comment, "CPU:0 [LOST 12 EVENTS]", or part of a stack trace? */
static inline bool trace_line__is_no_event(const char *line)
{
	return *line == '#' || *line == '\n' || !strncmp(line, "CPU:", 4) || !strncmp(line, " => ", 4);
}

/* The text after "NAME: " if the event has this name; NULL: it has another name. */
static inline char *trace_context__fields(const struct trace_context *c, const char *name)
{
	size_t length = strlen(name);

	return strncmp(c->event, name, length) || strncmp(c->event + length, ": ", 2) ? NULL : c->event + length + 2;
}

/*
 * ---- when each task of a boot ran, was ready to run, or waited, and who woke it (sched.c): by events of the
 * scheduler, of workqueues, timers and interrupts
 */

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
	uint64_t pid;
	const char *comm;
	struct task_change *list;	/* sorted by time */
	size_t count;
	struct task_work *works;	/* sorted by time */
	size_t work_count;
	struct task_change early;	/* a waking before the task has gone to sleep */
	bool doubtful;			/* the last change is from "early": may be wrong */
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
	struct sched_cpu *cpus;
	size_t cpu_count;
	uint64_t last;			/* the time of the last event */
	size_t switches;
	uint64_t ahead_from;		/* events from this time on measure @ahead */
	struct clock_range ahead;	/* clock "local" - CLOCK_MONOTONIC, by the tick's timer */
	struct boot *b;			/* gets the runs, the requests to disks, and the CPUs */
};

/*
 * Adds an event; they must come in order of time. Before the first one, all but @s->b is zero. Returns -EPROTO if its
 * fields cannot be parsed; -ENOENT if it is of another kind.
 */
int boot_sched__take(struct boot_sched *s, const struct trace_context *c);
/* Notes that the CPU's buffer was full. Returns the time of the CPU's last event; 0: none. */
uint64_t boot_sched__fill(struct boot_sched *s, size_t cpu);
/* Must be called after the last event. */
void boot_sched__end(struct boot_sched *s);
void boot_sched__free(struct boot_sched *s);

/* Returns NULL if there are no events of the task. */
const struct sched_task *boot_sched__task(const struct boot_sched *s, int pid);
/* The index of the task's state at @time, which is the last change at or before @time; SIZE_MAX if there is none. */
size_t sched_task__at(const struct sched_task *t, uint64_t time);
/* The function that the task executed for a workqueue at @start, and until *@ret_until, at most @end; NULL: none. */
const char *sched_task__work(const struct sched_task *t, uint64_t start, uint64_t end, uint64_t *ret_until);

/*
 * ---- what process 1 and the initcalls waited for (waits.c). At any time, a task runs, or is ready while another
 * task has the CPU, or waits. A waker ends the wait: a timer, an interrupt, or another task. What that task did
 * during the wait is divided in the same way. So each wait is divided completely, and the pieces, sorted by time, are
 * the critical path of process 1.
 */

/* Divides the time of process 1 until init, and of all initcalls, by the scheduler's events. Finds how busy CPUs were. */
void boot_waits__find(struct boot *b, const struct boot_sched *sched);

/* ---- all events (events.c) */

#define INIT_PID 1

/* The kinds of events to take: the top-level buffer may have trace events of other users, too. */
enum events_wanted { EVENTS_ALL, EVENTS_OF_PROBES };

/* The state while a boot's events are read. */
struct events {
	struct boot *b;
	struct boot_sched sched;
};

/* @b: after boot__init(), with "lost" only; gets the events. */
void events__begin(struct events *e, struct boot *b);
/**
 * events__read() - read a file with events of a boot
 * @which: the kinds of events to take; EVENTS_OF_PROBES for the second of two files
 * @f: the file `trace` of a tracefs instance, whose name in messages is @name
 * @until: later events are ignored, so that reading ends although it causes events
 *
 * Return: 0, or a negative error after a message; -EPROTO if there are lines, but none can be parsed.
 */
int events__read(struct events *e, enum events_wanted which, FILE *f, uint64_t until, const char *name);
/* Notes that the buffer of this CPU was full: later events of the CPU are missing. */
void events__note_full(struct events *e, size_t cpu);
/* Call it after events__note_full(): @events are lost if a buffer was full before init. */
void events__note_no_room(struct events *e, uint64_t events);
/* To be called after the last file: finds own times, the ends of levels, waits and the path. Frees @e. */
void events__end(struct events *e);

#endif
