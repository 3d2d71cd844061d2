// SPDX-License-Identifier: GPL-2.0-only
/*
 * Divides the time of tasks; see waits.h.
 *
 * divide() walks over what a task did from @start to @end. If the task waited, and another task
 * woke it, this walks over what the waker did meanwhile, and so on, for at most MOST_STEPS wakers.
 * The walk never leaves the time of the wait, so no time is counted twice. Some wakers are closed:
 * a wait for a grace period of RCU says more than the timers that RCU's thread used.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "boot/sched.h"
#include "boot/waits.h"

#define INIT_PID 1
#define MOST_STEPS 16

struct cause {
	enum wait_class class;
	const char *name;
	int pid;
	bool closed;			/* not divided further */
	bool ran;			/* the task ran */
};

struct divider {
	struct boot_waits *w;		/* NULL: do not add pieces to a path */
	const struct boot_sched *sched;
	const char *where;
	struct boot_wait *wait;		/* the row that parts are added to; NULL: none */
	int waker;			/* the task that ended this wait; -1: not a task */
};

static const struct {
	const char *name, *words;
} classes[CLASS_COUNT] = {
	[CLASS_RUNNING] = { "running", "running" },
	[CLASS_READY] = { "ready", "a processor" },
	[CLASS_TASK] = { "task", "another task" },
	[CLASS_WORK] = { "work", "work of a workqueue" },
	[CLASS_ASYNC] = { "async", "asynchronous work" },
	[CLASS_PROBE] = { "probe", "deferred probes" },
	[CLASS_FIRMWARE] = { "firmware", "firmware" },
	[CLASS_RCU] = { "rcu", "a grace period of RCU" },
	[CLASS_TIMER] = { "timer", "a timer" },
	[CLASS_INTERRUPT] = { "interrupt", "an interrupt" },
	[CLASS_BLOCK] = { "block", "a block device" },
	[CLASS_PAGES] = { "pages", "initialisation of memory" },
	[CLASS_PROCESSORS] = { "processors", "other processors" },
	[CLASS_UNKNOWN] = { "unknown", "(not known)" },
};

const char *wait_class__name(enum wait_class class)
{
	return classes[class].name;
}

const char *wait_class__words(enum wait_class class)
{
	return classes[class].words;
}

/* The class of names that begin with the prefix. */
struct known_name {
	const char *prefix;
	enum wait_class class;
};

static const struct known_name work_names[] = {
	{ "async_run_entry_fn", CLASS_ASYNC },
	{ "deferred_probe_work_func", CLASS_PROBE },
	{ "request_firmware_work_func", CLASS_FIRMWARE },
	{ "rcu_", CLASS_RCU },
	{ "sync_rcu_", CLASS_RCU },
	{ "wait_rcu_", CLASS_RCU },
	{ "process_srcu", CLASS_RCU },
	{ }
};

static const struct known_name task_names[] = {
	{ "rcu_", CLASS_RCU },
	{ "rcuo", CLASS_RCU },
	{ "rcuc/", CLASS_RCU },
	{ "pgdatinit", CLASS_PAGES },
	{ "migration/", CLASS_PROCESSORS },
	{ "cpuhp/", CLASS_PROCESSORS },
	{ }
};

static enum wait_class known_class(const struct known_name *list, const char *name,
				   enum wait_class other)
{
	for (; list->prefix; list++) {
		if (!strncmp(name, list->prefix, strlen(list->prefix)))
			return list->class;
	}
	return other;
}

static bool is_closed(enum wait_class class)
{
	return class == CLASS_RCU || class == CLASS_PAGES || class == CLASS_PROCESSORS;
}

/* The cause of a wait for a task. @work: the work that the task executes; NULL: none. */
static struct cause task_cause(int pid, const char *comm, const char *work)
{
	struct cause c = { .pid = pid, .name = work ?: comm };

