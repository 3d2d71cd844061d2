// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints a boot as text; see boot.h. The account and units are in account.c.
 *
 * The task of the initcalls does one thing after the other until it becomes init. So the rows of
 * levels add up to its whole time: the time before the levels; each level, with its initcalls and the
 * time between initcalls; and the time after the last initcall.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "boot/boot.h"
#include "boot/cells.h"

/* Phases with a smaller share of the calls and of the time are joined. */
#define SMALLEST_PERCENT 1
/* The text lists so many CPUs. */
#define MOST_CPUS 8

static double percent(int64_t part, int64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

/* ---- the phases of the early part */

/* The count of a phase: calls, or with oneshot hits. */
static int64_t weight(const struct boot *b, const struct boot_phase *phase)
{
	return boot__is_oneshot(b) ? phase->functions : phase->calls;
}

static int64_t whole_weight(const struct boot_early *e)
{
	return e->calls == NOT_KNOWN ? e->functions : e->calls;
}

static int64_t whole_time(const struct boot_early *e)
{
	return e->until - e->begin;
}

const char *boot_phase__name(const struct boot *b, const struct boot_phase *phase, char *room, size_t size)
{
	if (phase->name)
		return phase->name;
	if (phase->kind == PHASE_HOLE) {
		snprintf(room, size, "(%" PRId64 " calls are lost)", phase->lost);
		return room;
	}
	if (boot__is_oneshot(b) && phase != b->early.phases)
		return "(a function called before)";
	return "(its beginning is not known)";
}

/* A time of the early part: seconds, or cycles. */
static const char *early_time(const struct boot_early *e, int64_t time, char *text, size_t room)
{
	if (e->counts)
		snprintf(text, room, "%" PRId64, time);
	else
		snprintf(text, room, SECONDS, AS_SECONDS(time));
	return text;
}

static void cell__early(struct cells *c, const struct boot_early *e, int64_t time)
{
	char text[64];

	cell__text(c, time == NOT_KNOWN ? NULL : early_time(e, time, text, sizeof(text)));
}

static struct libscols_line *add_line(struct libscols_table *table, struct libscols_line *parent, const struct boot *b,
				      const struct boot_phase *phase, const char *name)
{
	const struct boot_early *e = &b->early;
	struct cells c = cells__line(table, parent);

	cell__text(&c, name);
	cell__early(&c, e, phase->start == NOT_KNOWN ? NOT_KNOWN : phase->start - e->begin);
	cell__early(&c, e, phase->time);
	cell__early(&c, e, phase->net);
	if (phase->time == NOT_KNOWN)
		cells__skip(&c, 1);
	else
		cell__print(&c, "%.1f%%", percent(phase->time, whole_time(e)));
	cell__print(&c, "%" PRId64, weight(b, phase));
	cell__print(&c, "%.1f%%", percent(weight(b, phase), whole_weight(e)));
	cell__print(&c, "%" PRId64, boot__is_oneshot(b) ? phase->callers : phase->functions);
	return c.line;
}

static bool is_small(const struct boot *b, const struct boot_phase *phase)
{
	return phase->kind != PHASE_HOLE && phase->kind != PHASE_SELF &&
	       (phase->time == NOT_KNOWN || percent(phase->time, whole_time(&b->early)) < SMALLEST_PERCENT) &&
	       percent(weight(b, phase), whole_weight(&b->early)) < SMALLEST_PERCENT;
}

static void fold(int64_t *sum, int64_t value)
{
	*sum = *sum == NOT_KNOWN || value == NOT_KNOWN ? NOT_KNOWN : *sum + value;
}

/* Joins the small phases among @count phases in one line. */
static void add_others(struct libscols_table *table, struct libscols_line *parent, const struct boot *b,
		       const struct boot_phase *list, size_t count, int64_t start)
{
	struct boot_phase sum = { .start = start };
	size_t small = 0;
	char name[64];

	for (size_t i = 0; i < count; i++) {
		if (!is_small(b, &list[i]))
			continue;
		fold(&sum.time, list[i].time);
		fold(&sum.net, list[i].net);
		fold(&sum.calls, list[i].calls);
		fold(&sum.functions, list[i].functions);
		fold(&sum.callers, list[i].callers);
		small++;
	}
	snprintf(name, sizeof(name), "(%zu others)", small);
	add_line(table, parent, b, &sum, name);
}

static struct libscols_line *add_phase(struct libscols_table *table, struct libscols_line *parent, const struct boot *b,
				       const struct boot_phase *phase)
{
	char room[64];

	return add_line(table, parent, b, phase, boot_phase__name(b, phase, room, sizeof(room)));
}

/*
 * Adds the inner phases. Small phases are joined in a line at the end; if all are small, no line is
 * added.
 */
static void add_inner(struct libscols_table *table, struct libscols_line *parent, const struct boot *b,
		      const struct boot_phase *phase)
{
	size_t small = 0;

	for (size_t i = 0; i < phase->inner_count; i++)
		small += is_small(b, &phase->inner[i]);
	if (small == phase->inner_count)
		return;
	for (size_t i = 0; i < phase->inner_count; i++) {
		if (small < 2 || !is_small(b, &phase->inner[i]))
			add_phase(table, parent, b, &phase->inner[i]);
	}
	if (small > 1)
		add_others(table, parent, b, phase->inner, phase->inner_count, NOT_KNOWN);
}

/* The number of consecutive small phases that all have times, or that all have no time. */
static size_t run_length(const struct boot *b, size_t first)
{
	const struct boot_phase *list = b->early.phases;
	size_t end = first;

	while (end < b->early.phase_count && is_small(b, &list[end]) &&
	       (list[end].time == NOT_KNOWN) == (list[first].time == NOT_KNOWN))
		end++;
	return end - first;
}

/* Consecutive small phases are one line, with the start of the first phase, and without their inner phases. */
static void print_phases(const struct boot *b, FILE *out)
{
	bool oneshot = boot__is_oneshot(b);
	const struct column columns[] = {
		{ "PHASE", 0.4, SCOLS_FL_TREE }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT },
		{ "NET", 10, RIGHT | (b->early.thousand_calls == NOT_KNOWN ? SCOLS_FL_HIDDEN : 0) }, { "SHARE", 7, RIGHT },
		{ oneshot ? "FUNCTIONS" : "CALLS", 9, RIGHT }, { "SHARE", 7, RIGHT }, { oneshot ? "CALLERS" : "NEW", 7, RIGHT }, { }
	};
	struct libscols_table *table = cells__table(out, columns);
	const struct boot_phase *list = b->early.phases;

	for (size_t i = 0; i < b->early.phase_count;) {
		size_t small = run_length(b, i);

		if (small > 1)
			add_others(table, NULL, b, &list[i], small, list[i].start);
		else
			add_inner(table, add_phase(table, NULL, b, &list[i]), b, &list[i]);
		i += small > 1 ? small : 1;
	}
	table__print(table);
}

