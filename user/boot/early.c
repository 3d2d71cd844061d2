// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fills the early part of a boot; see early.h.
 *
 * The tracer "function" has recorded all calls. Oneshot has recorded only the first hit of each function and of each
 * caller, so phases count hits instead of calls.
 */
#include "base/index.h"
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

/* The nanoseconds of TSC cycles whose frequency is known if @is_known. */
static int64_t known_cycles(const struct early_filler *f, bool is_known, uint64_t cycles)
{
	return is_known ? (int64_t)early_stats__cycles_ns(f->stats, cycles) : NOT_KNOWN;
}

const char *early_filler__name(struct early_filler *f, uint32_t name)
{
	return strings__intern(f->b->store, f->calls->names[name]);
}

int64_t early_filler__net(const struct early_filler *f, uint64_t time, uint64_t cycles)
{
	uint64_t own = known_cycles(f, f->knows_net, cycles);

	return known(f->knows_net, own < time ? time - own : 0);
}

/* ---- functions */

/* A function while its times are summed up, with 1,000 times the cycles of the recorder that are in them. */
struct function {
	struct boot_function to;
	uint32_t name;
	int64_t in_self, in_inclusive;
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
	const struct early_cost *cost = &f->cost;
	uint64_t took = n->times[i] - c->list[i].time;
	struct function *function = &list[c->list[i].function];

	function->to.self += took;
	function->in_self += cost->inside + (n->jumps[i + 1] - n->jumps[i]) * cost->jumps;
	function->to.open += c->list[i].end == END_OPEN;
	function->to.unknown += c->list[i].end == END_UNKNOWN;
	if (n->outer[i] != NO_CALL) {
		struct function *outer = &list[c->list[n->outer[i]].function];

		/* May become negative for a while. Only the final sum counts. */
		outer->to.self -= took;
		outer->in_self += cost->calls - cost->inside;
	}
	if (is_recursion(c, n, i))
		return;
	function->to.inclusive += took;
	function->in_inclusive += cost->inside + (n->ends[i] - i - 1) * cost->calls +
				  (n->jumps[n->ends[i]] - n->jumps[i]) * cost->jumps;
}

static void finish_function(struct early_filler *f, struct function *function)
{
	struct boot_function *to = &function->to;

	to->name = early_filler__name(f, function->name);
	if (!f->calls->timed) {
		to->inclusive = to->self = to->inclusive_net = to->self_net = to->open = to->unknown = NOT_KNOWN;
	} else {
		/* Calls of an exception inside the recorder overlap with the call being recorded. */
		if (to->self < 0)
			to->self = 0;
		to->inclusive_net = early_filler__net(f, to->inclusive, function->in_inclusive / 1000);
		to->self_net = early_filler__net(f, to->self, function->in_self / 1000);
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

/* An outer call is at least as long as its inner calls, and begins earlier. So it is not dropped before them. */
static void fill_longest(struct early_filler *f)
{
	struct span_list *to = &f->b->early.longest;
	uint32_t *order = xcalloc(f->calls->count, sizeof(*order)), count = 0;
	bool *is_long = xcalloc(f->calls->count, sizeof(*is_long));

	for (; count < f->calls->count; count++)
		order[count] = count;
	qsort_r(order, count, sizeof(*order), by_length, f);
	for (uint32_t i = 0; i < count && i < MOST_CALLS; i++)
		is_long[order[i]] = true;
	to->list = xcalloc(0, sizeof(*to->list));
	for (uint32_t i = 0; i < count; i++) {
		const struct early_call *call = &f->calls->list[i];

		if (is_long[i])
			*LIST_ADD(to->list, to->count) = (struct span){
				SPAN_NONE, .class = SPAN_CALL, .name = early_filler__name(f, call->function),
				.in = early_filler__name(f, call->parent), .start = call->time, .end = f->nesting.times[i],
				.note = !f->calls->timed ? NULL : call->end == END_OPEN ? "had not returned" :
					call->end == END_UNKNOWN ? "not exact" : NULL,
			};
	}
	free(order);
	free(is_long);
}

/* The index of the stack of a function inside of the stack @outer; adds it if it is new. */
static int64_t find_stack(struct early_filler *f, struct lh_table *index, int64_t outer, uint32_t name)
{
	struct boot_early *e = &f->b->early;
	const void *found, *key = (void *)(uintptr_t)((uint64_t)(outer + 1) << 32 | name);

	if (lh_table_lookup_ex(index, key, (void **)&found))
		return (uintptr_t)found;
	index__add(index, key, (void *)e->stack_count);
	*LIST_ADD(e->stacks, e->stack_count) = (struct boot_stack){ .name = early_filler__name(f, name), .outer = outer };
	return e->stack_count - 1;
}

static void fill_stacks(struct early_filler *f)
{
	const struct early_calls *c = f->calls;
	const struct early_nesting *n = &f->nesting;
	struct boot_early *e = &f->b->early;
	struct lh_table *index = index__of_addresses(1024);
	int64_t *stack_of = xcalloc(c->count, sizeof(*stack_of));

	e->stacks = xcalloc(0, sizeof(*e->stacks));
	for (size_t i = 0; i < c->count; i++) {
		int64_t took = n->times[i] - c->list[i].time, outer = n->outer[i] == NO_CALL ? -1 : stack_of[n->outer[i]];

		stack_of[i] = find_stack(f, index, outer, c->list[i].function);
		e->stacks[stack_of[i]].self += took;
		if (outer >= 0)
			e->stacks[outer].self -= took;
	}
	lh_table_free(index);
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
	e->thousand_calls = known_cycles(f, f->knows_net, f->cost.calls);
	e->thousand_inside = known_cycles(f, f->knows_net && f->calls->timed, f->cost.inside);
	e->convert = known_cycles(f, hand_over, s->convert_cycles);
	e->show = known_cycles(f, hand_over, s->show_cycles);
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
