// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds how the calls of the early boot nest, and its phases in them; see early.h.
 *
 * If returns were recorded, the times of calls nest: on one CPU, a call is inside all calls that have begun and not
 * ended. The rules below are for recordings without returns, and for the few calls whose return was not recorded for
 * lack of room.
 *
 * Such a call has a function and a caller, but no return. So this keeps a stack of running functions. A call by p
 * ends all functions that p had called before, and their inner functions; then p is on top, and the new function goes
 * above it. The span of a function lasts as long as the function is on the stack, which is until the next call from
 * outside the function. So its time may be too long, by the time that its caller spends itself, but never too short.
 *
 *  - Recursion: later calls by the function are taken for calls by its inner instance, which may
 *    have returned. Then the time of the inner instance includes calls of the outer instance.
 *  - A tail call: f has called g, which jumps to h, so the caller of h is f. The call of h ends g,
 *    whose frame is indeed gone.
 *  - Lost calls: all functions on the stack end with the last call before the lost calls. Which of
 *    them still run after the lost calls is not known.
 *  - An inlined caller: kallsyms names the function into which it was inlined instead.
 *  - A caller that is not on the stack, because it is untraceable (assembly of exceptions; notrace)
 *    or filtered out. Its own caller, or the function that it interrupts, is unknown. A function on
 *    the stack that makes a call later, before it is called again, still runs. Functions above the
 *    topmost such function are removed, and the new function goes above it. So an exception only
 *    ends functions that make no more calls, and returned functions do not stay on the stack.
 */
#include "base/index.h"
#include "base/memory.h"
#include "boot/early.h"

/* A boot calls about 600 functions before ftrace is ready. The table grows by itself. */
#define NAMES_AT_FIRST 4096

/* ---- the calls */

void early_calls__init(struct early_calls *c)
{
	memset(c, 0, sizeof(*c));
	c->ftrace_init = SIZE_MAX;
	c->store = strings__new();
	c->ids = index__new(NAMES_AT_FIRST, NULL);
}

void early_calls__free(struct early_calls *c)
{
	free(c->list);
	free(c->holes);
	free(c->names);
	if (c->ids)
		lh_table_free(c->ids);
	strings__free(c->store);
	memset(c, 0, sizeof(*c));
}

static uint32_t find_name(const struct early_calls *c, const char *name)
{
	struct lh_entry *entry = lh_table_lookup_entry(c->ids, name);

	return entry ? (uintptr_t)lh_entry_v(entry) : NO_NAME;
}

/* Were calls lost directly before the call at @index? */
static bool is_behind_hole(const struct early_calls *c, size_t index)
{
	for (size_t i = 0; i < c->hole_count; i++) {
		if (c->holes[i].before == index)
			return true;
	}
	return false;
}

/*
 * The end of a stretch of calls before @end: the time of the call at @end if there is one and no calls were lost
 * before it; otherwise the time of the stretch's last call.
 */
static uint64_t end_time(const struct early_calls *c, size_t end)
{
	return c->list[end < c->count && !is_behind_hole(c, end) ? end : end - 1].time;
}

/* ---- how calls nest */

struct stack {
	uint32_t *calls;		/* indices of the running calls */
	size_t depth;
	uint32_t *running;		/* how often each function is on the stack */
	const struct early_calls *all;
	struct early_nesting to;
};

static uint32_t top_function(const struct stack *s)
{
	return s->all->list[s->calls[s->depth - 1]].function;
}

static void push(struct stack *s, size_t call)
{
	s->to.outer[call] = s->depth ? s->calls[s->depth - 1] : NO_CALL;
	s->to.times[call] = s->all->list[call].time;
	s->calls[s->depth++] = call;
	s->running[s->all->list[call].function]++;
}

static bool has_end(const struct stack *s, size_t call)
{
	return s->all->timed && s->all->list[call].end != END_UNKNOWN;
}

/*
 * Removes the call on top, which ended before the call at @now. If its end was not recorded, it ended at @limit at
 * the latest.
 */
static void pop(struct stack *s, size_t now, uint64_t limit)
{
	size_t call = s->calls[s->depth - 1];
	const struct early_call *list = s->all->list;
	uint64_t *times = s->to.times, end = end_time(s->all, now);

	if (!has_end(s, call))
		end = end < limit ? end : limit;
	else
		end = list[call].end == END_OPEN ? s->all->until : list[call].end;
	/*
	 * times[call] is the latest end of the calls inside it. The call's own end is not earlier, even if it seems
	 * so because it is rounded down or unknown.
	 */
	if (times[call] > end)
		end = times[call];
	times[call] = end;
	s->to.ends[call] = now;
	s->running[top_function(s)]--;
	s->depth--;
	if (s->depth && times[s->calls[s->depth - 1]] < end)
		times[s->calls[s->depth - 1]] = end;
}

static void pop_all(struct stack *s, size_t now)
{
	while (s->depth)
		pop(s, now, UINT64_MAX);
}

/* For each call, the index of the last call that it makes itself; its own if there is none. */
static void find_last_uses(const struct early_calls *c, uint32_t *last)
{
	uint32_t *uses = xcalloc(c->name_count, sizeof(*uses));

	/* uses[] is 0 for "none": the first call is not inside another call. */
	for (size_t i = c->count; i > 0; i--) {
		const struct early_call *call = &c->list[i - 1];

		/*
		 * A function may have returned and been called again in a hole. So its calls after the hole do not
		 * show that it was running before.
		 */
		if (is_behind_hole(c, i))
			memset(uses, 0, c->name_count * sizeof(*uses));
		last[i - 1] = uses[call->function] ? uses[call->function] : i - 1;
		uses[call->function] = 0;
		if (!uses[call->parent])
			uses[call->parent] = i - 1;
	}
	free(uses);
}

