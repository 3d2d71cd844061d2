// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints a boot as text; see boot.h. The account and units are in account.c.
 *
 * The task of the initcalls does one thing after the other until it becomes init. So the rows of levels add up to its
 * whole time: the time before the levels; each level, with its initcalls and the time between initcalls; and the time
 * after the last initcall.
 */
#include "base/text.h"
#include "boot/boot.h"
#include "boot/cells.h"

/* Phases with a smaller share of the calls and of the time are joined. */
#define SMALLEST_PERCENT 1
/* The text lists so many CPUs. */
#define MOST_CPUS 8

/* ---- the phases of the early part */

/* The count of a phase: calls, or with oneshot hits. */
static int64_t weight(const struct boot *b, const struct boot_phase *phase)
{
	return boot__is_oneshot(b) ? phase->functions : phase->calls;
}

static int64_t whole_weight(const struct boot_early *e)
{
	return (e->calls == NOT_KNOWN ? e->functions : e->calls) ?: 1;
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
static struct cell early_time(const struct boot_early *e, int64_t time)
{
	return e->counts ? cell__number(time) : cell__seconds(time);
}

static struct libscols_line *add_phase(struct libscols_table *table, struct libscols_line *parent, const struct boot *b,
				       const struct boot_phase *phase)
{
	const struct boot_early *e = &b->early;
	char room[64];

	return ADD_ROW(table, parent, boot_phase__name(b, phase, room, sizeof(room)),
		       early_time(e, phase->start == NOT_KNOWN ? NOT_KNOWN : phase->start - e->begin).text,
		       early_time(e, phase->time).text, early_time(e, phase->net).text,
		       phase->time == NOT_KNOWN ? NULL : cell__share(phase->time, whole_time(e) ?: 1).text,
		       cell__number(weight(b, phase)).text, cell__share(weight(b, phase), whole_weight(e)).text,
		       cell__number(boot__is_oneshot(b) ? phase->callers : phase->functions).text);
}

static bool is_small(const struct boot *b, const struct boot_phase *phase)
{
	return phase->kind != PHASE_HOLE && phase->kind != PHASE_SELF &&
	       (phase->time == NOT_KNOWN || 100.0 * phase->time < SMALLEST_PERCENT * (double)(whole_time(&b->early) ?: 1)) &&
	       100.0 * weight(b, phase) < SMALLEST_PERCENT * (double)whole_weight(&b->early);
}

static void fold(int64_t *sum, int64_t value)
{
	*sum = *sum == NOT_KNOWN || value == NOT_KNOWN ? NOT_KNOWN : *sum + value;
}

/* Joins the small phases among @count phases in one line. */
static void add_others(struct libscols_table *table, struct libscols_line *parent, const struct boot *b,
		       const struct boot_phase *list, size_t count, int64_t start)
{
	char name[64];
	struct boot_phase sum = { .name = name, .start = start };
	size_t small = 0;

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
	add_phase(table, parent, b, &sum);
}

/* Adds the inner phases. Small phases are joined in a line at the end; if all are small, no line is added. */
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

		ADD_ROW(table, NULL, f->name, early_time(e, f->self).text, early_time(e, f->self_net).text,
			early_time(e, f->inclusive).text, early_time(e, f->inclusive_net).text,
			cell__number(f->calls).text, cell__share(f->calls, e->calls).text);
	}
	cells__print(table, most, e->function_count, out);
}

static void print_time(const struct boot_early *e, FILE *out)
{
	const char *unit = e->counts ? "" : " s";

	/* A hit without a time has the time 0. */
	if (e->timeless && !e->until) {
		fputs("Time:      unknown\n", out);
		return;
	}
	fprintf(out, "Time:      %s%s, from %s to %s of the clock %s\n", early_time(e, whole_time(e)).text, unit,
		early_time(e, e->begin).text, early_time(e, e->until).text, e->clock);
	if (e->timeless)
		fprintf(out, "           without the first %" PRId64 " hits: this clock began later\n", e->timeless);
	if (e->thousand_calls != NOT_KNOWN)
		fprintf(out, "Recorder:  about %s s of that, %.1f ns a call; NET is the rest\n",
			early_time(e, (double)e->calls * e->thousand_calls / 1000).text, e->thousand_calls / 1000.0);
}

static void print_ftrace(const struct boot_early *e, FILE *out)
{
	if (e->before_ftrace_init == NOT_KNOWN)
		return;
	fprintf(out, "Before " FTRACE_FUNCTION ": %" PRId64 " calls", e->before_ftrace_init);
	if (e->ftrace_init != NOT_KNOWN)
		fprintf(out, ", %s%s", early_time(e, e->ftrace_init - e->begin).text, e->counts ? "" : " s");
	fputc('\n', out);
}