/* ---- the functions and totals of the early part */

/* Prints the times of functions if returns were recorded, otherwise only their calls. */
static void print_functions(const struct boot_early *e, size_t most, FILE *out)
{
	bool timed = e->returns != NOT_KNOWN;
	int times = RIGHT | (timed ? 0 : SCOLS_FL_HIDDEN);
	int nets = times | (e->thousand_calls == NOT_KNOWN ? SCOLS_FL_HIDDEN : 0);
	const struct column columns[] = {
		{ "FUNCTION", 0.4 }, { "SELF", 10, times }, { "NET", 10, nets }, { "INCLUSIVE", 10, times }, { "NET", 10, nets },
		{ "CALLS", 9, RIGHT }, { "SHARE", 7, RIGHT | (timed ? SCOLS_FL_HIDDEN : 0) }, { }
	};
	struct libscols_table *table = cells__table(out, columns);

	for (size_t i = 0; i < e->function_count && i < most; i++) {
		const struct boot_function *f = &e->function_list[i];
		struct cells c = cells__line(table, NULL);

		cell__text(&c, f->name);
		cell__early(&c, e, f->self);
		cell__early(&c, e, f->self_net);
		cell__early(&c, e, f->inclusive);
		cell__early(&c, e, f->inclusive_net);
		cell__print(&c, "%" PRId64, f->calls);
		cell__share(&c, f->calls, e->calls);
	}
	cells__print(table, most, e->function_count, out);
}