	c.class = work ? known_class(work_names, work, CLASS_WORK) :
			 known_class(task_names, comm ?: "", CLASS_TASK);
	c.closed = is_closed(c.class);
	return c;
}

static struct cause cause_of(const struct task_change *woken)
{
	struct cause c = { CLASS_UNKNOWN, NULL, -1, true };

	switch (woken->waker) {
	case WAKER_TASK:
		/* The idle task wakes tasks only on behalf of another CPU, which is not known. */
		if (woken->waker_pid)
			return task_cause(woken->waker_pid, woken->name, woken->work);
		break;
	case WAKER_TIMER:
	case WAKER_HRTIMER:
		c.class = CLASS_TIMER;
		c.name = woken->name;
		break;
	case WAKER_INTERRUPT:
		c.class = CLASS_INTERRUPT;
		c.name = woken->name;
		break;
	case WAKER_SOFTIRQ:
		c.class = CLASS_INTERRUPT;
		c.name = woken->name;
		if (!woken->name)
			break;
		if (!strcmp(woken->name, "RCU"))
			c.class = CLASS_RCU;
		else if (!strcmp(woken->name, "BLOCK"))
			c.class = CLASS_BLOCK;
		else if (!strcmp(woken->name, "TIMER") || !strcmp(woken->name, "HRTIMER"))
			c.class = CLASS_TIMER;
		break;
	case WAKER_UNKNOWN:
		break;
	}
	return c;
}

/* ---- walking */

/* Adds a piece, or extends the last piece if it goes on. */
static void add_piece(struct divider *d, uint64_t start, uint64_t end, const struct cause *c)
{
	struct boot_waits *w = d->w;
	struct path_piece *last;

	if (start == end)
		return;
	if (d->wait)
		d->wait->parts[d->waker == c->pid && c->ran ? CLASS_RUNNING : c->class] += end - start;
	if (!w)
		return;
	last = w->path_count ? &w->path[w->path_count - 1] : NULL;
	if (last && last->end == start && last->class == c->class && last->pid == c->pid &&
	    text__equals(last->name, c->name) && last->where == d->where) {
		last->end = end;
		return;
	}
	*LIST_ADD(w->path, w->path_count) = (struct path_piece){ start, end, d->where, c->class, c->name, c->pid };
}

/* A time in which the state of a task does not change. */
struct stretch {
	uint64_t start, end;
	enum task_state state;
	int cpu;				/* -1: not known */
	const struct task_change *woken;	/* the end of the wait; NULL: not known */
};

/* The state before the first event: a task that stops had run. If events are lost: a wait. */
static enum task_state state_before(const struct sched_task *t, bool lossy)
{
	if (lossy)
		return TASK_WAITS;
	if (!t || !t->count)
		return TASK_RUNS;
	return t->list[0].woken || t->list[0].state == TASK_RUNS ? TASK_WAITS : TASK_RUNS;
}

static struct stretch stretch_at(const struct boot_sched *sched, const struct sched_task *t,
				 uint64_t start, uint64_t end)
{
	struct stretch s = { start, end, state_before(t, sched->lossy), .cpu = -1 };
	size_t at = t ? sched_task__at(t, start) : SIZE_MAX, next = at == SIZE_MAX ? 0 : at + 1;

	if (!t)
		return s;
	if (at != SIZE_MAX) {
		s.state = t->list[at].state;
		s.cpu = t->list[at].cpu;
		/* At a waking, the CPU is not chosen yet: takes the CPU of the next run. */
		if (t->list[at].woken && next < t->count && t->list[next].state == TASK_RUNS)
			s.cpu = t->list[next].cpu;
	}
	if (next < t->count) {
		if (t->list[next].time < end)
			s.end = t->list[next].time;
		if (t->list[next].woken)
			s.woken = &t->list[next];
	}
	return s;
}

static void divide(struct divider *d, const struct cause *who, uint64_t start, uint64_t end,
		   int steps);

