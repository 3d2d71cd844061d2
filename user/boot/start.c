// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the trace events of initcalls; see start.h.
 *
 *   swapper/0-1     [000] .....     0.564985: initcall_level: level=early
 *   swapper/0-1     [000] .....     0.565763: initcall_start: func=init_hw_perf_events+0x0/0x700
 *   swapper/0-1     [000] .....     0.566457: initcall_finish: func=init_hw_perf_events+0x0/0x700 ret=0
 *   modprobe-203    [000] .....     6.790565: module_load: dummy
 *   modprobe-203    [000] .....     6.790593: initcall_start: func=0xffffffffc0597010
 *   init-1          [000] .....     3.969510: sched_process_exec: filename=/init pid=1 old_pid=1
 *
 * One task makes the kernel's own initcalls, one after the other, and then becomes process 1. Tasks
 * that load modules make the modules' initcalls. A module's function is freed after its initcall:
 * then another module may have a function at this address. Each CPU has a buffer of its own, so any
 * event may be missing. A missing event must not change the result of other events.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "boot/probes.h"
#include "boot/sched.h"
#include "boot/start.h"
#include "boot/trace_line.h"
#include "boot/waits.h"

#define INIT_PID 1
/* Reading ends after so many consecutive lines that are later than wanted. */
#define MOST_BEYOND 1000

/* A module that a task is loading. */
struct loading {
	int pid;
	const char *module;
};

/*
 * Until the kernel has measured the time stamp counter, its clock counts ticks. Then the clock
 * jumps, maybe back. No program runs at that time, so nobody can forge such a line.
 */
struct clock_steps {
	uint64_t last;			/* the time in the last line */
	uint64_t back;			/* how far the clock has gone back up to the last line */
	bool over;			/* a program has been executed */
};

struct reader {
	struct boot_start *s;
	enum start_events which;
	struct clock_steps steps;
	uint64_t ahead;			/* how far the clock goes back in the whole file */
	struct loading *loading;
	size_t loading_count;
	uint64_t last;			/* the time of the last event */
	size_t beyond;			/* the last lines, which are all later than wanted */
	const char *first_beyond;	/* the first of these lines */
	size_t refused;			/* lines that are no events, or are out of order */
};

/* ---- the events */

static int on_level(struct reader *r, const struct trace_context *c, const char *fields)
{
	struct boot_start *s = r->s;
	char name[32];

	if (sscanf(fields, "level=%31s", name) != 1)
		return -EPROTO;
	/* The level of consoles comes before the task of the initcalls exists. */
	if (c->pid != INIT_PID)
		return 0;
	if (s->level_count)
		s->levels[s->level_count - 1].time = c->time - s->levels[s->level_count - 1].start;
	*LIST_ADD(s->levels, s->level_count) = (struct start_level){
		.name = strings__intern(s->store, name), .start = c->time,
	};
	return 0;
}

/* Takes the module that this task loads from the list. A module has only one initcall. */
static const char *take_module(struct reader *r, int pid)
{
	for (size_t i = r->loading_count; i-- > 0;) {
		if (r->loading[i].pid == pid) {
			r->loading[i].pid = -1;
			return r->loading[i].module;
		}
	}
	return NULL;
}

static int on_module(struct reader *r, const struct trace_context *c, const char *fields)
{
	char name[64];

	if (sscanf(fields, "%63s", name) != 1 || strchr(name, '='))
		return -EPROTO;
	*LIST_ADD(r->loading, r->loading_count) = (struct loading){ c->pid, strings__intern(r->s->store, name) };
	return 0;
}

/* The place in "func=PLACE ret=0", such as "f+0x0/0x10 [module]"; NULL: there is none. */
static const char *place_in(struct reader *r, const char *fields)
{
	char place[384];

	if (sscanf(fields, "func=%383[^\n]", place) != 1)
		return NULL;
	if (strstr(place, " ret="))
		*strstr(place, " ret=") = '\0';
	return strings__intern(r->s->store, place);
}