static void print_totals(const struct boot *b, FILE *out)
{
	const struct boot_early *e = &b->early;

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
	for_list(c, &e->lost) {
		if (c->value)
			fprintf(out, " %s %" PRIu64, c->name, c->value);
	}
	fputs(counters__sum(&e->lost) ? "\n" : " nothing\n", out);
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

/* ---- levels */

/* @level: NULL for a row that has no initcalls. */
static void add_level(struct libscols_table *table, const char *name, int64_t start, int64_t time, int64_t whole,
		      const struct span *level)
{
	ADD_ROW(table, NULL, name, cell__seconds(start).text, cell__seconds(time).text, cell__share(time, whole).text,
		cell__seconds(level ? level->running : NOT_KNOWN).text, cell__number(level ? level->count : NOT_KNOWN).text);
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

/* ---- initcalls, probes and waits */

/* The time of a span; NOT_KNOWN. */
static int64_t known_time(const struct span *s)
{
	return span__has_end(s) ? span__time(s) : NOT_KNOWN;
}

static void print_initcalls(const struct boot *b, size_t most, FILE *out)
{
	int waits = RIGHT | (b->waits ? 0 : SCOLS_FL_HIDDEN);
	struct libscols_table *table = cells__table(out, (const struct column[]){
		{ "INITCALL OR MODULE", 0.4 }, { "LEVEL", 9 }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT }, { "SELF", 10, RIGHT },
		{ "RAN", 10, waits }, { "WAITED", 10, waits }, { "RESULT", 6, RIGHT }, { }
	});
	size_t count;
	const struct span **order = span_list__by_self(&b->initcalls, NULL, &count);

	for (size_t i = 0; i < count && i < most; i++) {
		const struct span *call = order[i];

		ADD_ROW(table, NULL, span__name(call), call->in, cell__seconds(call->start).text, cell__seconds(known_time(call)).text,
			cell__seconds(call->self).text, cell__seconds(call->running).text, cell__seconds(call->waiting).text,
			span__has_end(call) ? cell__number(call->result).text : "(its end is not known)");
	}
	cells__print(table, most, count, out);
	free(order);
}

static bool is_of_device(const struct span *probe)
{
	return probe->kind == PROBE_DEVICE;
}

static void print_probes(const struct boot *b, size_t most, FILE *out)
{
	struct libscols_table *table = cells__table(out, (const struct column[]){
		{ "PROBE OF DEVICE", 0.3 }, { "BY DRIVER", 0.2 }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT },
		{ "SELF", 10, RIGHT }, { "RESULT", 8, RIGHT }, { }
	});
	size_t count;
	const struct span **order = span_list__by_self(&b->probes, is_of_device, &count);

	for (size_t i = 0; i < count && i < most; i++) {
		const struct span *probe = order[i];

		ADD_ROW(table, NULL, probe->name ?: "(not known)", probe->in ?: "(not known)", cell__seconds(probe->start).text,
			cell__seconds(known_time(probe)).text, cell__seconds(probe->self).text,
			!span__has_end(probe) ? "(its end is not known)" : probe->note ?: cell__number(probe->result).text);
	}
	fputs(count ? "\n" : "", out);
	cells__print(table, most, count, out);
	free(order);
}

/*
 * A row of waits is about one place and one thing that process 1 waited for. The last column tells what this thing
 * did for most of the time. If it ran, the time was spent working, not waiting.
 */
static void add_wait(struct libscols_table *table, const struct boot *b, const struct boot_wait *wait)
{
	enum wait_class part = CLASS_UNKNOWN;
	char that[80] = "";

	for (int class = 0; class < CLASS_COUNT; class++) {
		if (wait->parts[class] > wait->parts[part])
			part = class;
	}
	/* A timer, an interrupt and the like have no parts worth telling. */
	if (wait->time && (part == CLASS_RUNNING || part != wait->class || wait->class == CLASS_TASK))
		snprintf(that, sizeof(that), "%.0f%% %s%s", 100.0 * wait->parts[part] / wait->time,
			 part == CLASS_RUNNING ? "ran" : "waited for ", part == CLASS_RUNNING ? "" : wait_class_words[part]);
	ADD_ROW(table, NULL, wait->where, wait_class_words[wait->class], wait->name, cell__seconds(wait->time).text,
		cell__share(wait->time, span__time(&b->process)).text, cell__number(wait->count).text, that);
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

/* ---- sums */

static double percent(int64_t part, int64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void print_process(const struct boot *b, FILE *out)
{
	const struct span *p = &b->process;
	int64_t whole = span__time(p);

	fprintf(out, "Process 1, from the first %s until init: %s s, of which it ran %.1f%%, was ready %.1f%% and waited "
		"%.1f%%\n", boot__has_beginning(b) ? "initcall" : "level that is not lost", cell__seconds(whole).text,
		percent(p->running, whole), percent(p->ready, whole), percent(p->waiting, whole));
}

static void print_processors(const struct boot *b, FILE *out)
{
	double busy, sum = 0, most = 0;
	int64_t busiest = 0;

	fputs("Processors in this time:", out);
	for (size_t i = 0; i < b->cpu_count; i++) {
		busy = percent(b->cpus[i].busy, span__time(&b->process));
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

	for_list(probe, &b->probes) {
		if (probe->kind != (int)kind || !span__has_end(probe) || probe->end > until)
			continue;
		sum += span__time(probe);
		count++;
	}
	if (count)
		fprintf(out, "%s, since the fs initcalls: %s s, %zu times\n", what, cell__seconds(sum).text, count);
}

static void print_start(const struct boot *b, size_t most, FILE *out)
{
	fprintf(out, "The kernel's initcalls, %s; times are seconds of the kernel's clock\n\n",
		b->inits.count ? "until it started init" : "and init was not seen to start");
	print_levels(b, out);
	for (size_t i = 0; i < b->inits.count; i++) {
		fputs(i ? "then " : "\nStarted ", out);
		utf8__print(out, b->inits.list[i].name, "");
		fprintf(out, " as init, at %s s\n", cell__seconds(b->inits.list[i].start).text);
	}
	fputc('\n', out);
	print_initcalls(b, most, out);
	if (b->wait_count)
		print_waits(b, most, out);
	print_probes(b, most, out);
	fputc('\n', out);
	if (b->waits && span__time(&b->process) > 0) {
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