/* Divides a wait: by its waker, if it is known and not closed. */
static void divide_wait(struct divider *d, const struct stretch *s, int steps)
{
	struct cause c = { CLASS_UNKNOWN, NULL, -1, true };

	if (s->woken)
		c = cause_of(s->woken);
	if (c.closed || steps >= MOST_STEPS)
		add_piece(d, s->start, s->end, &c);
	else
		divide(d, &c, s->start, s->end, steps + 1);
}

/* Cuts the run of a task where its works begin and end. */
static void divide_run(struct divider *d, const struct cause *who, const struct sched_task *t,
		       const struct stretch *s)
{
	uint64_t start = s->start, until;

	while (start < s->end) {
		const char *work = t ? sched_task__work(t, start, s->end, &until) : NULL;
		struct cause c = *who;

		if (work)
			c = task_cause(who->pid, NULL, work);
		else if (t && t->work_count)
			c = task_cause(who->pid, t->comm, NULL);
		if (!t)
			until = s->end;
		c.ran = true;
		add_piece(d, start, until, &c);
		start = until;
	}
}

/* Divides the time of the task of @who. */
static void divide(struct divider *d, const struct cause *who, uint64_t start, uint64_t end,
		   int steps)
{
	const struct sched_task *t = boot_sched__task(d->sched, who->pid);
	struct cause ready = { CLASS_READY, who->name, who->pid };

	while (start < end) {
		struct stretch s = stretch_at(d->sched, t, start, end);

		if (s.state == TASK_WAITS)
			divide_wait(d, &s, steps);
		else if (s.state == TASK_READY)
			add_piece(d, s.start, s.end, &ready);
		else
			divide_run(d, who, t, &s);
		start = s.end;
	}
}

/* ---- process 1 */

static const char *where_at(const struct boot_start *s, uint64_t time)
{
	const struct start_initcall *innermost = NULL;
	const char *level = "before the initcalls";

	for (size_t i = 0; i < s->initcall_count && s->initcalls[i].start <= time; i++) {
		const struct start_initcall *call = &s->initcalls[i];

		if (call->pid == INIT_PID && call->finished && call->start + call->time > time)
			innermost = call;
	}
	if (innermost)
		return innermost->name ?: "(an initcall)";
	for (size_t i = 0; i < s->level_count && s->levels[i].start <= time; i++) {
		level = s->levels[i].start + s->levels[i].time > time ? s->levels[i].name :
									"after the initcalls";
	}
	return level;
}

static struct boot_wait *row_of(struct divider *d, const struct cause *c)
{
	struct boot_waits *w = d->w;
	struct boot_wait *wait;

	for (size_t i = 0; i < w->count; i++) {
		wait = &w->list[i];
		if (wait->class == c->class && text__equals(wait->where, d->where) && text__equals(wait->name, c->name))
			return wait;
	}
	wait = LIST_ADD(w->list, w->count);
	*wait = (struct boot_wait){ .where = d->where, .class = c->class, .name = c->name };
	return wait;
}

static void divide_init_wait(struct divider *d, const struct stretch *s)
{
	struct cause c = { CLASS_UNKNOWN, NULL, -1, true };

	if (s->woken)
		c = cause_of(s->woken);
	d->wait = row_of(d, &c);
	d->wait->time += s->end - s->start;
	d->wait->count++;
	d->waker = c.pid;
	divide_wait(d, s, 0);
	d->wait = NULL;
}

static void add_ready(struct divider *d, uint64_t start, uint64_t end, struct cause *c)
{
	if (start >= end)
		return;
	d->wait = row_of(d, c);
	d->wait->time += end - start;
	d->wait->count++;
	d->waker = -1;
	add_piece(d, start, end, c);
	d->wait = NULL;
}

