// SPDX-License-Identifier: GPL-2.0-only
/*
 * Collects what tasks did from trace events; see events.h.
 *
 *   [000] d..2. 0.266480: sched_switch: prev_comm=swapper/0 prev_pid=1 prev_prio=120 prev_state=D ==> next_comm=a next_pid=24 next_prio=120
 *   [000] d..3. 0.282204: sched_waking: comm=swapper/0 pid=1 prio=120 target_cpu=000
 *   [000] ..... 0.259103: workqueue_execute_start: work struct 00000000436e1fde: function sync_rcu_do_polled_gp
 *   [000] d.h1. 0.085396: irq_handler_entry: irq=0 name=timer
 *   [000] ..s1. 0.085403: softirq_entry: vec=9 [action=RCU]
 *   [000] dNs.. 0.394468: timer_expire_entry: timer=00000000be4c1cbe function=f now=4294892416 baseclk=4294892416
 *
 * If a task is woken in an interrupt, its waker is the handler that this CPU has entered last. The end of a softirq
 * needs no event, since each event tells whether it is in a softirq.
 *
 * A task may be woken after it has decided to sleep, and before it does so. Then sched_waking comes shortly before
 * sched_switch.
 *
 * Names of user programs may have any characters. So fields after a name are searched from the end.
 */
#include "base/memory.h"
#include "base/sorted.h"
#include "boot/events.h"

/* How early sched_waking may come before the sched_switch in which the task stops. */
#define EARLY_NS 100000
#define SECTOR_BYTES 512
/* A request has 32 bits of bytes. */
#define MOST_SECTORS (UINT32_MAX / SECTOR_BYTES)
/* flush_work() queues this function directly after the work that it waits for. */
#define BARRIER "wq_barrier_func"
#define MOST_CPUS 8192
/* In this time, NTP moves the clocks apart by less than the error of the measurement. */
#define AHEAD_NS 1000000000
/* CLOCK_MONOTONIC is never later than the trace clock by this, but a forged line may claim so. */
#define MOST_BEHIND_NS 10000000000

/* Returns NULL if the number of the CPU is not possible. */
static struct sched_cpu *cpu_of(struct boot_sched *s, int cpu)
{
	if (cpu < 0 || cpu >= MOST_CPUS)
		return NULL;
	while (s->cpu_count <= (size_t)cpu)
		LIST_ADD(s->cpus, s->cpu_count);
	return &s->cpus[cpu];
}

/* The index of the first task whose pid is at least @pid. */
static size_t place_of(const struct boot_sched *s, int pid)
{
	return SORTED_FROM(s->tasks, s->task_count, pid, (uint32_t)pid);
}

const struct sched_task *boot_sched__task(const struct boot_sched *s, int pid)
{
	size_t place = place_of(s, pid);

	return place < s->task_count && s->tasks[place].pid == (uint32_t)pid ? &s->tasks[place] : NULL;
}

static struct sched_task *task_of(struct boot_sched *s, int pid)
{
	size_t place = place_of(s, pid);

	if (place < s->task_count && s->tasks[place].pid == (uint32_t)pid)
		return &s->tasks[place];
	LIST_ADD(s->tasks, s->task_count);
	memmove(&s->tasks[place + 1], &s->tasks[place], (s->task_count - 1 - place) * sizeof(*s->tasks));
	s->tasks[place] = (struct sched_task){ .pid = (uint32_t)pid };
	return &s->tasks[place];
}

/* ---- the scheduler */

/* An event, and how it is taken. */
struct sched_event {
	const char *name;
	int (*take)(struct boot_sched *s, const struct trace_context *c, char *fields, const struct sched_event *e);
	bool new;			/* the task that is woken is new */
	/* A handler that a CPU is in from one event to another: the member of struct sched_cpu with its name. */
	size_t member;
	const char *label, *ends;	/* the name is after the label, up to a character of "ends"; NULL: the handler ends */
};

/* The last occurrence of @word in @text. */
static char *last_of(char *text, const char *word)
{
	char *found = NULL, *at = text;

	while ((at = strstr(at, word)))
		found = at++;
	return found;
}

/* Replaces control and non-ASCII characters: a command may have any bytes. */
static const char *intern_comm(struct boot_sched *s, const char *comm)
{
	char clean[64];
	size_t i;

	for (i = 0; comm[i] && i < sizeof(clean) - 1; i++)
		clean[i] = comm[i] >= ' ' && comm[i] <= '~' ? comm[i] : '?';
	clean[i] = '\0';
	return strings__intern(s->b->store, clean);
}

