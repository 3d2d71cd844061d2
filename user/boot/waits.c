// SPDX-License-Identifier: GPL-2.0-only
/*
 * Divides the time of tasks; see events.h.
 *
 * divide() walks over what a task did from @start to @end. If the task waited, and another task woke it, this walks
 * over what the waker did meanwhile, and so on, for at most MOST_STEPS wakers. The walk never leaves the time of the
 * wait, so no time is counted twice. Some wakers are closed: a wait for a grace period of RCU says more than the
 * timers that RCU's thread used.
 */
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "boot/events.h"

#define MOST_STEPS 16

struct cause {
	enum wait_class class;
	const char *name;
	int pid;
	bool closed;			/* not divided further */
	bool ran;			/* the task ran */
};

struct divider {
	struct boot *b;
	const struct boot_sched *sched;
	const char *where;
	struct boot_wait *wait;		/* the row that parts are added to; NULL: none */
	int waker;			/* the task that ended this wait; -1: not a task */
};

const char *const wait_class_names[] = {
	[CLASS_RUNNING] = "running", [CLASS_READY] = "ready", [CLASS_TASK] = "task", [CLASS_WORK] = "work",
	[CLASS_ASYNC] = "async", [CLASS_PROBE] = "probe", [CLASS_FIRMWARE] = "firmware", [CLASS_RCU] = "rcu",
	[CLASS_TIMER] = "timer", [CLASS_INTERRUPT] = "interrupt", [CLASS_BLOCK] = "block", [CLASS_PAGES] = "pages",
	[CLASS_PROCESSORS] = "processors", [CLASS_UNKNOWN] = "unknown", NULL
};

const char *const wait_class_words[] = {
	[CLASS_RUNNING] = "running", [CLASS_READY] = "a processor", [CLASS_TASK] = "another task",
	[CLASS_WORK] = "work of a workqueue", [CLASS_ASYNC] = "asynchronous work", [CLASS_PROBE] = "deferred probes",
	[CLASS_FIRMWARE] = "firmware", [CLASS_RCU] = "a grace period of RCU", [CLASS_TIMER] = "a timer",
	[CLASS_INTERRUPT] = "an interrupt", [CLASS_BLOCK] = "a block device", [CLASS_PAGES] = "initialisation of memory",
	[CLASS_PROCESSORS] = "other processors", [CLASS_UNKNOWN] = "(not known)",
};

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

static const struct known_name softirq_names[] = {
	{ "RCU", CLASS_RCU }, { "BLOCK", CLASS_BLOCK }, { "TIMER", CLASS_TIMER }, { "HRTIMER", CLASS_TIMER }, { }
};

static enum wait_class known_class(const struct known_name *list, const char *name, enum wait_class other)
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

/* The cause of a wait that ended so. @woken: NULL if this is not known */
static struct cause cause_of(const struct task_change *woken)
{
	struct cause c = { CLASS_UNKNOWN, NULL, -1, true };

