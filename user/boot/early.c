// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fills the early part of a boot; see early.h.
 *
 * The tracer "function" has recorded all calls. Oneshot has recorded only the first hit of each function and of each
 * caller, so phases count hits instead of calls.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sorted.h"
#include "boot/early.h"
#include "kernel/running.h"

/* With more calls, a viewer of traces shows only noise, if it can open the file at all. */
#define MOST_CALLS 2000

static int64_t known(bool is_known, uint64_t value)
{
	return is_known ? (int64_t)value : NOT_KNOWN;
}

const char *early_filler__name(struct early_filler *f, uint32_t name)
{
	return strings__intern(f->b->store, f->calls->names[name]);
}

int64_t early_filler__net(const struct early_filler *f, uint64_t time, uint64_t cycles)
{
	uint64_t own = f->knows_net ? early_stats__cycles_ns(f->stats, cycles) : 0;

	return known(f->knows_net, own < time ? time - own : 0);
}

/* ---- functions */

/* What is known of a function while it is found: the calls and jumps in its times, of which the recorder's part is known. */
struct function {
	struct boot_function to;	/* without "first", "inclusive" and "self" are sums */
	uint32_t name;
	uint64_t outermost;		/* its calls without the recursive calls */
	uint64_t inside;		/* calls of any function inside its outermost calls */
	uint64_t jumps, jumps_inside;	/* jumps to it; all in its outermost calls */
	uint64_t direct;		/* calls by it, or by untraced functions inside it */
};

/* Is the call inside another call of its function? */
static bool is_recursion(const struct early_calls *c, const struct early_nesting *n, size_t call)
{
	uint32_t function = c->list[call].function, outer = n->outer[call];

	while (outer != NO_CALL && c->list[outer].function != function)
		outer = n->outer[outer];
	return outer != NO_CALL;
}

/*
 * A call's own time excludes the calls that were recorded inside it. So it includes the time of untraced functions
 * inside it. The recorder reads the clock at the entry and at the return of a call, each time in the middle of its
 * own work. Work between the two readings counts for the call, other work for the caller.
 */
static void add_times(const struct early_filler *f, struct function *list, size_t i)
{
	const struct early_calls *c = f->calls;
	const struct early_nesting *n = &f->nesting;
	uint64_t took = n->times[i] - c->list[i].time;
	struct function *function = &list[c->list[i].function];

	function->to.self += took;
	function->jumps += n->jumps[i + 1] - n->jumps[i];
	function->to.open += c->list[i].end == END_OPEN;
	function->to.unknown += c->list[i].end == END_UNKNOWN;
	if (n->outer[i] != NO_CALL) {
		/* May become negative for a while. Only the final sum counts. */
		list[c->list[n->outer[i]].function].to.self -= took;
		list[c->list[n->outer[i]].function].direct++;
	}
	if (is_recursion(c, n, i))
		return;
	function->to.inclusive += took;
	function->outermost++;
	function->inside += n->ends[i] - i - 1;
	function->jumps_inside += n->jumps[n->ends[i]] - n->jumps[i];
}

static void finish_function(struct early_filler *f, struct function *function)
{
	struct boot_function *to = &function->to;
	const struct early_cost *c = &f->cost;
	uint64_t inclusive = function->outermost * c->inside + function->inside * c->calls + function->jumps_inside * c->jumps;
	uint64_t self = to->calls * c->inside + function->direct * (c->calls - c->inside) + function->jumps * c->jumps;

	to->name = early_filler__name(f, function->name);
	if (!f->calls->timed) {
		to->inclusive = to->self = to->inclusive_net = to->self_net = to->open = to->unknown = NOT_KNOWN;
	} else {
		/* Calls of an exception inside the recorder overlap with the call being recorded. */
		if (to->self < 0)
			to->self = 0;
		to->inclusive_net = early_filler__net(f, to->inclusive, inclusive / 1000);
		to->self_net = early_filler__net(f, to->self, self / 1000);
	}
	if (f->oneshot)
		to->calls = NOT_KNOWN;
}

/* By own time, without the recorder's if that is known; or else by calls, then by their first calls. */
static int by_time_or_calls(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->to.self_net != NOT_KNOWN)
		return ORDER(y->to.self_net, x->to.self_net) ?: ORDER(x->name, y->name);
	if (x->to.self != NOT_KNOWN)
		return ORDER(y->to.self, x->to.self) ?: ORDER(x->name, y->name);
	return ORDER(y->to.calls, x->to.calls) ?: ORDER(x->to.first, y->to.first) ?: ORDER(x->name, y->name);
}