static void print_time(const struct boot_early *e, FILE *out)
{
	const char *unit = e->counts ? "" : " s";
	char text[3][64];

	/* A hit without a time has the time 0. */
	if (e->timeless && !e->until) {
		fputs("Time:      unknown\n", out);
		return;
	}
	fprintf(out, "Time:      %s%s, from %s to %s of the clock %s\n", early_time(e, whole_time(e), text[0], sizeof(text[0])),
		unit, early_time(e, e->begin, text[1], sizeof(text[1])), early_time(e, e->until, text[2], sizeof(text[2])),
		e->clock);
	if (e->timeless)
		fprintf(out, "           without the first %" PRId64 " hits: this clock began later\n", e->timeless);
	if (e->thousand_calls != NOT_KNOWN)
		fprintf(out, "Recorder:  about %s s of that, %.1f ns a call; NET is the rest\n",
			early_time(e, (double)e->calls * e->thousand_calls / 1000, text[0], sizeof(text[0])),
			e->thousand_calls / 1000.0);
}

static void print_ftrace(const struct boot_early *e, FILE *out)
{
	char text[64];

	if (e->before_ftrace_init == NOT_KNOWN)
		return;
	fprintf(out, "Before " FTRACE_FUNCTION ": %" PRId64 " calls", e->before_ftrace_init);
	if (e->ftrace_init != NOT_KNOWN)
		fprintf(out, ", %s%s", early_time(e, e->ftrace_init - e->begin, text, sizeof(text)), e->counts ? "" : " s");
	fputc('\n', out);
}

static void print_totals(const struct boot *b, FILE *out)
{
	const struct boot_early *e = &b->early;
	bool lost = false;

	if (boot__is_oneshot(b))
		fprintf(out, "Functions: %" PRId64 "\nCallers:   %" PRId64 " places that called one\n", e->functions, e->callers);
	else
		fprintf(out, "Calls:     %" PRId64 " of %" PRId64 " functions\n", e->calls, e->functions);
	if (e->returns != NOT_KNOWN)
		fprintf(out, "Returns:   %" PRId64 " were recorded, so times of calls and phases are exact%s; "
			"%" PRId64 " had not returned yet, and end here\n", e->returns,
			e->unknown ? ", but for those that are not known" : "", e->open);
	fprintf(out, "Tracer:    %s, at %" PRId64 " sites\n", e->tracer, e->sites);
	print_time(e, out);
	print_ftrace(e, out);
	if (e->convert != NOT_KNOWN)
		fprintf(out, "Hand-over: %.3f s to change the call sites; later, a worker showed the calls within %.3f s\n",
			e->convert / 1e9, e->show / 1e9);
	fputs("Lost:     ", out);
	for (size_t i = 0; i < e->lost.count; i++) {
		if (!e->lost.list[i].value)
			continue;
		fprintf(out, " %s %" PRIu64, e->lost.list[i].name, e->lost.list[i].value);
		lost = true;
	}
	fprintf(out, lost ? "\n" : " nothing\n");
	fputs("Inlined functions cannot be seen, nor can those the kernel keeps from tracing (notrace): a function that is not "
	      "here may have run all the same.\n", out);
}

static void print_early(const struct boot *b, size_t most, FILE *out)
{
	fprintf(out, "The boot of %s, from before " BOOT_FUNCTION "() until the %s tracer took over\n\n",
		b->kernel.release ?: "(not known)", b->early.tracer);
	print_phases(b, out);
	fputc('\n', out);
	if (!boot__is_oneshot(b)) {
		print_functions(&b->early, most, out);
		fputc('\n', out);
	}
	print_totals(b, out);
}

/* ---- levels and initcalls */

/* @level: NULL for a row that has no initcalls. */
static void add_level(struct libscols_table *table, const char *name, int64_t start, int64_t time, int64_t whole,
		      const struct span *level)
{
	struct cells c = cells__line(table, NULL);

	cell__text(&c, name);
	cell__time(&c, start);
	cell__time(&c, time);
	cell__share(&c, time, whole);
	if (level) {
		cell__time(&c, time - level->self);
		cell__print(&c, "%" PRId64, level->count);
	}
}

static void print_levels(const struct boot *b, FILE *out)
{
	static const struct column columns[] = {
		{ "LEVEL", 0.3 }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT }, { "SHARE", 7, RIGHT },
		{ "IN INITCALLS", 12, RIGHT }, { "INITCALLS", 9, RIGHT }, { }
	};
	struct libscols_table *table = cells__table(out, columns);
	const struct span *list = b->levels.list;
	int64_t end = b->levels.count ? list[b->levels.count - 1].end : 0;
	int64_t init = b->inits.count ? b->inits.list[0].start : 0, whole = init ?: end;

	if (boot__has_beginning(b))
		add_level(table, "(before)", 0, list[0].start, whole, NULL);
	for (size_t i = 0; i < b->levels.count; i++)
		add_level(table, list[i].name, list[i].start, span__time(&list[i]), whole, &list[i]);
	if (b->levels.count && init > end)
		add_level(table, "(after, until init)", end, init - end, whole, NULL);
	table__print(table);
}

