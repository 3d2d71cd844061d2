// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the trace events of a boot; see events.h.
 *
 *   swapper/0-1     [000] .....     0.564985: initcall_level: level=early
 *   swapper/0-1     [000] .....     0.565763: initcall_start: func=init_hw_perf_events+0x0/0x700
 *   swapper/0-1     [000] .....     0.566457: initcall_finish: func=init_hw_perf_events+0x0/0x700 ret=0
 *   modprobe-203    [000] .....     6.790565: module_load: dummy
 *   modprobe-203    [000] .....     6.790593: initcall_start: func=0xffffffffc0597010
 *   init-1          [000] .....     3.969510: sched_process_exec: filename=/init pid=1 old_pid=1
 *   swapper/0-1     [000] .....     0.793720: device: (really_probe+0x0/0x390) dev="0000:00:02.0" drv="virtio-pci"
 *   swapper/0-1     [000] .....     0.870036: device_end: (__driver_probe_device+0x84/0x170 <- really_probe) ret=0
 *
 * One task makes the kernel's own initcalls, one after the other, and then becomes process 1. Tasks that load modules
 * make the modules' initcalls. A module's function is freed after its initcall: then another module may have a
 * function at this address. Each CPU has a buffer of its own, so any event may be missing. A missing event must not
 * change the result of other events.
 */
#include <ctype.h>

#include "base/error.h"
#include "base/memory.h"
#include "boot/events.h"

/* Reading ends after so many consecutive lines that are later than wanted. */
#define MOST_BEYOND 1000
/* From include/linux/errno.h: user space has no such error. */
#define EPROBE_DEFER 517
/* TASK_COMM_LEN */
#define COMM_WIDTH 16
/* irqs-off, need-resched, in an interrupt, preempt-depth, migrate-disable */
#define FLAGS_WIDTH 5

/* A module that a task is loading. */
struct loading {
	int pid;
	const char *module;
};

/*
 * Until the kernel has measured the time stamp counter, its clock counts ticks. Then the clock jumps, maybe back. No
 * program runs at that time, so nobody can forge such a line.
 */
struct clock_steps {
	uint64_t last;			/* the time in the last line */
	uint64_t back;			/* how far the clock has gone back up to the last line */
	bool over;			/* a program has been executed */
};

struct reader {
	struct boot *b;
	struct events *e;
	enum events_wanted which;
	struct clock_steps steps;
	uint64_t ahead;			/* how far the clock goes back in the whole file */
	struct loading *loading;
	size_t loading_count;
	uint64_t last;			/* the time of the last event */
	size_t beyond;			/* the last lines, which are all later than wanted */
	const char *first_beyond;	/* the first of these lines */
	size_t refused;			/* lines that are no events, or are out of order */
};

/*
 * ---- a line: "            <idle>-0       [000] d....     1644775138: f <-caller". The fields between the command and the time
 * depend on options; the event comes after the time. A line begins with the command's name, right-aligned in a column, which
 * may contain any characters. So the time is the first word after this column that is a number with a colon.
 */

/* Parses "12.345678", as nanoseconds, or "1234567" by a clock without seconds. */
static bool parse_time(const char *text, const char *end, struct trace_context *ret)
{
	const char *point = memchr(text, '.', end - text), *digit = text;
	uint64_t scale = 1000000000;

	ret->time = 0;
	ret->fraction = point;
	if (text == end || point == text || point == end - 1)
		return false;
	for (; digit < end; digit++) {
		if (digit == point)
			continue;
		if (!isdigit((unsigned char)*digit))
			return false;
		ret->time = 10 * ret->time + *digit - '0';
		if (point && digit > point)
			scale /= 10;
	}
	if (point)
		ret->time *= scale;
	return scale;
}

/* Parses "        comm-pid   [cpu] flags  time: ". Options may remove any of these fields. */
int trace_context__parse(char *line, struct trace_context *ret)
{
	char *at = line + strnlen(line, COMM_WIDTH), flags[8] = "";

	ret->pid = ret->cpu = -1;
	sscanf(at, "-%d [%d] %7s", &ret->pid, &ret->cpu, flags);
	ret->interrupt = strlen(flags) == FLAGS_WIDTH ? flags[2] : '.';
	while ((at = strstr(at, ": "))) {
		const char *stamp = at;

		while (stamp > line && stamp[-1] != ' ')
			stamp--;
		if (parse_time(stamp, at, ret)) {
			ret->event = at + 2;
			ret->event[strcspn(ret->event, "\n")] = '\0';
			return 0;
		}
		at += 2;
	}
	return -EPROTO;
}

