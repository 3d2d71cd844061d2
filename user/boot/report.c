// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of the early part of a boot; see report.h.
 *
 * The tracer "function" has recorded all calls. Oneshot has recorded only the first hit of each
 * function and of each caller, so phases count hits instead of calls.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "boot/cells.h"
#include "boot/report.h"
#include "boot/spans.h"
#include "boot/start_report.h"
#include "boot/whole.h"

#define BEFORE_ALL "before " BOOT_FUNCTION
#define TRACER "start of tracing"
#define SELF "(" BOOT_FUNCTION " itself)"
/* The text joins phases with a smaller share of the calls and of the time. */
#define SMALLEST_PERCENT 1

bool boot_report__is_oneshot(const struct boot_report *r)
{
	return !strcmp(r->stats.tracer, "oneshot");
}

void boot_report__measure_cost(struct boot_report *r)
{
	struct early_cost cost = early_cost__measure();

	/* Without returns, calls have no times that could include the recorder's. */
	if (!r->calls.timed)
		cost = (struct early_cost){ .calls = cost.entries };
	r->recorder_cycles = cost.calls;
	r->inside_cycles = cost.inside;
	r->jump_cycles = cost.jumps;
}

static int by_self(const void *a, const void *b, void *arg)
{
	const struct early_function *x = a, *y = b;
	const struct boot_report *r = arg;
	uint64_t self = boot_report__self_net(r, x), other = boot_report__self_net(r, y);

	if (self != other)
		return self > other ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

void boot_report__analyse(struct boot_report *r)
{
	if (!r->early)
		return;
	counters__add(&r->lost, "lost", r->stats.lost);
	counters__add(&r->lost, "missing", r->missing);
	early_phases__find(&r->phases, &r->calls, !r->missing);
	r->functions = early_calls__by_calls(&r->calls, &r->function_count);
	if (r->calls.timed) {
		early_times__find(&r->calls, r->functions, r->function_count);
		qsort_r(r->functions, r->function_count, sizeof(*r->functions), by_self, r);
	}
}

void boot_report__free(struct boot_report *r)
{
	kernel__free(&r->kernel);
	free(r->boot_id);
	machine__free(&r->machine);
	early_calls__free(&r->calls);
	counters__free(&r->lost);
	early_phases__free(&r->phases);
	free(r->functions);
	if (r->start)
		boot_start__free(r->start);
	if (r->whole)
		boot_whole__free(r->whole);
}

uint64_t boot_report__first(const struct boot_report *r)
{
	size_t first = r->calls.timeless;

	return r->calls.list[first < r->calls.count ? first : first - 1].time;
}

static uint64_t whole_time(const struct boot_report *r)
{
	return (r->calls.timed ? r->calls.until : r->calls.list[r->calls.count - 1].time) -
	       boot_report__first(r);
}

bool boot_report__knows_net(const struct boot_report *r)
{
	return !boot_report__is_oneshot(r) && r->recorder_cycles && r->stats.tsc_khz &&
	       early_stats__in_ns(&r->stats);
}

uint64_t boot_report__recorder_ns(const struct boot_report *r, uint64_t calls)
{
	if (!boot_report__knows_net(r))
		return 0;
	return early_stats__cycles_ns(&r->stats, calls * r->recorder_cycles / 1000);
}

/* @time without @cycles of the recorder. */
static uint64_t without(const struct boot_report *r, uint64_t time, uint64_t cycles)
{
	uint64_t own = boot_report__knows_net(r) ? early_stats__cycles_ns(&r->stats, cycles) : 0;

	return own < time ? time - own : 0;
}

static struct early_cost cost_of(const struct boot_report *r)
{
	return (struct early_cost){
		.calls = r->recorder_cycles, .inside = r->inside_cycles, .jumps = r->jump_cycles,
	};
}

uint64_t boot_report__net(const struct boot_report *r, const struct early_phase *phase)
{
	int64_t outside = r->recorder_cycles - r->inside_cycles;
	int64_t all = phase->calls * r->recorder_cycles + phase->jumps * r->jump_cycles;

	return without(r, phase->time, (all - phase->partly * outside) / 1000);
}

uint64_t boot_report__inclusive_net(const struct boot_report *r, const struct early_function *f)
{
	struct early_cost cost = cost_of(r);

	return without(r, f->inclusive, early_times__cost_inclusive(f, &cost));
}

uint64_t boot_report__self_net(const struct boot_report *r, const struct early_function *f)
{
	struct early_cost cost = cost_of(r);

	return without(r, f->self, early_times__cost_self(f, &cost));
}

/* The count of a phase: calls, or with oneshot hits. */
static size_t weight(const struct boot_report *r, const struct early_phase *phase)
{
	return boot_report__is_oneshot(r) ? phase->functions : phase->calls;
}

static size_t whole_weight(const struct boot_report *r)
{
	return boot_report__is_oneshot(r) ? early_calls__functions(&r->calls) : r->calls.count;
}

const char *boot_report__phase_name(const struct boot_report *r, const struct early_phase *phase)
{
	if (phase->kind == PHASE_BEFORE)
		return BEFORE_ALL;
	if (phase->kind == PHASE_TRACER)
		return TRACER;
	if (phase->kind == PHASE_SELF)
		return SELF;
	return phase->function == NO_NAME ? NULL : r->calls.names[phase->function];
}

/* ---- text */

const char *boot_report__time_text(const struct boot_report *r, uint64_t time, char *text, size_t room)
{
	if (!early_stats__in_ns(&r->stats))
		snprintf(text, room, "%" PRIu64, time);
	else
		snprintf(text, room, SECONDS, AS_SECONDS(time));
	return text;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

const char *boot_report__shown_name(const struct boot_report *r, const struct early_phase *phase,
				    char *room, size_t size)
{
	const char *name = boot_report__phase_name(r, phase);

	if (name)
		return name;
	if (phase->kind == PHASE_HOLE) {
		snprintf(room, size, "(%" PRIu64 " calls are lost)", phase->lost);
		return room;
	}
	if (boot_report__is_oneshot(r) && phase != r->phases.list)
		return "(a function called before)";
	return "(its beginning is not known)";
}

static void add_percent(struct cells *c, uint64_t part, uint64_t whole)
{
	cell__print(c, "%.1f%%", percent(part, whole));
}

static void add_time(struct cells *c, const struct boot_report *r, uint64_t time)
{
	char text[64];

	cell__text(c, boot_report__time_text(r, time, text, sizeof(text)));
}

/* @from: the phase with the start of this line; NULL: the line has no start */
static struct libscols_line *add_line(struct libscols_table *table, struct libscols_line *parent, const struct boot_report *r,
				      const struct early_phase *phase, const struct early_phase *from, const char *name)
{
	struct cells c = cells__line(table, parent);

	cell__text(&c, name);
	if (!phase->timeless && from)
		add_time(&c, r, from->start - boot_report__first(r));
	else
		cells__skip(&c, 1);
	if (!phase->timeless) {
		add_time(&c, r, phase->time);
		add_time(&c, r, boot_report__net(r, phase));
		add_percent(&c, phase->time, whole_time(r));
	} else {
		cells__skip(&c, 3);
	}
	cell__print(&c, "%zu", weight(r, phase));
	add_percent(&c, weight(r, phase), whole_weight(r));
	cell__print(&c, "%zu", boot_report__is_oneshot(r) ? phase->callers : phase->seen_first);
	return c.line;
}

static struct libscols_line *add_phase(struct libscols_table *table, struct libscols_line *parent,
				       const struct boot_report *r, const struct early_phase *phase)
{
	char room[64];

	return add_line(table, parent, r, phase, phase->kind == PHASE_SELF ? NULL : phase,
			boot_report__shown_name(r, phase, room, sizeof(room)));
}

/* Joins @count phases in one line. */
static void add_others(struct libscols_table *table, struct libscols_line *parent, const struct boot_report *r,
		       const struct early_phase *sum, const struct early_phase *from, size_t count)
{
	char name[64];

	snprintf(name, sizeof(name), "(%zu others)", count);
	add_line(table, parent, r, sum, from, name);
}

static bool is_small(const struct boot_report *r, const struct early_phase *phase)
{
	return phase->kind != PHASE_HOLE && phase->kind != PHASE_SELF &&
	       percent(phase->time, whole_time(r)) < SMALLEST_PERCENT &&
	       percent(weight(r, phase), whole_weight(r)) < SMALLEST_PERCENT;
}

static void fold(struct early_phase *into, const struct early_phase *phase)
{
	into->timeless |= phase->timeless;
	into->time += phase->time;
	into->partly += phase->partly;
	into->jumps += phase->jumps;
	into->calls += phase->calls;
	into->functions += phase->functions;
	into->callers += phase->callers;
	into->seen_first += phase->seen_first;
}

/*
 * Adds the inner phases. Small phases are joined in a line at the end; if all are small, no line is
 * added.
 */
static void add_inner(struct libscols_table *table, struct libscols_line *parent, const struct boot_report *r,
		      const struct early_phase *phase)
{
	struct early_phase others = {};
	size_t small = 0;

	for (size_t i = 0; i < phase->inner_count; i++)
		small += is_small(r, &phase->inner[i]);
	if (small == phase->inner_count)
		return;
	for (size_t i = 0; i < phase->inner_count; i++) {
		if (is_small(r, &phase->inner[i]) && small > 1)
			fold(&others, &phase->inner[i]);
		else
			add_phase(table, parent, r, &phase->inner[i]);
	}
	if (small > 1)
		add_others(table, parent, r, &others, NULL, small);
}

/* The number of consecutive small phases that all have times, or that all have no time. */
static size_t run_length(const struct boot_report *r, size_t first)
{
	const struct early_phase *list = r->phases.list;
	size_t end = first;

	while (end < r->phases.count && is_small(r, &list[end]) &&
	       list[end].timeless == list[first].timeless)
		end++;
	return end - first;
}

/*
 * Joins consecutive small phases in one line, with the start of the first phase. Their inner phases
 * are not shown.
 */
static void add_run(struct libscols_table *table, const struct boot_report *r, size_t first, size_t count)
{
	struct early_phase others = {};

	for (size_t i = first; i < first + count; i++)
		fold(&others, &r->phases.list[i]);
	add_others(table, NULL, r, &others, &r->phases.list[first], count);
}

static void add_outer(struct libscols_table *table, const struct boot_report *r)
{
	for (size_t i = 0; i < r->phases.count;) {
		const struct early_phase *phase = &r->phases.list[i];
		size_t small = run_length(r, i);

		if (small > 1) {
			add_run(table, r, i, small);
			i += small;
			continue;
		}
		add_inner(table, add_phase(table, NULL, r, phase), r, phase);
		i++;
	}
}

static void print_phases(const struct boot_report *r, FILE *out)
{
	bool oneshot = boot_report__is_oneshot(r);
	const struct column columns[] = {
		{ "PHASE", 0.4, SCOLS_FL_TREE }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT },
		{ "NET", 10, RIGHT | (boot_report__knows_net(r) ? 0 : SCOLS_FL_HIDDEN) }, { "SHARE", 7, RIGHT },
		{ oneshot ? "FUNCTIONS" : "CALLS", 9, RIGHT }, { "SHARE", 7, RIGHT }, { oneshot ? "CALLERS" : "NEW", 7, RIGHT }, { }
	};
	struct libscols_table *table = cells__table(out, columns);

	add_outer(table, r);
	table__print(table);
}

static void add_times(struct cells *c, const struct boot_report *r, const struct early_function *f)
{
	const uint64_t times[] = { f->self, boot_report__self_net(r, f), f->inclusive, boot_report__inclusive_net(r, f) };
	char text[64];

	for (size_t i = 0; i < 4; i++)
		cell__text(c, r->calls.timed ? boot_report__time_text(r, times[i], text, sizeof(text)) : NULL);
}

/* Prints the times of functions if returns were recorded, otherwise only their calls. */
static void print_functions(const struct boot_report *r, size_t most, FILE *out)
{
	int times = RIGHT | (r->calls.timed ? 0 : SCOLS_FL_HIDDEN);
	int nets = times | (boot_report__knows_net(r) ? 0 : SCOLS_FL_HIDDEN);
	const struct column columns[] = {
		{ "FUNCTION", 0.4 }, { "SELF", 10, times }, { "NET", 10, nets }, { "INCLUSIVE", 10, times }, { "NET", 10, nets },
		{ "CALLS", 9, RIGHT }, { "SHARE", 7, RIGHT | (r->calls.timed ? SCOLS_FL_HIDDEN : 0) }, { }
	};
	struct libscols_table *table = cells__table(out, columns);

	for (size_t i = 0; i < r->function_count && i < most; i++) {
		const struct early_function *f = &r->functions[i];
		struct cells c = cells__line(table, NULL);

		cell__text(&c, r->calls.names[f->name]);
		add_times(&c, r, f);
		cell__print(&c, "%zu", f->calls);
		cell__share(&c, f->calls, r->calls.count);
	}
	cells__print(table, most, r->function_count, out);
}

static void print_ftrace(const struct boot_report *r, FILE *out)
{
	const struct early_calls *c = &r->calls;
	char text[64];

	if (c->ftrace_init == SIZE_MAX)
		return;
	if (c->ftrace_init < c->timeless) {
		fprintf(out, "Before " FTRACE_FUNCTION ": %zu calls\n", c->ftrace_init);
		return;
	}
	fprintf(out, "Before " FTRACE_FUNCTION ": %zu calls, %s%s\n", c->ftrace_init,
		boot_report__time_text(r, c->list[c->ftrace_init].time - boot_report__first(r), text, sizeof(text)),
		early_stats__in_ns(&r->stats) ? " s" : "");
}

static void print_hand_over(const struct early_stats *s, FILE *out)
{
	if (early_stats__has_hand_over(s))
		fprintf(out, "Hand-over: %.3f s to change the call sites; later, a worker showed the "
			"calls within %.3f s\n", early_stats__cycles_ns(s, s->convert_cycles) / 1e9,
			early_stats__cycles_ns(s, s->show_cycles) / 1e9);
}

static void print_time(const struct boot_report *r, FILE *out)
{
	char text[3][64];
	uint64_t first = boot_report__first(r);

	if (r->calls.timeless == r->calls.count) {
		fprintf(out, "Time:      unknown\n");
		return;
	}
	fprintf(out, "Time:      %s%s, from %s to %s of the clock %s\n",
		boot_report__time_text(r, whole_time(r), text[0], sizeof(text[0])),
		early_stats__in_ns(&r->stats) ? " s" : "",
		boot_report__time_text(r, first, text[1], sizeof(text[1])),
		boot_report__time_text(r, first + whole_time(r), text[2], sizeof(text[2])),
		r->stats.clock);
	if (r->calls.timeless)
		fprintf(out, "           without the first %zu hits: this clock began later\n",
			r->calls.timeless);
	if (boot_report__knows_net(r))
		fprintf(out, "Recorder:  about %s s of that, %.1f ns a call; NET is the rest\n",
			boot_report__time_text(r, boot_report__recorder_ns(r, r->calls.count - r->calls.timeless),
				  text[0], sizeof(text[0])),
			boot_report__recorder_ns(r, 1000) / 1000.0);
}

static void print_totals(const struct boot_report *r, FILE *out)
{
	const struct early_stats *s = &r->stats;
	bool lost = false;

	if (boot_report__is_oneshot(r))
		fprintf(out, "Functions: %zu\nCallers:   %zu places that called one\n",
			early_calls__functions(&r->calls), early_calls__callers(&r->calls));
	else
		fprintf(out, "Calls:     %zu of %zu functions\n", r->calls.count,
			r->function_count);
	if (r->calls.timed)
		fprintf(out, "Returns:   %zu were recorded, so times of calls and phases are exact%s; "
			"%zu had not returned yet, and end here\n",
			r->calls.count - r->calls.open - r->calls.unknown,
			r->calls.unknown ? ", but for those that are not known" : "", r->calls.open);
	fprintf(out, "Tracer:    %s, at %" PRIu64 " sites\n", s->tracer, s->sites);
	print_time(r, out);
	print_ftrace(r, out);
	print_hand_over(s, out);
	fprintf(out, "Lost:     ");
	for (size_t i = 0; i < r->lost.count; i++) {
		if (!r->lost.list[i].value)
			continue;
		fprintf(out, " %s %" PRIu64, r->lost.list[i].name, r->lost.list[i].value);
		lost = true;
	}
	fprintf(out, lost ? "\n" : " nothing\n");
	fprintf(out, "Inlined functions cannot be seen, nor can those the kernel keeps from tracing "
		"(notrace): a function that is not here may have run all the same.\n");
}

static void print_early(const struct boot_report *r, size_t most, FILE *out)
{
	fprintf(out, "The boot of %s, from before " BOOT_FUNCTION "() until the %s tracer took "
		"over\n\n", r->kernel.id.release, r->stats.tracer);
	print_phases(r, out);
	fputc('\n', out);
	if (!boot_report__is_oneshot(r)) {
		print_functions(r, most, out);
		fputc('\n', out);
	}
	print_totals(r, out);
}

void boot_report__text(const struct boot_report *r, size_t most, FILE *out)
{
	if (r->whole)
		boot_whole__text(r->whole, out);
	if (r->whole && (r->early || r->start))
		fputc('\n', out);
	if (r->early)
		print_early(r, most, out);
	if (r->early && r->start)
		fputc('\n', out);
	if (r->start)
		boot_start__text(r->start, most, out);
	if (r->whole)
		boot_whole__units_text(r->whole, most, out);
}

/* ---- losses */

static const struct {
	const char *name, *meaning;
} meanings[] = {
	{ "lost", "calls for which the early buffer had no room; ftrace_filter= or ftrace_notrace= makes "
	  "them fewer, CONFIG_VERY_EARLY_FTRACE_BUF_SHIFT the buffer larger" },
	{ "missing", "the first early calls, which are no longer in the instance \"early\": somebody has "
	  "read its trace_pipe, or its trace_pipe_raw" },
};

void boot_report__losses(const struct boot_report *r)
{
	if (r->start)
		boot_start__losses(r->start);
	if (r->whole)
		boot_whole__losses(r->whole);
	if (!r->early)
		return;
	for (size_t i = 0; i < r->lost.count; i++) {
		const char *meaning = "";

		if (!r->lost.list[i].value)
			continue;
		for (size_t j = 0; j < sizeof(meanings) / sizeof(meanings[0]); j++) {
			if (!strcmp(meanings[j].name, r->lost.list[i].name))
				meaning = meanings[j].meaning;
		}
		error__print("early: lost: %s %" PRIu64 ": %s", r->lost.list[i].name,
			     r->lost.list[i].value, meaning);
	}
	if (r->calls.unknown)
		error__warn("early: the durations of %zu calls are not known (512 others were around them, or the clock "
			    "was set back): they are taken to end with the next call that is not from inside them", r->calls.unknown);
	if (!early_stats__in_ns(&r->stats))
		error__warn("times are cycles: the kernel does not know the TSC's frequency; boot with "
			    "tsc_early_khz=");
	if (r->stats.before_zero)
		error__warn("%" PRIu64 " hits have no time: the clock began after them; with "
			    "ftrace=function, each call has one", r->stats.before_zero);
	if (r->stats.differing)
		error__warn("ftrace_filter= and ftrace_notrace= selected something else early than "
			    "later, at %" PRIu64 " sites", r->stats.differing);
}