static void fill_functions(struct early_filler *f)
{
	const struct early_calls *c = f->calls;
	struct boot_early *e = &f->b->early;
	struct function *list = xcalloc(c->name_count, sizeof(*list));

	for (size_t i = 0; i < c->count; i++) {
		struct function *function = &list[c->list[i].function];

		if (c->list[i].function == NO_NAME)
			continue;
		if (!function->to.calls++)
			function->to.first = known(i >= c->timeless, c->list[i].time);
		if (c->timed)
			add_times(f, list, i);
	}
	/* Leaves out functions that were only callers. */
	for (size_t i = 0; i < c->name_count; i++) {
		if (!list[i].to.calls)
			continue;
		list[i].name = i;
		finish_function(f, &list[i]);
		list[e->function_count++] = list[i];
	}
	qsort(list, e->function_count, sizeof(*list), by_time_or_calls);
	e->function_list = xcalloc(e->function_count, sizeof(*e->function_list));
	for (size_t i = 0; i < e->function_count; i++)
		e->function_list[i] = list[i].to;
	free(list);
}

/* ---- calls and stacks */

static int by_length(const void *a, const void *b, void *arg)
{
	const struct early_filler *f = arg;
	const uint32_t *x = a, *y = b;
	uint64_t length = f->nesting.times[*x] - f->calls->list[*x].time, other = f->nesting.times[*y] - f->calls->list[*y].time;

	return ORDER(other, length) ?: ORDER(*x, *y);
}

static int by_index(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return ORDER(*x, *y);
}

/* An outer call is at least as long as its inner calls, and begins earlier. So it is not dropped before them. */
static void fill_longest(struct early_filler *f)
{
	struct span_list *to = &f->b->early.longest;
	uint32_t *order = xcalloc(f->calls->count, sizeof(*order)), count = 0;

	while (count < f->calls->count) {
		order[count] = count;
		count++;
	}
	qsort_r(order, count, sizeof(*order), by_length, f);
	to->count = count < MOST_CALLS ? count : MOST_CALLS;
	qsort(order, to->count, sizeof(*order), by_index);
	to->list = xcalloc(to->count, sizeof(*to->list));
	for (size_t i = 0; i < to->count; i++) {
		const struct early_call *call = &f->calls->list[order[i]];

		to->list[i] = (struct span){
			SPAN_NONE, .class = SPAN_CALL, .name = early_filler__name(f, call->function),
			.in = early_filler__name(f, call->parent), .start = call->time, .end = f->nesting.times[order[i]],
			.note = !f->calls->timed ? NULL : call->end == END_OPEN ? "had not returned" :
				call->end == END_UNKNOWN ? "not exact" : NULL,
		};
	}
	free(order);
}

/* While stacks are made: the stacks directly inside each one, as a list. -1: none. */
struct inner_stacks {
	int64_t first, last, next;
};

static int64_t find_stack(struct early_filler *f, struct inner_stacks **links, size_t *link_count, int64_t outer, const char *name)
{
	struct boot_early *e = &f->b->early;
	int64_t new = e->stack_count, i = (*links)[outer + 1].first;

	/* Names are the same if they have the same address. */
	for (; i >= 0; i = (*links)[i + 1].next) {
		if (e->stacks[i].name == name)
			return i;
	}
	*LIST_ADD(e->stacks, e->stack_count) = (struct boot_stack){ .name = name, .outer = outer };
	*LIST_ADD(*links, *link_count) = (struct inner_stacks){ -1, -1, -1 };
	i = (*links)[outer + 1].last;
	*(i < 0 ? &(*links)[outer + 1].first : &(*links)[i + 1].next) = new;
	(*links)[outer + 1].last = new;
	return new;
}

static void fill_stacks(struct early_filler *f)
{
	const struct early_calls *c = f->calls;
	const struct early_nesting *n = &f->nesting;
	struct boot_early *e = &f->b->early;
	struct inner_stacks *links = NULL;
	int64_t *stack_of = xcalloc(c->count, sizeof(*stack_of));
	const char **names = xcalloc(c->name_count, sizeof(*names));
	size_t link_count = 0;

	for (size_t i = 0; i < c->name_count; i++)
		names[i] = early_filler__name(f, i);
	e->stacks = xcalloc(0, sizeof(*e->stacks));
	*LIST_ADD(links, link_count) = (struct inner_stacks){ -1, -1, -1 };
	for (size_t i = 0; i < c->count; i++) {
		int64_t took = n->times[i] - c->list[i].time, outer = n->outer[i] == NO_CALL ? -1 : stack_of[n->outer[i]];

		stack_of[i] = find_stack(f, &links, &link_count, outer, names[c->list[i].function]);
		e->stacks[stack_of[i]].self += took;
		if (outer >= 0)
			e->stacks[outer].self -= took;
	}
	free(names);
	free(links);
	free(stack_of);
}

/* ---- all */