/* Divides a time in which process 1 was ready by what its CPU ran. */
static void divide_ready(struct divider *d, const struct stretch *s)
{
	struct cause c = { CLASS_READY, NULL, INIT_PID };
	const struct boot_sched *sched = d->sched;
	uint64_t start = s->start;

	for (size_t i = SORTED_FROM(sched->runs, sched->run_count, end, start + 1);
	     i < sched->run_count && start < s->end; i++) {
		const struct cpu_run *run = &sched->runs[i];
		uint64_t end = run->end < s->end ? run->end : s->end;

		if (run->cpu != s->cpu)
			continue;
		if (run->start >= s->end)
			break;
		if (run->start > start) {
			c.name = NULL;
			add_ready(d, start, run->start, &c);
			start = run->start;
		}
		c.name = run->name;
		add_ready(d, start, end, &c);
		start = end;
	}
	c.name = NULL;
	add_ready(d, start, s->end, &c);
}

static void divide_init(struct divider *d, const struct boot_start *s)
{
	const struct sched_task *t = boot_sched__task(d->sched, INIT_PID);
	struct boot_waits *w = d->w;
	struct cause own = { CLASS_RUNNING, NULL, INIT_PID };

	for (uint64_t time = w->start; time < w->end;) {
		struct stretch stretch = stretch_at(d->sched, t, time, w->end);

		d->where = where_at(s, time);
		if (stretch.state == TASK_WAITS) {
			divide_init_wait(d, &stretch);
		} else if (stretch.state == TASK_READY) {
			w->ready += stretch.end - time;
			divide_ready(d, &stretch);
		} else {
			/* Ends the stretch where an initcall begins or ends, as "where" changes. */
			for (size_t i = 0; i < s->initcall_count; i++) {
				const struct start_initcall *call = &s->initcalls[i];
				uint64_t end = call->start + call->time;

				if (call->pid != INIT_PID || !call->finished)
					continue;
				if (call->start > time && call->start < stretch.end)
					stretch.end = call->start;
				if (end > time && end < stretch.end)
					stretch.end = end;
			}
			w->running += stretch.end - time;
			own.name = d->where;
			add_piece(d, time, stretch.end, &own);
		}
		time = stretch.end;
	}
}

/* ---- initcalls */

static struct initcall_time time_of(const struct boot_sched *sched,
				    const struct start_initcall *call)
{
	const struct sched_task *t = boot_sched__task(sched, call->pid);
	uint64_t time = call->start, end = call->start + call->time;
	struct initcall_time ret = {};

	while (call->finished && time < end) {
		struct stretch s = stretch_at(sched, t, time, end);
		uint64_t *sum = s.state == TASK_RUNS ? &ret.running :
				s.state == TASK_READY ? &ret.ready : &ret.waiting;

		*sum += s.end - time;
		time = s.end;
	}
	return ret;
}

static int longest_first(const void *a, const void *b)
{
	const struct boot_wait *x = a, *y = b;

	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	return strcmp(x->where, y->where) ?: strcmp(x->name ?: "", y->name ?: "");
}

void boot_waits__find(struct boot_waits *ret, const struct boot_start *s)
{
	struct divider d = { .w = ret, .sched = s->sched };

	memset(ret, 0, sizeof(*ret));
	ret->initcalls = xcalloc(s->initcall_count, sizeof(*ret->initcalls));
	for (size_t i = 0; i < s->initcall_count; i++)
		ret->initcalls[i] = time_of(s->sched, &s->initcalls[i]);
	if (!s->level_count)
		return;
	ret->start = s->levels[0].start;
	ret->end = s->init_count ? s->inits[0].time :
		   s->levels[s->level_count - 1].start + s->levels[s->level_count - 1].time;
	divide_init(&d, s);
	if (ret->count)
		qsort(ret->list, ret->count, sizeof(*ret->list), longest_first);
}

void boot_waits__free(struct boot_waits *w)
{
	free(w->list);
	free(w->path);
	free(w->initcalls);
}