/* The depth of the topmost call on the stack that has a known end. */
static size_t known_depth(const struct stack *s)
{
	size_t depth = s->depth;

	while (depth && !has_end(s, s->calls[depth - 1]))
		depth--;
	return depth;
}

static bool has_ended(const struct stack *s, const struct early_call *call, const struct early_call *next)
{
	if (call->end == END_OPEN)
		return false;
	/*
	 * A call that ends later is not inside. If an exception interrupts the recorder of @next, the exception's
	 * calls are recorded first, and @next begins with the last of them.
	 */
	if (next->end == END_OPEN ||
	    (next->end != END_UNKNOWN && next->end > call->end + (call->rounded ? s->all->rounding : 0)))
		return true;
	if (call->rounded && next->time < call->end + s->all->rounding)
		return next->parent != call->function;
	return call->end <= next->time;
}

/* For calls with ends. A call without an end ends with the call around it, at the latest. */
static void leave_ended(struct stack *s, size_t i, const uint32_t *last)
{
	const struct early_call *list = s->all->list;
	size_t known, caller;

	while ((known = known_depth(s)) && has_ended(s, &list[s->calls[known - 1]], &list[i])) {
		uint64_t end = list[s->calls[known - 1]].end;

		while (s->depth >= known)
			pop(s, i, end);
	}
	if (s->depth == known)
		return;
	/* Calls above "known" have no end. Does one of them make this call? */
	for (caller = s->depth; caller > known; caller--) {
		if (list[s->calls[caller - 1]].function == list[i].parent)
			break;
	}
	if (caller > known || (known && list[s->calls[known - 1]].function == list[i].parent) ||
	    is_behind_hole(s->all, i)) {
		while (s->depth > caller)
			pop(s, i, UINT64_MAX);
	} else {
		while (s->depth > known && last[s->calls[s->depth - 1]] < i)
			pop(s, i, UINT64_MAX);
	}
}

static void nest(struct stack *s, const uint32_t *last)
{
	const struct early_call *list = s->all->list;
	size_t count = s->all->count;

	for (size_t i = 0; i < count; i++) {
		if (s->all->timed) {
			leave_ended(s, i, last);
			push(s, i);
			continue;
		}
		if (is_behind_hole(s->all, i))
			pop_all(s, i);
		if (s->running[list[i].parent]) {
			while (top_function(s) != list[i].parent)
				pop(s, i, UINT64_MAX);
		} else {
			while (s->depth && last[s->calls[s->depth - 1]] < i)
				pop(s, i, UINT64_MAX);
		}
		push(s, i);
	}
	pop_all(s, count);
}

/* After a tail call from f to g, the recorded caller of g is the caller of f. */
static void count_jumps(const struct early_calls *c, struct early_nesting *n)
{
	for (size_t i = 0; i < c->count; i++) {
		uint32_t outer = n->outer[i], jumps = 0;

		/* Chains of jumps add up: for each jump, the recorder searches one step more. */
		if (c->timed && outer != NO_CALL && c->list[outer].parent == c->list[i].parent &&
		    c->list[outer].function != c->list[i].parent)
			jumps = n->jumps[outer + 1] - n->jumps[outer] + 1;
		n->jumps[i + 1] = n->jumps[i] + jumps;
	}
}

void early_nesting__free(struct early_nesting *n)
{
	free(n->ends);
	free(n->outer);
	free(n->times);
	free(n->jumps);
	memset(n, 0, sizeof(*n));
}

void early_calls__nest(const struct early_calls *c, struct early_nesting *ret)
{
	struct stack s = { .all = c };
	uint32_t *last = xcalloc(c->count, sizeof(*last));

	s.calls = xcalloc(c->count, sizeof(*s.calls));
	s.running = xcalloc(c->name_count, sizeof(*s.running));
	s.to.ends = xcalloc(c->count, sizeof(*s.to.ends));
	s.to.outer = xcalloc(c->count, sizeof(*s.to.outer));
	s.to.times = xcalloc(c->count, sizeof(*s.to.times));
	s.to.jumps = xcalloc(c->count + 1, sizeof(*s.to.jumps));
	find_last_uses(c, last);
	nest(&s, last);
	count_jumps(c, &s.to);
	*ret = s.to;
	free(s.calls);
	free(s.running);
	free(last);
}

/* ---- phases */

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
 * The time of a phase without the recorder's. @partly: the number of its calls of which it has only the part inside
 * the call. Negative: it also has the outside part of so many other calls.
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
		phase->time = (end ?: end_time(c, range.end)) - phase->start;
		phase->net = net_of(s, phase->time, range.end - range.first, jumps, phase->exact);
	}
	for (size_t i = range.first; i < range.end; i++) {
		callers += c->list[i].parent != NO_NAME;
		functions += s->f->oneshot ? c->list[i].function != NO_NAME : s->firsts[i];
	}
	set_counts(phase, s, range.end - range.first, callers, functions);
}

/*
 * ftrace_init() is not traced, so its call by start_kernel() is not recorded. Does its phase, which is never an inner
 * phase, begin with @call?
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
 * The return of ftrace_init() is not recorded either. Its phase ends with its last call. Later calls in @range, by
 * untraced functions, only set up tracing.
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

/* Adds a phase for each call that @parent makes in @range. Calls before the first call by @parent are in no phase. */
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
		/* The call of ftrace_init() itself is not recorded; the range begins with the first call inside it. */
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
		.boot = find_name(f->calls, BOOT_FUNCTION), .ftrace = find_name(f->calls, FTRACE_FUNCTION),
	};

	s.to->phases = xcalloc(0, sizeof(*s.to->phases));
	add_stretches(&s, complete);
	add_rest(&s);
	free(s.firsts);
}
