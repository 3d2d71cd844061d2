// SPDX-License-Identifier: GPL-2.0-only
/* Finds the phases of a boot in its calls; see early.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "boot/early.h"

/* For each call: is it the first one of its function? To be freed. */
static bool *find_firsts(const struct early_calls *c)
{
	bool *firsts = xcalloc(c->count, sizeof(*firsts)), *seen = xcalloc(c->name_count, sizeof(*seen));

	for (size_t i = 0; i < c->count; i++) {
		uint32_t function = c->list[i].function;

		if (function == NO_NAME)
			continue;
		firsts[i] = !seen[function];
		seen[function] = true;
	}
	free(seen);
	return firsts;
}

/* The calls from @first to before @end. */
struct range {
	size_t first, end;
};

/* The state of finding phases. */
struct search {
	struct early_filler *f;
	const struct early_calls *calls;
	const struct early_nesting *nesting;
	struct boot_early *to;
	bool *firsts;
	uint32_t boot, ftrace;		/* names */
	/* The calls by untraced functions, which start_kernel() has called: first ones, all, and jumps. */
	int64_t self_first, self_calls, self_jumps;
};

static struct boot_phase *add_phase(struct boot_phase **list, size_t *count, enum early_kind kind, const char *name)
{
	struct boot_phase *phase = LIST_ADD(*list, *count);

	*phase = (struct boot_phase){
		.name = name, .kind = kind, .start = NOT_KNOWN, .time = NOT_KNOWN, .net = NOT_KNOWN, .inner = xcalloc(0, sizeof(*phase)),
	};
	return phase;
}

/*
 * The time of a phase without the recorder's. @partly: the number of its calls of which it has only
 * the part inside the call. Negative: it also has the outside part of so many other calls.
 */
static int64_t net_of(const struct search *s, int64_t time, int64_t calls, int64_t jumps, int64_t partly)
{
	const struct early_cost *c = &s->f->cost;

	return early_filler__net(s->f, time, (calls * (int64_t)c->calls + jumps * (int64_t)c->jumps -
					      partly * (int64_t)(c->calls - c->inside)) / 1000);
}

static void set_counts(struct boot_phase *phase, const struct search *s, int64_t calls, int64_t callers, int64_t functions)
{
	phase->calls = s->f->oneshot ? NOT_KNOWN : calls;
	phase->callers = s->f->oneshot ? callers : NOT_KNOWN;
	phase->functions = functions;
}

/* When the last call of this range ends; 0: not known, or a call lasts longer than the range. */
static uint64_t exact_end(const struct search *s, struct range range)
{
	uint64_t end = 0;
	bool known = true;

	for (size_t i = range.first; i < range.end; i = s->nesting->ends[i]) {
		if (s->nesting->ends[i] > range.end)
			return 0;
		if (s->nesting->times[i] < end)
			continue;
		end = s->nesting->times[i];
		known = s->calls->list[i].end != END_UNKNOWN;
	}
	return known ? end : 0;
}

/* @whole: end the phase with its last call, if this end is known; false: at the end of @range. */
static void fill_phase(struct boot_phase *phase, const struct search *s, struct range range, bool whole)
{
	const struct early_calls *c = s->calls;
	uint64_t end = whole && c->timed ? exact_end(s, range) : 0;
	int64_t jumps = s->nesting->jumps ? s->nesting->jumps[range.end] - s->nesting->jumps[range.first] : 0;
	int64_t callers = 0, functions = 0;

	phase->exact = end;
	if (range.first >= c->timeless) {
		phase->start = c->list[range.first].time;
		phase->time = (end ?: early_calls__end_time(c, range.end)) - phase->start;
		phase->net = net_of(s, phase->time, range.end - range.first, jumps, phase->exact);
	}
	for (size_t i = range.first; i < range.end; i++) {
		callers += c->list[i].parent != NO_NAME;
		functions += s->f->oneshot ? c->list[i].function != NO_NAME : s->firsts[i];
	}
	set_counts(phase, s, range.end - range.first, callers, functions);
}

/*
 * ftrace_init() is not traced, so its call by start_kernel() is not recorded. Does its phase, which
 * is never an inner phase, begin with @call?
 */
static bool is_ftrace(const struct search *s, size_t call, bool nested)
{
	return !nested && call == s->calls->ftrace_init;
}

/* The index at which the next phase of @parent begins. */
static size_t next_start(const struct search *s, struct range range, uint32_t parent, bool nested)
{
	for (; range.first < range.end; range.first++) {
		if (parent != NO_NAME && s->calls->list[range.first].parent == parent)
			break;
		if (is_ftrace(s, range.first, nested))
			break;
	}
	return range.first;
}

static size_t end_of(const struct search *s, size_t call, size_t limit)
{
	return s->nesting->ends[call] < limit ? s->nesting->ends[call] : limit;
}

/*
 * The return of ftrace_init() is not recorded either. Its phase ends with its last call. Later
 * calls in @range, by untraced functions, only set up tracing.
 */
static size_t ftrace_end(const struct search *s, struct range range)
{
	for (size_t i = range.end; i > range.first; i--) {
		if (s->calls->list[i - 1].parent == s->ftrace)
			return end_of(s, i - 1, range.end);
	}
	return range.end;
}

/* Adds calls by untraced functions, which start_kernel() has called. */
static void add_self(struct search *s, size_t first, size_t end)
{
	s->self_jumps += s->nesting->jumps[end] - s->nesting->jumps[first];
	s->self_calls += end - first;
	for (; first < end; first++)
		s->self_first += s->firsts[first];
}