/* From now on, the task is in this state. */
static void set_state(struct boot_sched *s, const struct trace_context *c, int pid, const char *comm, enum task_state state)
{
	struct task_change woken;
	struct sched_task *t;

	if (!pid)
		return;
	t = task_of(s, pid);
	t->comm = intern_comm(s, comm);
	*LIST_ADD(t->list, t->count) = (struct task_change){ c->time, state, .waker_pid = -1, .cpu = c->cpu };
	if (state == TASK_RUNS)
		return;
	woken = t->early;
	t->early = (struct task_change){};
	t->doubtful = state == TASK_WAITS && woken.woken && woken.time + EARLY_NS >= c->time;
	if (t->doubtful) {
		woken.time = c->time;
		*LIST_ADD(t->list, t->count) = woken;
	}
}

/* The function that a worker executes now: its last work, if this has not ended. */
static const char *open_work(const struct sched_task *t)
{
	const char *work;

	if (!t || !t->work_count || t->works[t->work_count - 1].end != UINT64_MAX)
		return NULL;
	work = t->works[t->work_count - 1].function;
	if (!strcmp(work, BARRIER) && t->work_count > 1)
		work = t->works[t->work_count - 2].function;
	return work;
}

static void add_run(struct boot_sched *s, int cpu, int pid, const char *comm, uint64_t start, uint64_t end)
{
	const struct sched_task *t = boot_sched__task(s, pid);
	struct span *run = LIST_ADD(s->b->runs.list, s->b->runs.count);
	uint64_t until;

	*run = (struct span){ SPAN_NONE, .class = SPAN_RUNNING, .start = start, .end = end, .cpu = cpu };
	run->task = pid;
	run->name = (t ? sched_task__work(t, start, end, &until) : NULL) ?: comm;
}

/*
 * Adds the run that ends with a switch. If no events are lost, the task before a CPU's first switch has run since the
 * CPU's start.
 */
static void note_run(struct boot_sched *s, struct sched_cpu *cpu, uint64_t time, int prev, const char *prev_comm,
		     int next, const char *next_comm)
{
	if (cpu->known && cpu->pid)
		add_run(s, cpu - s->cpus, cpu->pid, cpu->comm, cpu->since, time);
	else if (!cpu->known && prev && !s->b->lost)
		add_run(s, cpu - s->cpus, prev, intern_comm(s, prev_comm), 0, time);
	cpu->since = time;
	cpu->known = true;
	cpu->pid = next;
	cpu->comm = intern_comm(s, next_comm);
}

static int on_switch(struct boot_sched *s, const struct trace_context *c, char *fields, const struct sched_event *e)
{
	char *next = last_of(fields, " ==> next_comm="), *prev_pid, *next_pid, state;
	struct sched_cpu *cpu = cpu_of(s, c->cpu);
	int prev, following;

	if (!next || strncmp(fields, "prev_comm=", strlen("prev_comm=")) || !cpu)
		return -EPROTO;
	*next = '\0';
	next += strlen(" ==> next_comm=");
	prev_pid = last_of(fields, " prev_pid=");
	next_pid = last_of(next, " next_pid=");
	if (!prev_pid || !next_pid ||
	    sscanf(prev_pid, " prev_pid=%d prev_prio=%*d prev_state=%c", &prev, &state) != 2 ||
	    sscanf(next_pid, " next_pid=%d", &following) != 1)
		return -EPROTO;
	*prev_pid = *next_pid = '\0';
	s->switches++;
	note_run(s, cpu, c->time, prev, fields + strlen("prev_comm="), following, next);
	set_state(s, c, prev, fields + strlen("prev_comm="), state == 'R' ? TASK_READY : TASK_WAITS);
	set_state(s, c, following, next, TASK_RUNS);
	return 0;
}