	if (!woken)
		return c;
	switch (woken->waker) {
	case WAKER_TASK:
		/* The idle task wakes tasks only on behalf of another CPU, which is not known. */
		if (woken->waker_pid)
			return task_cause(woken->waker_pid, woken->name, woken->work);
		break;
	case WAKER_TIMER:
	case WAKER_HRTIMER:
	case WAKER_INTERRUPT:
		c.class = woken->waker == WAKER_INTERRUPT ? CLASS_INTERRUPT : CLASS_TIMER;
		c.name = woken->name;
		break;
	case WAKER_SOFTIRQ:
		c.class = known_class(softirq_names, woken->name ?: "", CLASS_INTERRUPT);
		c.name = woken->name;
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
	int64_t task = c->pid < 0 ? NOT_KNOWN : c->pid;
	struct span_list *path = &d->b->path;
	struct span *last = path->count ? &path->list[path->count - 1] : NULL;

	if (start == end)
		return;
	if (d->wait)
		d->wait->parts[d->waker == c->pid && c->ran ? CLASS_RUNNING : c->class] += end - start;
	if (last && last->end == (int64_t)start && last->kind == (int)c->class && last->task == task &&
	    text__equals(last->name, c->name) && last->in == d->where) {
		last->end = end;
		return;
	}
	last = LIST_ADD(path->list, path->count);
	*last = (struct span){ SPAN_NONE, .name = c->name, .start = start, .end = end, .in = d->where, .kind = c->class };
	last->task = task;
	last->class = span_class__of_wait(c->class);
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
	struct stretch s = { start, end, state_before(t, sched->b->lost), .cpu = -1 };
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

static void divide(struct divider *d, const struct cause *who, uint64_t start, uint64_t end, int steps);

/* Divides a wait: by its waker, if it is known and not closed. */
static void divide_wait(struct divider *d, const struct stretch *s, int steps)
{
	struct cause c = cause_of(s->woken);

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
static void divide(struct divider *d, const struct cause *who, uint64_t start, uint64_t end, int steps)
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

static bool is_around(const struct span *call, uint64_t time)
{
	return call->task == INIT_PID && call->end != NOT_KNOWN && call->end > (int64_t)time;
}

static const char *where_at(const struct boot *b, uint64_t time)
{
	const struct span *innermost = NULL;
	const char *level = "before the initcalls";

	for (size_t i = 0; i < b->initcalls.count && b->initcalls.list[i].start <= (int64_t)time; i++) {
		if (is_around(&b->initcalls.list[i], time))
			innermost = &b->initcalls.list[i];
	}
	if (innermost)
		return innermost->name ?: "(an initcall)";
	for (size_t i = 0; i < b->levels.count && b->levels.list[i].start <= (int64_t)time; i++)
		level = b->levels.list[i].end > (int64_t)time ? b->levels.list[i].name : "after the initcalls";
	return level;
}

static struct boot_wait *row_of(struct divider *d, const struct cause *c)
{
	struct boot *b = d->b;
	struct boot_wait *wait;

	for (size_t i = 0; i < b->wait_count; i++) {
		wait = &b->waits[i];
		if (wait->class == c->class && text__equals(wait->where, d->where) && text__equals(wait->name, c->name))
			return wait;
	}
	wait = LIST_ADD(b->waits, b->wait_count);
	*wait = (struct boot_wait){ .where = d->where, .class = c->class, .name = c->name };
	return wait;
}

/* Begins to divide a wait of process 1 for this cause. */
static void begin_wait(struct divider *d, uint64_t start, uint64_t end, const struct cause *c)
{
	d->wait = row_of(d, c);
	d->wait->time += end - start;
	d->wait->count++;
	d->waker = c->class == CLASS_READY ? -1 : c->pid;
}

static void divide_init_wait(struct divider *d, const struct stretch *s)
{
	struct cause c = cause_of(s->woken);

	begin_wait(d, s->start, s->end, &c);
	divide_wait(d, s, 0);
	d->wait = NULL;
}

/* @by: what the CPU ran meanwhile; NULL: nothing */
static void add_ready(struct divider *d, uint64_t start, uint64_t end, const char *by)
{
	struct cause c = { CLASS_READY, by, INIT_PID };

	if (start >= end)
		return;
	begin_wait(d, start, end, &c);
	add_piece(d, start, end, &c);
	d->wait = NULL;
}

/* Divides a time in which process 1 was ready by what its CPU ran. */
static void divide_ready(struct divider *d, const struct stretch *s)
{
	const struct span_list *runs = &d->b->runs;
	uint64_t start = s->start;

	for (size_t i = SORTED_FROM(runs->list, runs->count, end, start + 1); i < runs->count && start < s->end; i++) {
		const struct span *run = &runs->list[i];
		uint64_t from = run->start, end = run->end;

		if (run->cpu != s->cpu)
			continue;
		if (from >= s->end)
			break;
		if (from > start) {
			add_ready(d, start, from, NULL);
			start = from;
		}
		if (end > s->end)
			end = s->end;
		add_ready(d, start, end, run->name);
		start = end;
	}
	add_ready(d, start, s->end, NULL);
}

/* When an initcall begins or ends, "where" changes: the next such time before @end. */
static uint64_t next_place(const struct boot *b, uint64_t time, uint64_t end)
{
	for_list(call, &b->initcalls) {
		if (!is_around(call, time))
			continue;
		if (call->start > (int64_t)time && call->start < (int64_t)end)
			end = call->start;
		if (call->end < (int64_t)end)
			end = call->end;
	}
	return end;
}

static void divide_init(struct divider *d)
{
	const struct sched_task *t = boot_sched__task(d->sched, INIT_PID);
	struct boot *b = d->b;
	uint64_t end = b->process.end;

	for (uint64_t time = b->process.start; time < end;) {
		struct stretch stretch = stretch_at(d->sched, t, time, end);
		struct cause own = { CLASS_RUNNING, NULL, INIT_PID };

		d->where = where_at(b, time);
		if (stretch.state == TASK_WAITS) {
			divide_init_wait(d, &stretch);
		} else if (stretch.state == TASK_READY) {
			b->process.ready += stretch.end - time;
			divide_ready(d, &stretch);
		} else {
			stretch.end = next_place(b, time, stretch.end);
			b->process.running += stretch.end - time;
			own.name = d->where;
			add_piece(d, time, stretch.end, &own);
		}
		time = stretch.end;
	}
}

/* ---- initcalls and CPUs */

static void divide_initcall(const struct boot_sched *sched, struct span *call)
{
	const struct sched_task *t = boot_sched__task(sched, call->task);

	if (call->end == NOT_KNOWN)
		return;
	call->running = call->ready = call->waiting = 0;
	for (uint64_t time = call->start, end = call->end; time < end;) {
		struct stretch s = stretch_at(sched, t, time, end);

		*(s.state == TASK_RUNS ? &call->running : s.state == TASK_READY ? &call->ready : &call->waiting) += s.end - time;
		time = s.end;
	}
}

static void find_busy(struct boot *b, struct boot_cpu *cpu)
{
	for_list(run, &b->runs) {
		int64_t start = run->start > b->process.start ? run->start : b->process.start;
		int64_t end = run->end < b->process.end ? run->end : b->process.end;

		if (run->cpu == cpu->cpu && start < end)
			cpu->busy += end - start;
	}
}

static int longest_first(const void *a, const void *b)
{
	const struct boot_wait *x = a, *y = b;

	return ORDER(y->time, x->time) ?: strcmp(x->where, y->where) ?: strcmp(x->name ?: "", y->name ?: "");
}

void boot_waits__find(struct boot *b, const struct boot_sched *sched)
{
	struct divider d = { .b = b, .sched = sched };

	for (size_t i = 0; i < b->initcalls.count; i++)
		divide_initcall(sched, &b->initcalls.list[i]);
	b->process = (struct span){ .name = NULL };
	b->waits = xcalloc(0, sizeof(*b->waits));
	b->path.list = xcalloc(0, sizeof(*b->path.list));
	if (b->levels.count) {
		b->process.start = b->levels.list[0].start;
		b->process.end = b->inits.count ? b->inits.list[0].start : b->levels.list[b->levels.count - 1].end;
	}
	divide_init(&d);
	b->process.waiting = span__time(&b->process) - b->process.running - b->process.ready;
	for (size_t i = 0; i < b->cpu_count; i++)
		find_busy(b, &b->cpus[i]);
	qsort(b->waits, b->wait_count, sizeof(*b->waits), longest_first);
}