/*
 * Adds a phase for each call that @parent makes in @range. Calls before the first call by @parent
 * are in no phase.
 */
static void split(struct boot_phase **list, size_t *count, struct search *s, struct range range, uint32_t parent,
		  bool nested)
{
	range.first = next_start(s, range, parent, nested);
	while (range.first < range.end) {
		struct range rest = { range.first + 1, range.end };
		struct range own = { range.first, range.end };
		struct boot_phase *phase = add_phase(list, count, PHASE_FUNCTION, NULL);
		bool ftrace = is_ftrace(s, own.first, nested);
		uint32_t function;
		size_t next;

		/* A function that it jumped to has the same parent, but is inside of it. */
		if (s->calls->timed && !ftrace)
			rest.first = end_of(s, range.first, range.end);
		own.end = next = next_start(s, rest, parent, nested);
		if (ftrace)
			own.end = ftrace_end(s, own);
		else if (s->calls->timed || (nested && s->calls->ftrace_init != SIZE_MAX && parent == s->ftrace))
			own.end = end_of(s, own.first, own.end);
		function = ftrace ? s->ftrace : s->calls->list[own.first].function;
		phase->name = function == NO_NAME ? NULL : early_filler__name(s->f, function);
		fill_phase(phase, s, own, true);
		/*
		 * The call of ftrace_init() itself is not recorded; the range begins with the first
		 * call inside it.
		 */
		rest = (struct range){ ftrace ? own.first : own.first + 1, own.end };
		if (!nested && function != NO_NAME)
			split(&phase->inner, &phase->inner_count, s, rest, function, true);
		if (ftrace && own.end < next)
			fill_phase(add_phase(list, count, PHASE_TRACER, "start of tracing"), s,
				   (struct range){ own.end, next }, true);
		else if (!nested && s->calls->timed)
			add_self(s, own.end, next);
		range.first = next;
	}
}

/* Adds the phase before the first phase of start_kernel(). */
static void add_head(const struct search *s, struct range range, bool complete)
{
	struct boot_phase *phase = add_phase(&s->to->phases, &s->to->phase_count, PHASE_FUNCTION, NULL);

	for (size_t i = range.first; complete && s->boot != NO_NAME && i < range.end; i++) {
		if (s->calls->list[i].function == s->boot)
			phase->kind = PHASE_BEFORE;
	}
	if (phase->kind == PHASE_BEFORE)
		phase->name = "before " BOOT_FUNCTION;
	fill_phase(phase, s, range, false);
}

/* The time from the last call before the hole to the first call after it. */
static void add_hole(const struct search *s, const struct early_hole *hole)
{
	struct boot_phase *phase = add_phase(&s->to->phases, &s->to->phase_count, PHASE_HOLE, NULL);
	const struct early_calls *c = s->calls;

	phase->lost = hole->lost;
	set_counts(phase, s, 0, 0, 0);
	if (!hole->before || hole->before == c->count || hole->before <= c->timeless)
		return;
	phase->start = c->list[hole->before - 1].time;
	phase->time = c->list[hole->before].time - phase->start;
	phase->net = net_of(s, phase->time, 0, 0, 0);
}

/* Finds the phases of a range of calls without a hole. */
static void add_stretch(struct search *s, struct range range, bool complete)
{
	size_t head = next_start(s, range, s->boot, false);

	if (head > range.first)
		add_head(s, (struct range){ range.first, head }, complete);
	split(&s->to->phases, &s->to->phase_count, s, (struct range){ head, range.end }, s->boot, false);
}

static void add_stretches(struct search *s, bool complete)
{
	const struct early_calls *c = s->calls;
	size_t first = 0;

	for (size_t i = 0; i < c->hole_count; i++) {
		add_stretch(s, (struct range){ first, c->holes[i].before }, complete && !i);
		add_hole(s, &c->holes[i]);
		first = c->holes[i].before;
	}
	add_stretch(s, (struct range){ first, c->count }, complete && !c->hole_count);
}

/* Adds the phase of start_kernel() itself and of untraced functions: time outside other phases. */
static void add_rest(struct search *s)
{
	const struct boot_phase *list = s->to->phases;
	bool known = s->to->phase_count && s->calls->timed && !s->calls->hole_count;
	struct boot_phase *self;
	int64_t rest, exact = 0;

	for (size_t i = 0; known && i < s->to->phase_count; i++) {
		known = list[i].time != NOT_KNOWN && (i == 0 || list[i].exact);
		exact += list[i].exact;
	}
	if (!known || !exact)
		return;
	rest = s->calls->until - list[0].start;
	for (size_t i = 0; i < s->to->phase_count; i++)
		rest -= list[i].time;
	self = add_phase(&s->to->phases, &s->to->phase_count, PHASE_SELF, "(" BOOT_FUNCTION " itself)");
	self->time = rest;
	self->net = net_of(s, rest, s->self_calls, s->self_jumps, -exact);
	set_counts(self, s, s->self_calls, 0, s->self_first);
}

void early_phases__find(struct early_filler *f, bool complete)
{
	struct search s = {
		.f = f, .calls = f->calls, .nesting = &f->nesting, .to = &f->b->early, .firsts = find_firsts(f->calls),
		.boot = early_calls__find(f->calls, BOOT_FUNCTION), .ftrace = early_calls__find(f->calls, FTRACE_FUNCTION),
	};

	s.to->phases = xcalloc(0, sizeof(*s.to->phases));
	add_stretches(&s, complete);
	add_rest(&s);
	free(s.firsts);
}