/* The waker of a task: the handler that this CPU is in, or the task that runs on the CPU. */
static struct task_change waker_of(const struct boot_sched *s, const struct sched_cpu *cpu,
				   const struct trace_context *c)
{
	struct task_change change = { c->time, TASK_READY, .woken = true, .waker_pid = -1 };
	const struct sched_task *t;

	switch (c->interrupt) {
	case 'h':
	case 'H':
		change.waker = cpu->hrtimer ? WAKER_HRTIMER : WAKER_INTERRUPT;
		change.name = cpu->hrtimer ?: cpu->irq;
		break;
	case 's':
		change.waker = WAKER_SOFTIRQ;
		change.name = cpu->softirq;
		if (cpu->timer) {
			change.waker = WAKER_TIMER;
			change.name = cpu->timer;
		}
		break;
	case '.':
		t = boot_sched__task(s, c->pid);
		change.waker = WAKER_TASK;
		change.waker_pid = c->pid;
		change.name = t ? t->comm : NULL;
		change.work = open_work(t);
		break;
	default:
		/* In an NMI, which wakes no task itself: taken for an unknown interrupt. */
		change.waker = WAKER_INTERRUPT;
	}
	return change;
}

static int on_waking(struct boot_sched *s, const struct trace_context *c, char *fields, const struct sched_event *e)
{
	char *at = last_of(fields, " pid=");
	struct sched_cpu *cpu = cpu_of(s, c->cpu);
	struct task_change change;
	struct sched_task *t;
	int pid;

	if (!at || sscanf(at, " pid=%d prio=", &pid) != 1 || !cpu)
		return -EPROTO;
	t = task_of(s, pid);
	change = waker_of(s, cpu, c);
	at = strstr(at, " target_cpu=");
	if (!at || sscanf(at, " target_cpu=%d", &change.cpu) != 1)
		change.cpu = c->cpu;
	if (e->new || (t->count && t->list[t->count - 1].state == TASK_WAITS)) {
		*LIST_ADD(t->list, t->count) = change;
		return 0;
	}
	/* A ready task is never woken. So the early waking was not for this sleep. */
	if (t->doubtful && t->list[t->count - 1].state == TASK_READY) {
		t->list[t->count - 1] = change;
		t->doubtful = false;
	}
	/* A task without events may be running. */
	if (!t->count || t->list[t->count - 1].state == TASK_RUNS)
		t->early = change;
	return 0;
}

/* ---- work and handlers */

static int on_work(struct boot_sched *s, const struct trace_context *c, char *fields, const struct sched_event *e)
{
	char *function = last_of(fields, ": function ");
	struct sched_task *t = task_of(s, c->pid);

	if (!function)
		return -EPROTO;
	*LIST_ADD(t->works, t->work_count) = (struct task_work){
		c->time, UINT64_MAX, strings__intern(s->b->store, function + strlen(": function ")),
	};
	return 0;
}

static int on_work_end(struct boot_sched *s, const struct trace_context *c, char *fields, const struct sched_event *e)
{
	struct sched_task *t = task_of(s, c->pid);

	if (t->work_count && t->works[t->work_count - 1].end == UINT64_MAX)
		t->works[t->work_count - 1].end = c->time;
	return 0;
}

/* The word after @label, up to a character of @ends. */
static const char *word_after(struct boot_sched *s, char *fields, const char *label, const char *ends)
{
	char *at = strstr(fields, label);

	if (!at)
		return NULL;
	at += strlen(label);
	at[strcspn(at, ends)] = '\0';
	return strings__intern(s->b->store, at);
}

/*
 * The event of the tick's timer has the time of CLOCK_MONOTONIC. The interrupt has read that clock after the CPU's
 * last event outside hard interrupts, and before this event.
 */
static void note_tick(struct boot_sched *s, const struct sched_cpu *cpu, const struct trace_context *c,
		      const char *fields)
{
	const char *at = strstr(fields, " function=tick_sched_timer ") ?: strstr(fields, " function=tick_nohz_handler ");
	int64_t now;

	if ((c->interrupt != 'h' && c->interrupt != 'H') || !cpu->outside || c->time < s->ahead_from ||
	    c->time > s->ahead_from + AHEAD_NS || !at || sscanf(at, " function=%*s now=%" SCNd64, &now) != 1 || now < 0 ||
	    (uint64_t)now > c->time + MOST_BEHIND_NS)
		return;
	clock_range__add(&s->ahead, (int64_t)cpu->outside - TRACE_ROUNDED_NS - now,
			 (int64_t)c->time + TRACE_ROUNDED_NS - now);
}

#define MEMBER(name) offsetof(struct sched_cpu, name)