/*
 * Finds the name of the function at the call's place. For a module, the place must still be the
 * beginning of a function of this module. A place without a module is the kernel's own.
 */
static void set_name(struct reader *r, struct start_initcall *call)
{
	char name[256], rest[128], wanted[128];
	int end = 0;

	if (sscanf(call->place, "%255[^+ ]+0x0/%*x%n", name, &end) != 1 || !end) {
		call->name = call->own ? call->place : NULL;
		return;
	}
	call->own |= !call->place[end];
	if (!call->own) {
		snprintf(wanted, sizeof(wanted), "[%s]", call->module ?: "");
		if (sscanf(call->place + end, " %127s", rest) != 1 || strcmp(rest, wanted))
			return;
	}
	call->name = strings__intern(r->s->store, name);
}

static int on_start(struct reader *r, const struct trace_context *c, const char *fields)
{
	struct boot_start *s = r->s;
	struct start_initcall call = { .level = NO_LEVEL, .pid = c->pid, .start = c->time };

	call.place = place_in(r, fields);
	if (!call.place)
		return -EPROTO;
	if (c->pid == INIT_PID && s->level_count && !s->init_count)
		call.level = s->level_count - 1;
	else
		call.module = take_module(r, c->pid);
	/* Initcalls of consoles run in the idle task, before there are other tasks. */
	call.own = call.level != NO_LEVEL || !c->pid;
	set_name(r, &call);
	if (call.level != NO_LEVEL)
		s->levels[call.level].initcalls++;
	*LIST_ADD(s->initcalls, s->initcall_count) = call;
	return 0;
}

static int on_finish(struct reader *r, const struct trace_context *c, const char *fields)
{
	const char *place = place_in(r, fields), *result = strstr(fields, " ret=");
	struct boot_start *s = r->s;
	int value, end = 0;

	if (!place || !result || sscanf(result, " ret=%d%n", &value, &end) != 1 || result[end])
		return -EPROTO;
	for (size_t i = s->initcall_count; i-- > 0;) {
		struct start_initcall *call = &s->initcalls[i];

		if (call->pid != c->pid || call->finished || call->place != place)
			continue;
		call->result = value;
		call->time = c->time - call->start;
		call->finished = true;
		break;
	}
	/* If no initcall was found, the event of its beginning is lost. */
	return 0;
}

static int on_exec(struct reader *r, const struct trace_context *c, const char *fields)
{
	struct boot_start *s = r->s;
	char name[256];

	/* Without a level, the first events are lost, and this may be a later program. */
	if (c->pid != INIT_PID || !s->level_count)
		return 0;
	if (sscanf(fields, "filename=%255s", name) != 1)
		return -EPROTO;
	*LIST_ADD(s->inits, s->init_count) = (struct start_init){
		strings__add(s->store, name), c->time, clock_anything,
	};
	s->sched->ahead = clock_anything;
	s->sched->ahead_from = c->time;
	return 0;
}

static const struct {
	const char *name;
	int (*take)(struct reader *r, const struct trace_context *c, const char *fields);
} events[] = {
	{ "initcall_level", on_level },
	{ "initcall_start", on_start },
	{ "initcall_finish", on_finish },
	{ "module_load", on_module },
	{ "sched_process_exec", on_exec },
};

static int take_event(struct reader *r, const struct trace_context *c)
{
	int err;

	for (size_t i = 0; r->which == START_ALL && i < sizeof(events) / sizeof(events[0]); i++) {
		const char *fields = trace_context__fields(c, events[i].name);

		if (fields)
			return events[i].take(r, c, fields);
	}
	if (r->which == START_PROBES)
		return boot_probes__take(r->s->probes, c);
	err = boot_sched__take(r->s->sched, c);
	if (r->s->init_count)
		r->s->inits[r->s->init_count - 1].ahead = r->s->sched->ahead;
	return err == -ENOENT ? boot_probes__take(r->s->probes, c) : err;
}

static void take_step(struct clock_steps *steps, const struct trace_context *c)
{
	steps->over |= trace_context__fields(c, "sched_process_exec") != NULL;
	if (steps->over)
		return;
	if (c->time < steps->last)
		steps->back += steps->last - c->time;
	steps->last = c->time;
}