static void add_initcall(struct libscols_table *table, const struct span *call)
{
	struct cells c = cells__line(table, NULL);

	cell__text(&c, span__name(call));
	cell__text(&c, call->in);
	cell__time(&c, call->start);
	if (!span__has_end(call)) {
		cells__skip(&c, 4);
		cell__text(&c, "(its end is not known)");
		return;
	}
	cell__time(&c, span__time(call));
	cell__time(&c, call->self);
	cell__known(&c, call->running);
	cell__known(&c, call->waiting);
	cell__print(&c, "%" PRId64, call->result);
}

static void print_initcalls(const struct boot *b, size_t most, FILE *out)
{
	int waits = RIGHT | (b->waits ? 0 : SCOLS_FL_HIDDEN);
	const struct column columns[] = {
		{ "INITCALL OR MODULE", 0.4 }, { "LEVEL", 9 }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT }, { "SELF", 10, RIGHT },
		{ "RAN", 10, waits }, { "WAITED", 10, waits }, { "RESULT", 6, RIGHT }, { }
	};
	struct libscols_table *table = cells__table(out, columns);
	size_t count;
	const struct span **order = span_list__by_self(&b->initcalls, NULL, &count);

	for (size_t i = 0; i < count && i < most; i++)
		add_initcall(table, order[i]);
	cells__print(table, most, count, out);
	free(order);
}

/* ---- waits and probes */

/*
 * A row of waits is about one place and one thing that process 1 waited for. The last column tells
 * what this thing did for most of the time. If it ran, the time was spent working, not waiting.
 */
static void add_wait(struct libscols_table *table, const struct boot *b, const struct boot_wait *wait)
{
	struct cells c = cells__line(table, NULL);
	enum wait_class part = CLASS_UNKNOWN;

	for (int class = 0; class < CLASS_COUNT; class++) {
		if (wait->parts[class] > wait->parts[part])
			part = class;
	}
	cell__text(&c, wait->where);
	cell__text(&c, wait_class_words[wait->class]);
	cell__text(&c, wait->name);
	cell__time(&c, wait->time);
	cell__share(&c, wait->time, b->wait_end - b->wait_start);
	cell__print(&c, "%" PRId64, wait->count);
	/* A timer, an interrupt and the like have no parts worth telling. */
	if (wait->time && part == CLASS_RUNNING)
		cell__print(&c, "%.0f%% ran", 100.0 * wait->parts[part] / wait->time);
	else if (wait->time && (part != wait->class || wait->class == CLASS_TASK))
		cell__print(&c, "%.0f%% waited for %s", 100.0 * wait->parts[part] / wait->time, wait_class_words[part]);
}

static void print_waits(const struct boot *b, size_t most, FILE *out)
{
	static const struct column columns[] = {
		{ "PROCESS 1 WAITED IN", 0.3 }, { "FOR", 0.2 }, { "NAME", 0.2 }, { "TIME", 10, RIGHT }, { "SHARE", 7, RIGHT },
		{ "TIMES", 6, RIGHT }, { "THAT", 0.2 }, { }
	};
	struct libscols_table *table = cells__table(out, columns);

	for (size_t i = 0; i < b->wait_count && i < most; i++)
		add_wait(table, b, &b->waits[i]);
	fputc('\n', out);
	cells__print(table, most, b->wait_count, out);
}

static void add_probe(struct libscols_table *table, const struct span *probe)
{
	struct cells c = cells__line(table, NULL);

	cell__text(&c, probe->name ?: "(not known)");
	cell__text(&c, probe->in ?: "(not known)");
	cell__time(&c, probe->start);
	if (!span__has_end(probe)) {
		cells__skip(&c, 2);
		cell__text(&c, "(its end is not known)");
		return;
	}
	cell__time(&c, span__time(probe));
	cell__time(&c, probe->self);
	if (probe->note)
		cell__text(&c, probe->note);
	else
		cell__print(&c, "%" PRId64, probe->result);
}

static bool is_of_device(const struct span *probe)
{
	return probe->kind == PROBE_DEVICE;
}