/* The counts of calls and returns. */
static void fill_totals(struct early_filler *f)
{
	const struct early_calls *c = f->calls;
	const struct early_stats *s = f->stats;
	struct boot_early *e = &f->b->early;
	size_t first = c->timeless < c->count ? c->timeless : c->timeless - 1, functions = 0, callers = 0;

	e->begin = c->list[first].time;
	e->until = c->timed ? c->until : c->list[c->count - 1].time;
	e->recorded = s->recorded;
	e->calls = known(!f->oneshot, c->count);
	for (size_t i = 0; i < c->count; i++) {
		functions += c->list[i].function != NO_NAME;
		callers += c->list[i].parent != NO_NAME;
	}
	e->functions = f->oneshot ? functions : e->function_count;
	e->callers = known(f->oneshot, callers);
	e->timeless = c->timeless;
	e->returns = known(c->timed, c->count - c->open - c->unknown);
	e->open = known(c->timed, c->open);
	e->unknown = known(c->timed, c->unknown);
	e->sites = s->sites;
	e->differing = s->differing;
	if (c->ftrace_init != SIZE_MAX) {
		e->before_ftrace_init = c->ftrace_init;
		e->ftrace_init = known(c->ftrace_init >= c->timeless, c->list[c->ftrace_init].time);
	}
}

static void fill_head(struct early_filler *f, uint64_t missing)
{
	const struct early_stats *s = f->stats;
	struct boot_early *e = &f->b->early;
	bool hand_over = early_stats__has_hand_over(s);

	e->tracer = strings__intern(f->b->store, s->tracer);
	e->clock = strings__intern(f->b->store, s->clock);
	e->counts = !early_stats__in_ns(s);
	e->cpu = s->cpu;
	e->first = known(!s->before_zero, early_stats__time(s, s->first));
	e->last = early_stats__time(s, s->last);
	e->before_zero = s->before_zero;
	e->tsc_khz = known(s->tsc_khz, s->tsc_khz);
	counters__add(&e->lost, "lost", s->lost);
	counters__add(&e->lost, "missing", missing);
	e->buffer_bytes = s->buffer_bytes;
	e->ring_buffer_bytes = s->ring_buffer_bytes;
	e->thousand_calls = known(f->knows_net, f->knows_net ? early_stats__cycles_ns(s, f->cost.calls) : 0);
	e->thousand_inside = f->knows_net && f->calls->timed ? (int64_t)early_stats__cycles_ns(s, f->cost.inside) : NOT_KNOWN;
	e->convert = known(hand_over, hand_over ? early_stats__cycles_ns(s, s->convert_cycles) : 0);
	e->show = known(hand_over, hand_over ? early_stats__cycles_ns(s, s->show_cycles) : 0);
	if (!f->oneshot && !strcmp(s->clock, "x86-tsc"))
		f->b->first_call = s->first;
}

void early__fill(struct boot *b, const struct early_stats *stats, const struct early_calls *calls, uint64_t missing)
{
	struct early_filler f = { .b = b, .stats = stats, .calls = calls, .oneshot = !strcmp(stats->tracer, "oneshot") };

	f.knows_net = !f.oneshot && stats->recorder_cycles && stats->tsc_khz && early_stats__in_ns(stats);
	f.cost.calls = stats->recorder_cycles;
	/* Without returns, calls have no times that could include the recorder's. */
	if (calls->timed) {
		f.cost.inside = stats->inside_cycles;
		f.cost.jumps = stats->jump_cycles;
	}
	if (!f.oneshot)
		early_calls__nest(calls, &f.nesting);
	fill_head(&f, missing);
	early_phases__find(&f, !missing);
	fill_functions(&f);
	fill_totals(&f);
	if (!f.oneshot)
		fill_longest(&f);
	if (calls->timed)
		fill_stacks(&f);
	early_nesting__free(&f.nesting);
}

/* Early calls are of vmlinux, so their names need no files of modules. */
static int load_hits(struct early_calls *c, const struct early_stats *stats, const char *dir)
{
	struct kernel kernel = {};
	struct places places = { .kernel = &kernel };
	int err = kernel__load(&kernel, KERNEL_ID | KERNEL_LISTS | KERNEL_SITES, NULL) ?:
		  early_calls__load_oneshot(c, stats, dir, &places);

	kernel__free(&kernel);
	return err;
}

int early__record(struct boot *b, const struct early_stats *stats, const char *dir)
{
	struct early_calls calls;
	uint64_t missing = 0;
	int err;

	early_calls__init(&calls);
	err = strcmp(stats->tracer, "oneshot") ? early_calls__load(&calls, stats, dir, &missing) : load_hits(&calls, stats, dir);
	if (!err)
		early__fill(b, stats, &calls, missing);
	early_calls__free(&calls);
	return err;
}