/* ---- spans */

static struct span *add(struct span_list *l, enum span_class class, const struct trace_context *c)
{
	struct span *s = LIST_ADD(l->list, l->count);

	*s = (struct span){ SPAN_NONE, .class = class, .start = c->time, .end = NOT_KNOWN };
	s->task = c->pid;
	return s;
}

/* The last span of the task that has not ended; NULL: the event of its beginning is lost. @place: of an initcall */
static struct span *open_span(struct span_list *l, int pid, int kind, const char *place)
{
	for (size_t i = l->count; i-- > 0;) {
		struct span *s = &l->list[i];

		if (s->task == pid && s->end == NOT_KNOWN && s->kind == kind && (!place || s->note == place))
			return s;
	}
	return NULL;
}

/* ---- initcalls */

static int on_level(struct reader *r, const struct trace_context *c, const char *fields, int kind)
{
	struct span_list *levels = &r->b->levels;
	struct span *level;
	char name[32];

	if (sscanf(fields, "level=%31s", name) != 1)
		return -EPROTO;
	/* The level of consoles comes before the task of the initcalls exists. */
	if (c->pid != INIT_PID)
		return 0;
	if (levels->count)
		levels->list[levels->count - 1].end = c->time;
	level = add(levels, SPAN_PHASE, c);
	level->name = strings__intern(r->b->store, name);
	level->end = c->time;
	level->count = level->running = 0;
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

static int on_module(struct reader *r, const struct trace_context *c, const char *fields, int kind)
{
	char name[64];

	if (sscanf(fields, "%63s", name) != 1 || strchr(name, '='))
		return -EPROTO;
	*LIST_ADD(r->loading, r->loading_count) = (struct loading){ c->pid, strings__intern(r->b->store, name) };
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
	return strings__intern(r->b->store, place);
}

/*
 * Finds the name of the function at the call's place. For a module, the place must still be the beginning of a
 * function of this module. A place without a module is the kernel's own.
 */
static void set_name(struct reader *r, struct span *call, const char *place)
{
	char name[256], rest[128], wanted[128];
	int end = 0;

	if (sscanf(place, "%255[^+ ]+0x0/%*x%n", name, &end) != 1 || !end) {
		call->name = call->class == SPAN_INITCALL ? place : NULL;
		return;
	}
	if (!place[end])
		call->class = SPAN_INITCALL;
	if (call->class == SPAN_MODULE) {
		snprintf(wanted, sizeof(wanted), "[%s]", call->module ?: "");
		if (sscanf(place + end, " %127s", rest) != 1 || strcmp(rest, wanted))
			return;
	}
	call->name = strings__intern(r->b->store, name);
}

/* While events are read, an initcall's note is its place, and its count is the index of its level. */
static int on_start(struct reader *r, const struct trace_context *c, const char *fields, int kind)
{
	const char *place = place_in(r, fields);
	struct boot *b = r->b;
	struct span *call, *level = NULL;

	if (!place)
		return -EPROTO;
	if (c->pid == INIT_PID && b->levels.count && !b->inits.count)
		level = &b->levels.list[b->levels.count - 1];
	/* Initcalls of consoles run in the idle task, before there are other tasks. */
	call = add(&b->initcalls, level || !c->pid ? SPAN_INITCALL : SPAN_MODULE, c);
	if (!level)
		call->module = take_module(r, c->pid);
	call->note = place;
	set_name(r, call, place);
	if (level) {
		call->in = level->name;
		call->count = b->levels.count - 1;
		level->count++;
	} else {
		call->in = call->class == SPAN_MODULE ? "module" : c->pid ? "unknown" : "console";
	}
	return 0;
}

static int on_finish(struct reader *r, const struct trace_context *c, const char *fields, int kind)
{
	const char *place = place_in(r, fields), *result = strstr(fields, " ret=");
	struct span *call;
	int value, end = 0;

	if (!place || !result || sscanf(result, " ret=%d%n", &value, &end) != 1 || result[end])
		return -EPROTO;
	call = open_span(&r->b->initcalls, c->pid, 0, place);
	if (call) {
		call->result = value;
		call->end = c->time;
	}
	return 0;
}

/* ---- programs */

static int on_exec(struct reader *r, const struct trace_context *c, const char *fields, int kind)
{
	struct boot *b = r->b;
	struct span_list *list = c->pid == INIT_PID ? &b->inits : &b->programs;
	struct span *before;
	size_t count = b->inits.count;
	char name[256];

	/* Without a level, the first events are lost, and this may be a later program. */
	if (c->pid == INIT_PID && !b->levels.count)
		return 0;
	if (sscanf(fields, "filename=%255s", name) != 1)
		return -EPROTO;
	before = open_span(list, c->pid, 0, NULL);
	if (before)
		before->end = c->time;
	add(list, SPAN_PROGRAM, c)->name = strings__intern(b->store, name);
	if (c->pid == INIT_PID) {
		*LIST_ADD(b->ahead, count) = clock_anything;
		r->e->sched.ahead = clock_anything;
		r->e->sched.ahead_from = c->time;
	}
	return 0;
}

static int on_program_exit(struct reader *r, const struct trace_context *c, const char *fields, int kind)
{
	struct span *program = open_span(&r->b->programs, c->pid, 0, NULL);

	if (program)
		program->end = c->time;
	return 0;
}

/* ---- probes: the names of these events are in the parameters of record.c, too */

/* The text between @before and @after; NULL: there is none, as after a page fault. */
static const char *text_between(struct reader *r, const char *fields, const char *before, const char *after)
{
	const char *start = strstr(fields, before), *end;
	char text[128];

	if (!start)
		return NULL;
	start += strlen(before);
	end = strstr(start, after);
	if (!end || end - start >= (ptrdiff_t)sizeof(text))
		return NULL;
	snprintf(text, sizeof(text), "%.*s", (int)(end - start), start);
	return strings__intern(r->b->store, text);
}

static int on_probe(struct reader *r, const struct trace_context *c, const char *fields, int kind)
{
	struct span *probe = add(&r->b->probes, kind == PROBE_DEVICE ? SPAN_PROBE : SPAN_CALL, c);

	probe->kind = kind;
	if (kind != PROBE_DEVICE)
		return 0;
	probe->name = text_between(r, fields, " dev=\"", "\" drv=");
	probe->in = text_between(r, fields, " drv=\"", "\"");
	return 0;
}

static int on_probe_end(struct reader *r, const struct trace_context *c, const char *fields, int kind)
{
	struct span *probe = open_span(&r->b->probes, c->pid, kind, NULL);
	const char *result = strstr(fields, ") ret=");
	int value = 0;

	if (kind == PROBE_DEVICE && (!result || sscanf(result, ") ret=%d", &value) != 1))
		return -EPROTO;
	if (!probe)
		return 0;
	probe->end = c->time;
	if (kind != PROBE_DEVICE)
		return 0;
	/* really_probe() returns the error of a driver as a positive number. */
	probe->result = value > 0 ? -(int64_t)value : value;
	if (probe->result == -EPROBE_DEFER)
		probe->note = "deferred";
	return 0;
}

/* ---- lines */

static const struct {
	const char *name;
	int (*take)(struct reader *r, const struct trace_context *c, const char *fields, int kind);
	int kind;			/* of a probe */
} kinds[] = {
	{ "initcall_level", on_level },
	{ "initcall_start", on_start },
	{ "initcall_finish", on_finish },
	{ "module_load", on_module },
	{ "sched_process_exec", on_exec },
	{ "sched_process_exit", on_program_exit },
	{ "device", on_probe, PROBE_DEVICE },
	{ "device_end", on_probe_end, PROBE_DEVICE },
	{ "unpack", on_probe, PROBE_UNPACK },
	{ "unpack_end", on_probe_end, PROBE_UNPACK },
	{ "console", on_probe, PROBE_CONSOLE },
	{ "console_end", on_probe_end, PROBE_CONSOLE },
};

static int take_event(struct reader *r, const struct trace_context *c)
{
	int err;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *fields = trace_context__fields(c, kinds[i].name);
		bool is_probe = kinds[i].take == on_probe || kinds[i].take == on_probe_end;

		if (!fields || (r->which == EVENTS_OF_PROBES && !is_probe))
			continue;
		/* It may be the last event of a full buffer. */
		if (r->which == EVENTS_ALL && is_probe)
			boot_sched__take(&r->e->sched, c);
		return kinds[i].take(r, c, fields, kinds[i].kind);
	}
	if (r->which == EVENTS_OF_PROBES)
		return -ENOENT;
	err = boot_sched__take(&r->e->sched, c);
	if (r->b->inits.count)
		r->b->ahead[r->b->inits.count - 1] = r->e->sched.ahead;
	return err;
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
	return !trace_context__parse(line, ret) && ret->fraction && ret->pid >= 0 && ret->time <= INT64_MAX;
}

