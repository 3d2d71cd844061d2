// SPDX-License-Identifier: GPL-2.0-only
/* Finds the phases of a boot in its calls; see phases.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "boot/phases.h"
#include "boot/spans.h"

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
	const struct early_calls *calls;
	bool *firsts;
	/* Empty if calls have no ends and the beginning of ftrace_init() is not known. */
	struct early_nesting nesting;
	struct early_phase self;
	uint32_t boot, ftrace;		/* names */
	struct early_phases *phases;
};

static struct early_phase *add_phase(struct early_phase **list, size_t *count)
{
	struct early_phase *phase = LIST_ADD(*list, *count);

	phase->function = NO_NAME;
	return phase;
}

/* When the last call of this range ends; 0: not known, or a call lasts longer than the range. */
static uint64_t exact_end(const struct search *s, struct range range)
{
	uint64_t end = 0;
	bool known = true;

	for (size_t i = range.first; i < range.end; i = s->nesting.ends[i]) {
		if (s->nesting.ends[i] > range.end)
			return 0;
		if (s->nesting.times[i] < end)
			continue;
		end = s->nesting.times[i];
		known = s->calls->list[i].end != END_UNKNOWN;
	}
	return known ? end : 0;
}

/* @whole: end the phase with its last call, if this end is known; false: at the end of @range. */
static void fill_phase(struct early_phase *phase, const struct search *s, struct range range, bool whole)
{
	const struct early_calls *c = s->calls;
	uint64_t end = whole && c->timed ? exact_end(s, range) : 0;

	phase->timeless = range.first < c->timeless;
	phase->exact = end;
	phase->partly = phase->exact;
	if (!phase->timeless) {
		phase->start = c->list[range.first].time;
		phase->time = (end ?: early_calls__end_time(c, range.end)) - phase->start;
	}
	phase->calls = range.end - range.first;
	if (s->nesting.jumps)
		phase->jumps = s->nesting.jumps[range.end] - s->nesting.jumps[range.first];
	for (size_t i = range.first; i < range.end; i++) {
		phase->functions += c->list[i].function != NO_NAME;
		phase->callers += c->list[i].parent != NO_NAME;
		phase->seen_first += s->firsts[i];
	}
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
	return s->nesting.ends[call] < limit ? s->nesting.ends[call] : limit;
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

static void add_tracer(struct early_phase **list, size_t *count, const struct search *s, struct range range)
{
	struct early_phase *phase = add_phase(list, count);

	phase->kind = PHASE_TRACER;
	fill_phase(phase, s, range, true);
}

/* Adds calls by untraced functions, which start_kernel() has called. */
static void add_self(struct search *s, size_t first, size_t end)
{
	s->self.jumps += s->nesting.jumps[end] - s->nesting.jumps[first];
	for (; first < end; first++) {
		s->self.calls++;
		s->self.functions++;
		s->self.callers++;
		s->self.seen_first += s->firsts[first];
	}
}

/*
 * Adds a phase for each call that @parent makes in @range. Calls before the first call by @parent
 * are in no phase.
 */
static void split(struct early_phase **list, size_t *count, struct search *s, struct range range, uint32_t parent,
		  bool nested)
{
	range.first = next_start(s, range, parent, nested);
	while (range.first < range.end) {
		struct range rest = { range.first + 1, range.end };
		struct range own = { range.first, range.end };
		struct early_phase *phase = add_phase(list, count);
		bool ftrace = is_ftrace(s, own.first, nested);
		size_t next;

		/* A function that it jumped to has the same parent, but is inside of it. */
		if (s->calls->timed && !ftrace)
			rest.first = end_of(s, range.first, range.end);
		own.end = next = next_start(s, rest, parent, nested);
		if (ftrace)
			own.end = ftrace_end(s, own);
		else if (s->calls->timed || (nested && s->nesting.ends && parent == s->ftrace))
			own.end = end_of(s, own.first, own.end);
		phase->function = ftrace ? s->ftrace : s->calls->list[own.first].function;
		fill_phase(phase, s, own, true);
		/*
		 * The call of ftrace_init() itself is not recorded; the range begins with the first
		 * call inside it.
		 */
		rest = (struct range){ ftrace ? own.first : own.first + 1, own.end };
		if (!nested && phase->function != NO_NAME)
			split(&phase->inner, &phase->inner_count, s, rest, phase->function, true);
		if (ftrace && own.end < next)
			add_tracer(list, count, s, (struct range){ own.end, next });
		else if (!nested && s->calls->timed)
			add_self(s, own.end, next);
		range.first = next;
	}
}

/* Adds the phase before the first phase of start_kernel(). */
static void add_head(const struct search *s, struct range range, bool complete)
{
	struct early_phase *phase = add_phase(&s->phases->list, &s->phases->count);

	for (size_t i = range.first; complete && s->boot != NO_NAME && i < range.end; i++) {
		if (s->calls->list[i].function == s->boot)
			phase->kind = PHASE_BEFORE;
	}
	fill_phase(phase, s, range, false);
}

/* The time from the last call before the hole to the first call after it. */
static void add_hole(const struct search *s, const struct early_hole *hole)
{
	struct early_phase *phase = add_phase(&s->phases->list, &s->phases->count);
	const struct early_calls *c = s->calls;

	phase->kind = PHASE_HOLE;
	phase->lost = hole->lost;
	phase->timeless = !hole->before || hole->before == c->count || hole->before <= c->timeless;
	if (!phase->timeless) {
		phase->start = c->list[hole->before - 1].time;
		phase->time = c->list[hole->before].time - phase->start;
	}
}

/* Finds the phases of a range of calls without a hole. */
static void add_stretch(struct search *s, struct range range, bool complete)
{
	size_t head = next_start(s, range, s->boot, false);

	if (head > range.first)
		add_head(s, (struct range){ range.first, head }, complete);
	split(&s->phases->list, &s->phases->count, s, (struct range){ head, range.end }, s->boot, false);
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
static void finish_self(struct search *s)
{
	struct early_phase *self = &s->self;
	const struct early_phases *p = s->phases;
	uint64_t taken = 0;
	bool known = p->count && s->calls->timed && !s->calls->hole_count;

	for (size_t i = 0; known && i < p->count; i++) {
		known = !p->list[i].timeless && (i == 0 || p->list[i].exact);
		self->partly -= p->list[i].exact;
		taken += p->list[i].time;
	}
	if (!known || !self->partly)
		return;
	self->time = s->calls->until - p->list[0].start - taken;
	*add_phase(&s->phases->list, &s->phases->count) = *self;
}

static void begin_search(struct search *s)
{
	s->self = (struct early_phase){ .kind = PHASE_SELF, .function = NO_NAME };
	s->boot = early_calls__find(s->calls, BOOT_FUNCTION);
	s->ftrace = early_calls__find(s->calls, FTRACE_FUNCTION);
	s->firsts = find_firsts(s->calls);
	if (s->calls->ftrace_init != SIZE_MAX || s->calls->timed)
		early_calls__nest(s->calls, &s->nesting);
}

void early_phases__find(struct early_phases *ret, const struct early_calls *c, bool complete)
{
	struct search s = { .calls = c, .phases = ret };

	*ret = (struct early_phases){};
	if (!c->count)
		return;
	begin_search(&s);
	add_stretches(&s, complete);
	finish_self(&s);
	free(s.firsts);
	early_nesting__free(&s.nesting);
}

void early_phases__free(struct early_phases *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->list[i].inner);
	free(p->list);
	memset(p, 0, sizeof(*p));
}