static bool is_event(char *line, struct trace_context *ret)
{
	return !trace_context__parse(line, ret) && ret->fraction && ret->pid >= 0;
}

/*
 * Copies the lines until programs run, and adds up the clock's steps back in them. The copy is
 * needed as a trace file cannot be rewound: the kernel would continue at its old place. Without a
 * program in the file, there may be no end, as reading the file makes new lines.
 */
static uint64_t read_steps(FILE *f, uint64_t until, char **ret, size_t *ret_size)
{
	struct clock_steps steps = { .last = 0 };
	FILE *copy = xopen_memstream(ret, ret_size);
	struct trace_context c;
	size_t room = 0, beyond = 0;
	char *line = NULL;

	while (!steps.over && beyond < MOST_BEYOND && getline(&line, &room, f) > 0) {
		fputs(line, copy);
		if (!is_event(line, &c))
			continue;
		take_step(&steps, &c);
		beyond = c.time > until ? beyond + 1 : 0;
	}
	free(line);
	xclose_memstream(copy);
	return steps.back;
}

/*
 * The name of a program may contain a newline and text that looks like an event. So lines that are
 * out of order are refused, and a single line after @until does not end the file.
 */
static int check_time(struct reader *r, uint64_t time, uint64_t until)
{
	if (time > until) {
		r->beyond++;
		return -ENOENT;
	}
	if (r->beyond && !r->s->first_unread)
		r->s->first_unread = r->first_beyond;
	r->s->unread += r->beyond;
	r->beyond = 0;
	if (time < r->last)
		return -EPROTO;
	r->last = time;
	return 0;
}

static int take_line(struct reader *r, char *line, uint64_t until)
{
	struct boot_start *s = r->s;
	struct trace_context c;
	uint64_t ahead;
	int err;

	if (trace_line__is_no_event(line))
		return 0;
	if (!is_event(line, &c))
		return -EPROTO;
	take_step(&r->steps, &c);
	/* Shifts the times before each step of the clock, so that times never decrease. */
	ahead = r->ahead - r->steps.back;
	c.time -= ahead < c.time ? ahead : c.time;
	err = check_time(r, c.time, until);
	if (!err)
		err = take_event(r, &c);
	if (!err) {
		s->events++;
		s->events_until_init += !s->init_count || c.time <= s->inits[0].time;
	}
	return err == -ENOENT ? 0 : err;
}

/* The innermost initcall of the same task around this initcall; NULL: none. */
static struct start_initcall *outer_of(struct boot_start *s, size_t index)
{
	const struct start_initcall *call = &s->initcalls[index];

	while (index-- > 0) {
		struct start_initcall *other = &s->initcalls[index];

		if (other->pid == call->pid && other->finished && other->start + other->time >= call->start + call->time)
			return other;
	}
	return NULL;
}

/* Computes own times of initcalls, and times of levels. Initcalls without an end do not count. */
static void settle(struct boot_start *s)
{
	struct start_level *last = s->level_count ? &s->levels[s->level_count - 1] : NULL;

	for (size_t i = 0; i < s->initcall_count; i++)
		s->initcalls[i].self = s->initcalls[i].time;
	for (size_t i = 0; i < s->initcall_count; i++) {
		struct start_initcall *call = &s->initcalls[i], *outer;

		if (!call->finished)
			continue;
		outer = outer_of(s, i);
		if (outer)
			outer->self -= call->time;
		else if (call->level != NO_LEVEL)
			s->levels[call->level].in_initcalls += call->time;
		/* The last level ends with its last initcall; the kernel does more before init. */
		if (last && call->level == s->level_count - 1 &&
		    call->start + call->time > last->start + last->time)
			last->time = call->start + call->time - last->start;
	}
}

static void start_reading(struct boot_start *s)
{
	if (s->store)
		return;
	s->store = strings__new();
	s->sched = xcalloc(1, sizeof(*s->sched));
	s->probes = xcalloc(1, sizeof(*s->probes));
	s->sched->store = s->probes->store = s->store;
	s->sched->lossy = s->lost;
}