/*
 * Copies the lines until programs run, and adds up the clock's steps back in them. The copy is needed as a trace file
 * cannot be rewound: the kernel would continue at its old place. Without a program in the file, there may be no end,
 * as reading the file makes new lines.
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
 * The name of a program may contain a newline and text that looks like an event. So lines that are out of order are
 * refused, and a single line after @until does not end the file.
 */
static int check_time(struct reader *r, uint64_t time, uint64_t until)
{
	if (time > until) {
		r->beyond++;
		return -ENOENT;
	}
	if (r->beyond && !r->b->first_unread)
		r->b->first_unread = r->first_beyond;
	r->b->unread += r->beyond;
	r->beyond = 0;
	if (time < r->last)
		return -EPROTO;
	r->last = time;
	return 0;
}

static int take_line(struct reader *r, char *line, uint64_t until)
{
	struct boot *b = r->b;
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
		b->events++;
		b->events_until_init += !b->inits.count || (int64_t)c.time <= b->inits.list[0].start;
	}
	return err == -ENOENT ? 0 : err;
}

static const char *keep_line(struct boot *b, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	return strings__add(b->store, line);
}

static void read_lines(struct reader *r, FILE *f, uint64_t until)
{
	char *line = NULL;
	size_t room = 0;

	while (r->beyond < MOST_BEYOND && getline(&line, &room, f) > 0) {
		size_t beyond = r->beyond;
		int err = take_line(r, line, until);

		if (r->beyond == 1 && !beyond)
			r->first_beyond = keep_line(r->b, line);
		if (!err)
			continue;
		r->refused++;
		if (!r->b->first_unread)
			r->b->first_unread = keep_line(r->b, line);
	}
	free(line);
}