/* Some hrtimers expire in a softirq, in which an hrtimer of a hard interrupt may expire. */
static int on_handler(struct boot_sched *s, const struct trace_context *c, char *fields, const struct sched_event *h)
{
	struct sched_cpu *cpu = cpu_of(s, c->cpu);
	size_t member = h->member == MEMBER(hrtimer) && c->interrupt == 's' ? MEMBER(timer) : h->member;
	const char *name = NULL;

	if (!cpu)
		return -EPROTO;
	if (h->label && h->member == MEMBER(hrtimer))
		note_tick(s, cpu, c, fields);
	if (h->label)
		name = word_after(s, fields, h->label, h->ends);
	if (h->member == MEMBER(softirq))
		cpu->timer = NULL;
	memcpy((char *)cpu + member, &name, sizeof(name));
	return h->label && !name ? -EPROTO : 0;
}

/* "8,0 R () 2048 + 8 none,0,0 [0]", or without the priority: sector, and number of sectors */
static int on_block(struct boot_sched *s, const struct trace_context *c, char *fields, const struct sched_event *e)
{
	char *at = strstr(fields, ") ");
	uint64_t sectors;

	if (!at || sscanf(at, ") %*u + %" SCNu64, &sectors) != 1 || sectors > MOST_SECTORS)
		return -EPROTO;
	*LIST_ADD(s->b->ios, s->b->io_count) = (struct boot_io){ c->time, sectors * SECTOR_BYTES };
	return 0;
}

static const struct sched_event events[] = {
	{ "sched_switch", on_switch },
	{ "sched_waking", on_waking },
	{ "sched_wakeup_new", on_waking, .new = true },
	{ "workqueue_execute_start", on_work },
	{ "workqueue_execute_end", on_work_end },
	{ "block_rq_complete", on_block },
	{ "irq_handler_entry", on_handler, false, MEMBER(irq), " name=", "\n" },
	{ "irq_handler_exit", on_handler, false, MEMBER(irq) },
	{ "softirq_entry", on_handler, false, MEMBER(softirq), "[action=", "]" },
	{ "timer_expire_entry", on_handler, false, MEMBER(timer), " function=", " " },
	{ "hrtimer_expire_entry", on_handler, false, MEMBER(hrtimer), " function=", " " },
	{ "hrtimer_expire_exit", on_handler, false, MEMBER(hrtimer) },
};

uint64_t boot_sched__fill(struct boot_sched *s, size_t cpu)
{
	if (cpu >= s->cpu_count)
		return 0;
	s->cpus[cpu].full = true;
	return s->cpus[cpu].last;
}

int boot_sched__take(struct boot_sched *s, const struct trace_context *c)
{
	struct sched_cpu *cpu = cpu_of(s, c->cpu);

	s->last = c->time;
	if (cpu)
		cpu->last = c->time;
	if (cpu && (c->interrupt == '.' || c->interrupt == 's'))
		cpu->outside = c->time;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		char *fields = trace_context__fields(c, events[i].name);

		if (fields)
			return events[i].take(s, c, fields, &events[i]);
	}
	return -ENOENT;
}

void boot_sched__end(struct boot_sched *s)
{
	struct boot *b = s->b;

	for (size_t i = 0; i < s->cpu_count; i++) {
		const struct sched_cpu *cpu = &s->cpus[i];
		uint64_t until = cpu->full ? cpu->last : s->last;

		if (cpu->pid)
			add_run(s, i, cpu->pid, cpu->comm, cpu->since, until);
		if (cpu->known)
			*LIST_ADD(b->cpus, b->cpu_count) = (struct boot_cpu){ .cpu = i, .until = until };
	}
}

void boot_sched__free(struct boot_sched *s)
{
	for (size_t i = 0; i < s->task_count; i++) {
		free(s->tasks[i].list);
		free(s->tasks[i].works);
	}
	free(s->tasks);
	free(s->cpus);
	*s = (struct boot_sched){};
}

/* ---- questions */

size_t sched_task__at(const struct sched_task *t, uint64_t time)
{
	size_t after = SORTED_FROM(t->list, t->count, time, time + 1);

	return after ? after - 1 : SIZE_MAX;
}

const char *sched_task__work(const struct sched_task *t, uint64_t start, uint64_t end, uint64_t *ret_until)
{
	size_t after = SORTED_FROM(t->works, t->work_count, start, start + 1);
	const struct task_work *work = after ? &t->works[after - 1] : NULL;

	*ret_until = end;
	if (work && work->end > start) {
		if (work->end < end)
			*ret_until = work->end;
		if (!strcmp(work->function, BARRIER) && after > 1)
			work--;
		return work->function;
	}
	if (after < t->work_count && t->works[after].start < end)
		*ret_until = t->works[after].start;
	return NULL;
}