static void print_probes(const struct boot *b, size_t most, FILE *out)
{
	static const struct column columns[] = {
		{ "PROBE OF DEVICE", 0.3 }, { "BY DRIVER", 0.2 }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT },
		{ "SELF", 10, RIGHT }, { "RESULT", 8, RIGHT }, { }
	};
	struct libscols_table *table = cells__table(out, columns);
	size_t count;
	const struct span **order = span_list__by_self(&b->probes, is_of_device, &count);

	for (size_t i = 0; i < count && i < most; i++)
		add_probe(table, order[i]);
	/* A table without lines prints nothing. */
	if (count)
		fputc('\n', out);
	cells__print(table, most, count, out);
	free(order);
}

/* ---- sums */

static void print_process(const struct boot *b, FILE *out)
{
	int64_t whole = b->wait_end - b->wait_start;

	fprintf(out, "Process 1, from the first %s until init: " SECONDS " s, of which it ran %.1f%%, was ready %.1f%% and waited "
		"%.1f%%\n", boot__has_beginning(b) ? "initcall" : "level that is not lost", AS_SECONDS(whole),
		percent(b->running, whole), percent(b->ready, whole), percent(whole - b->running - b->ready, whole));
}

static void print_processors(const struct boot *b, FILE *out)
{
	double busy, sum = 0, most = 0;
	int64_t busiest = 0;

	fputs("Processors in this time:", out);
	for (size_t i = 0; i < b->cpu_count; i++) {
		busy = percent(b->cpus[i].busy, b->wait_end - b->wait_start);
		if (i < MOST_CPUS)
			fprintf(out, "%s CPU %" PRId64 " was busy %.1f%%", i ? "," : "", b->cpus[i].cpu, busy);
		sum += busy;
		if (busy > most) {
			most = busy;
			busiest = b->cpus[i].cpu;
		}
	}
	if (b->cpu_count > MOST_CPUS)
		fprintf(out, ", ...; %zu CPUs were busy %.1f%% each on average, CPU %" PRId64 " the most, %.1f%%", b->cpu_count,
			sum / b->cpu_count, busiest, most);
	fputc('\n', out);
}

/* The probes of a kind that had ended before init. */
static void print_sum(const struct boot *b, enum probe_kind kind, const char *what, FILE *out)
{
	int64_t sum = 0, until = b->inits.count ? b->inits.list[0].start : INT64_MAX;
	size_t count = 0;

	for (size_t i = 0; i < b->probes.count; i++) {
		const struct span *probe = &b->probes.list[i];

		if (probe->kind != (int)kind || !span__has_end(probe) || probe->end > until)
			continue;
		sum += span__time(probe);
		count++;
	}
	if (count)
		fprintf(out, "%s, since the fs initcalls: " SECONDS " s, %zu times\n", what, AS_SECONDS(sum), count);
}

static void print_start(const struct boot *b, size_t most, FILE *out)
{
	fprintf(out, "The kernel's initcalls, %s; times are seconds of the kernel's clock\n\n",
		b->inits.count ? "until it started init" : "and init was not seen to start");
	print_levels(b, out);
	for (size_t i = 0; i < b->inits.count; i++) {
		fputs(i ? "then " : "\nStarted ", out);
		utf8__print(out, b->inits.list[i].name, "");
		fprintf(out, " as init, at " SECONDS " s\n", AS_SECONDS(b->inits.list[i].start));
	}
	fputc('\n', out);
	print_initcalls(b, most, out);
	if (b->wait_count)
		print_waits(b, most, out);
	print_probes(b, most, out);
	fputc('\n', out);
	if (b->waits && b->wait_end > b->wait_start) {
		print_process(b, out);
		print_processors(b, out);
	}
	print_sum(b, PROBE_UNPACK, "Unpacking the initramfs", out);
	print_sum(b, PROBE_CONSOLE, "Writing to consoles", out);
	fprintf(out, "Recording: %" PRId64 " events until init; `hytrace boot release` gives their memory back\n",
		b->events_until_init);
}

void boot__text(const struct boot *b, size_t most, FILE *out)
{
	boot__time_text(b, out);
	if (boot__has_early(b) || b->has_start)
		fputc('\n', out);
	if (boot__has_early(b))
		print_early(b, most, out);
	if (boot__has_early(b) && b->has_start)
		fputc('\n', out);
	if (b->has_start)
		print_start(b, most, out);
	boot__units_text(b, most, out);
}