void events__begin(struct events *e, struct boot *b)
{
	struct span_list *const lists[] = { &b->levels, &b->inits, &b->initcalls, &b->programs, &b->probes };

	*e = (struct events){ .b = b, .sched.b = b };
	b->has_start = true;
	/* Lists that are empty, and not unknown. */
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		lists[i]->list = xcalloc(0, sizeof(*lists[i]->list));
}

int events__read(struct events *e, enum events_wanted which, FILE *f, uint64_t until, const char *name)
{
	struct reader r = { .b = e->b, .e = e, .which = which };
	int64_t events = e->b->events;
	size_t size;
	char *begin;
	FILE *first;
	int err = 0;

	r.ahead = read_steps(f, until, &begin, &size);
	if (size) {
		first = fmemopen(begin, size, "r");
		if (!first)
			memory__fail();
		read_lines(&r, first, until);
		fclose(first);
	}
	read_lines(&r, f, until);
	e->b->unread += r.refused;
	if ((int64_t)r.ahead > e->b->clock_back)
		e->b->clock_back = r.ahead;
	if (ferror(f))
		err = error__return(-errno, "%s: %s", name, strerror(errno));
	if (!err && r.refused && e->b->events == events)
		err = error__return(-EPROTO, "%s: none of its lines can be read; reset its options and its "
				    "clock, or is this kernel newer than hytrace?", name);
	free(r.loading);
	free(begin);
	return err;
}

/* ---- after the last event */

void events__note_full(struct events *e, size_t cpu)
{
	int64_t last = boot_sched__fill(&e->sched, cpu);

	if (last && (e->b->full == NOT_KNOWN || last < e->b->full))
		e->b->full = last;
}

void events__note_no_room(struct events *e, uint64_t events)
{
	struct boot *b = e->b;

	if (b->full != NOT_KNOWN && !(b->inits.count && b->full >= b->inits.list[0].start))
		b->lost += events;
}

/* Finds how much of each level is in initcalls. The last level ends with its last initcall; the kernel does more before init. */
static void end_levels(struct boot *b)
{
	struct span *level, *list = b->levels.list, *last = list + b->levels.count - 1;

	for (size_t i = 0; i < b->initcalls.count; i++) {
		struct span *call = &b->initcalls.list[i];

		if (call->count != NOT_KNOWN && span__has_end(call)) {
			level = &list[call->count];
			if (level == last && call->end > level->end)
				level->end = call->end;
			if (!span_list__outer(&b->initcalls, i))
				level->running += span__time(call);
		}
		call->note = NULL;
		call->count = NOT_KNOWN;
	}
}

void events__end(struct events *e)
{
	struct boot *b = e->b;

	end_levels(b);
	span_list__settle(&b->initcalls);
	span_list__settle(&b->probes);
	boot_sched__end(&e->sched);
	if (e->sched.switches)
		boot_waits__find(b, &e->sched);
	boot_sched__free(&e->sched);
}
