// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stores the calls of the early boot, and finds how they nest; see early.h.
 *
 * If returns were recorded, the times of calls nest: on one CPU, a call is inside all calls that
 * have begun and not ended. The rules below are for recordings without returns, and for the few
 * calls whose return was not recorded for lack of room.
 *
 * Such a call has a function and a caller, but no return. So this keeps a stack of running
 * functions. A call by p ends all functions that p had called before, and their inner functions;
 * then p is on top, and the new function goes above it. The span of a function lasts as long as the
 * function is on the stack, which is until the next call from outside the function. So its time may
 * be too long, by the time that its caller spends itself, but never too short.
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
#include <stdlib.h>
#include <string.h>

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

uint32_t early_calls__find(const struct early_calls *c, const char *name)
{
	struct lh_entry *entry = lh_table_lookup_entry(c->ids, name);

	return entry ? (uintptr_t)lh_entry_v(entry) : NO_NAME;
}

uint32_t early_calls__intern(struct early_calls *c, const char *name)
{
	uint32_t id = early_calls__find(c, name);

	if (id != NO_NAME)
		return id;
	id = c->name_count;
	name = strings__add(c->store, name);
	*LIST_ADD(c->names, c->name_count) = name;
	index__add(c->ids, name, (void *)(uintptr_t)id);
	return id;
}

void early_calls__add(struct early_calls *c, uint64_t time, uint32_t function, uint32_t parent)
{
	*LIST_ADD(c->list, c->count) = (struct early_call){ time, END_UNKNOWN, function, parent, false };
	if (time > c->until)
		c->until = time;
}

void early_calls__set_end(struct early_calls *c, uint64_t end, bool rounded)
{
	struct early_call *last = &c->list[c->count - 1];

	c->timed = true;
	last->end = end;
	last->rounded = rounded;
	if (end == END_OPEN)
		c->open++;
	else if (end == END_UNKNOWN)
		c->unknown++;
	else if (end > c->until)
		c->until = end;
}

void early_calls__add_hole(struct early_calls *c, size_t before, uint64_t lost)
{
	if (c->hole_count && c->holes[c->hole_count - 1].before == before)
		c->holes[c->hole_count - 1].lost += lost;
	else
		*LIST_ADD(c->holes, c->hole_count) = (struct early_hole){ before, lost };
}

bool early_calls__behind_hole(const struct early_calls *c, size_t index)
{
	for (size_t i = 0; i < c->hole_count; i++) {
		if (c->holes[i].before == index)
			return true;
	}
	return false;
}

uint64_t early_calls__end_time(const struct early_calls *c, size_t end)
{
	return c->list[end < c->count && !early_calls__behind_hole(c, end) ? end : end - 1].time;
}

void early_calls__mark_ftrace(struct early_calls *c, size_t index)
{
	/* 0 means that the kernel does not know the index. */
	if (!index || index >= c->count)
		return;
	/* The phase of this function needs the name, which may not occur in any call. */
	early_calls__intern(c, FTRACE_FUNCTION);
	c->ftrace_init = index;
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
 * Removes the call on top, which ended before the call at @now. If its end was not recorded, it
 * ended at @limit at the latest.
 */
static void pop(struct stack *s, size_t now, uint64_t limit)
{
	size_t call = s->calls[s->depth - 1];
	const struct early_call *list = s->all->list;
	uint64_t *times = s->to.times, end = early_calls__end_time(s->all, now);

	if (!has_end(s, call))
		end = end < limit ? end : limit;
	else
		end = list[call].end == END_OPEN ? s->all->until : list[call].end;
	/*
	 * times[call] is the latest end of the calls inside it. The call's own end is not earlier,
	 * even if it seems so because it is rounded down or unknown.
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
		 * A function may have returned and been called again in a hole. So its calls after
		 * the hole do not show that it was running before.
		 */
		if (early_calls__behind_hole(c, i))
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
	 * A call that ends later is not inside. If an exception interrupts the recorder of @next,
	 * the exception's calls are recorded first, and @next begins with the last of them.
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
	    early_calls__behind_hole(s->all, i)) {
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
		if (early_calls__behind_hole(s->all, i))
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