static const char *keep_line(struct boot_start *s, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	return strings__add(s->store, line);
}

static void read_lines(struct reader *r, FILE *f, uint64_t until)
{
	struct boot_start *s = r->s;
	char *line = NULL;
	size_t room = 0;

	while (r->beyond < MOST_BEYOND && getline(&line, &room, f) > 0) {
		size_t beyond = r->beyond;
		int err = take_line(r, line, until);

		if (r->beyond == 1 && !beyond)
			r->first_beyond = keep_line(s, line);
		if (!err)
			continue;
		r->refused++;
		if (!s->first_unread)
			s->first_unread = keep_line(s, line);
	}
	free(line);
}

int boot_start__read(struct boot_start *ret, enum start_events which, FILE *f, uint64_t until, const char *name)
{
	struct reader r = { .s = ret, .which = which };
	size_t size, events = ret->events;
	char *begin;
	FILE *first;
	int err = 0;

	start_reading(ret);
	r.ahead = read_steps(f, until, &begin, &size);
	if (size) {
		first = fmemopen(begin, size, "r");
		if (!first)
			memory__fail();
		read_lines(&r, first, until);
		fclose(first);
	}
	read_lines(&r, f, until);
	ret->unread += r.refused;
	if (r.ahead > ret->clock_back)
		ret->clock_back = r.ahead;
	if (ferror(f))
		err = error__return(-errno, "%s: %s", name, strerror(errno));
	if (!err && r.refused && ret->events == events)
		err = error__return(-EPROTO, "%s: none of its lines can be read; reset its options and its "
				    "clock, or is this kernel newer than hytrace?", name);
	free(r.loading);
	free(begin);
	return err;
}

void boot_start__note_full(struct boot_start *s, size_t cpu)
{
	uint64_t last = boot_sched__fill(s->sched, cpu);

	if (last && (!s->full || last < s->full))
		s->full = last;
}

void boot_start__note_no_room(struct boot_start *s, uint64_t events)
{
	if (!s->full || (s->init_count && s->full >= s->inits[0].time))
		return;
	s->lost += events;
	s->sched->lossy = true;
}

bool boot_start__has_beginning(const struct boot_start *s)
{
	return s->level_count && !strcmp(s->levels[0].name, "early");
}

void boot_start__drop_probes(struct boot_start *s)
{
	boot_probes__free(s->probes);
	free(s->probes);
	s->probes = NULL;
}

void boot_start__settle(struct boot_start *s)
{
	settle(s);
	if (s->probes)
		boot_probes__end(s->probes);
	if (!s->sched || !s->sched->switches)
		return;
	boot_sched__end(s->sched);
	s->waits = xcalloc(1, sizeof(*s->waits));
	boot_waits__find(s->waits, s);
}

void boot_start__free(struct boot_start *s)
{
	if (s->sched)
		boot_sched__free(s->sched);
	if (s->waits)
		boot_waits__free(s->waits);
	if (s->probes)
		boot_probes__free(s->probes);
	free(s->sched);
	free(s->waits);
	free(s->probes);
	free(s->levels);
	free(s->initcalls);
	free(s->inits);
	strings__free(s->store);
	memset(s, 0, sizeof(*s));
}

/* ---- sorting */

static int by_self(const void *a, const void *b, void *arg)
{
	const struct start_initcall *list = arg;
	const size_t *x = a, *y = b;

	if (list[*x].finished != list[*y].finished)
		return list[*x].finished ? 1 : -1;
	if (list[*x].self != list[*y].self)
		return list[*x].self > list[*y].self ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

size_t *boot_start__by_self(const struct boot_start *s)
{
	size_t *list = xcalloc(s->initcall_count, sizeof(*list));

	for (size_t i = 0; i < s->initcall_count; i++)
		list[i] = i;
	qsort_r(list, s->initcall_count, sizeof(*list), by_self, s->initcalls);
	return list;
}
