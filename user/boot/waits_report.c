// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports waits, probes and CPUs; see start_report.h.
 *
 * A row of waits is about one place and one thing that process 1 waited for. The last column tells
 * what this thing did for most of the time. If it ran, the time was spent working, not waiting.
 */
#include <stdlib.h>

#include "base/json.h"
#include "boot/cells.h"
#include "boot/probes.h"
#include "boot/sched.h"
#include "boot/start_report.h"
#include "boot/waits.h"

/* The text lists so many CPUs. */
#define MOST_CPUS 8

/* ---- waits */

/* The class with the largest part of the time. */
static enum wait_class main_part(const struct boot_wait *wait)
{
	enum wait_class best = CLASS_UNKNOWN;

	for (int class = 0; class < CLASS_COUNT; class++) {
		if (wait->parts[class] > wait->parts[best])
			best = class;
	}
	return best;
}

static void add_wait(struct libscols_table *table, const struct boot_waits *w, const struct boot_wait *wait)
{
	struct cells c = cells__line(table, NULL);
	enum wait_class part = main_part(wait);

	cell__text(&c, wait->where);
	cell__text(&c, wait_class__words(wait->class));
	cell__text(&c, wait->name);
	cell__time(&c, wait->time);
	cell__share(&c, wait->time, w->end - w->start);
	cell__print(&c, "%zu", wait->count);
	/* A timer, an interrupt and the like have no parts worth telling. */
	if (wait->time && part == CLASS_RUNNING)
		cell__print(&c, "%.0f%% ran", 100.0 * wait->parts[part] / wait->time);
	else if (wait->time && (part != wait->class || wait->class == CLASS_TASK))
		cell__print(&c, "%.0f%% waited for %s", 100.0 * wait->parts[part] / wait->time,
			    wait_class__words(part));
}

static void print_waits(const struct boot_waits *w, size_t most, FILE *out)
{
	static const struct column columns[] = {
		{ "PROCESS 1 WAITED IN", 0.3 }, { "FOR", 0.2 }, { "NAME", 0.2 }, { "TIME", 10, RIGHT }, { "SHARE", 7, RIGHT },
		{ "TIMES", 6, RIGHT }, { "THAT", 0.2 }, { }
	};
	struct libscols_table *table = cells__table(out, columns);

	for (size_t i = 0; i < w->count && i < most; i++)
		add_wait(table, w, &w->list[i]);
	cells__print(table, most, w->count, out);
}

/* ---- probes */

static void add_probe(struct libscols_table *table, const struct boot_probe *probe)
{
	struct cells c = cells__line(table, NULL);

	cell__text(&c, probe->device ?: "(not known)");
	cell__text(&c, probe->driver ?: "(not known)");
	cell__time(&c, probe->start);
	if (!probe->finished) {
		cells__skip(&c, 2);
		cell__text(&c, "(its end is not known)");
		return;
	}
	cell__time(&c, probe->time);
	cell__time(&c, probe->self);
	if (probe->deferred)
		cell__text(&c, "deferred");
	else
		cell__print(&c, "%d", probe->result);
}

static void print_probes(const struct boot_probes *p, size_t most, FILE *out)
{
	static const struct column columns[] = {
		{ "PROBE OF DEVICE", 0.3 }, { "BY DRIVER", 0.2 }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT },
		{ "SELF", 10, RIGHT }, { "RESULT", 8, RIGHT }, { }
	};
	struct libscols_table *table = cells__table(out, columns);
	size_t count, *order = boot_probes__longest(p, &count);

	for (size_t i = 0; i < count && i < most; i++)
		add_probe(table, &p->list[order[i]]);
	/* A table without lines prints nothing. */
	if (count)
		fputc('\n', out);
	cells__print(table, most, count, out);
	free(order);
}

/* ---- sums */

uint64_t boot_sched__busy(const struct boot_sched *sched, int cpu, uint64_t from, uint64_t until)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sched->run_count; i++) {
		const struct cpu_run *b = &sched->runs[i];
		uint64_t start = b->start > from ? b->start : from, end = b->end < until ? b->end : until;

		if (b->cpu == cpu && start < end)
			sum += end - start;
	}
	return sum;
}

static void print_init(const struct boot_start *s, FILE *out)
{
	const struct boot_waits *w = s->waits;
	double whole = w->end - w->start;

	fprintf(out, "Process 1, from the first %s until init: " SECONDS " s, of which it ran %.1f%%, was ready %.1f%% and waited "
		"%.1f%%\n", boot_start__has_beginning(s) ? "initcall" : "level that is not lost", AS_SECONDS(w->end - w->start),
		100 * w->running / whole, 100 * w->ready / whole,
		100 * (whole - w->running - w->ready) / whole);
}

static void print_processors(const struct boot_start *s, FILE *out)
{
	const struct boot_sched *sched = s->sched;
	const struct boot_waits *w = s->waits;
	double busy, sum = 0, most = 0;
	size_t known = 0, busiest = 0;

	fputs("Processors in this time:", out);
	for (size_t i = 0; i < sched->cpu_count; i++) {
		if (!sched->cpus[i].known)
			continue;
		busy = 100.0 * boot_sched__busy(sched, i, w->start, w->end) / (w->end - w->start);
		if (known++ < MOST_CPUS)
			fprintf(out, "%s CPU %zu was busy %.1f%%", known > 1 ? "," : "", i, busy);
		sum += busy;
		if (busy > most) {
			most = busy;
			busiest = i;
		}
	}
	if (known > MOST_CPUS)
		fprintf(out, ", ...; %zu CPUs were busy %.1f%% each on average, CPU %zu the most, %.1f%%", known, sum / known,
			busiest, most);
	fputc('\n', out);
}

static void print_sum(const struct boot_start *s, enum probe_kind kind, const char *what, FILE *out)
{
	size_t count;
	uint64_t sum = boot_probes__sum(s->probes, kind, s->init_count ? s->inits[0].time : UINT64_MAX,
					&count);

	if (count)
		fprintf(out, "%s, since the fs initcalls: " SECONDS " s, %zu times\n", what, AS_SECONDS(sum), count);
}

static void print_cost(const struct boot_start *s, FILE *out)
{
	fprintf(out, "Recording: %zu events until init", s->events_until_init);
	if (s->event_ns)
		fprintf(out, ", about " SECONDS " s, %.0f ns each", AS_SECONDS(s->events_until_init * s->event_ns / 1000),
			s->event_ns / 1000.0);
	fputs("; `hytrace boot release` gives their memory back\n", out);
}

void boot_waits__text(const struct boot_start *s, size_t most, FILE *out)
{
	if (s->waits && s->waits->count) {
		fputc('\n', out);
		print_waits(s->waits, most, out);
	}
	if (s->probes)
		print_probes(s->probes, most, out);
	fputc('\n', out);
	if (s->waits && s->waits->end > s->waits->start) {
		print_init(s, out);
		print_processors(s, out);
	}
	if (s->probes) {
		print_sum(s, PROBE_UNPACK, "Unpacking the initramfs", out);
		print_sum(s, PROBE_CONSOLE, "Writing to consoles", out);
	}
	print_cost(s, out);
}

/* ---- json */

static void write_parts(json_writer_t *w, const struct boot_wait *wait)
{
	json__object(w, "parts");
	for (int class = 0; class < CLASS_COUNT; class++) {
		if (wait->parts[class])
			jsonw_lluint_field(w, wait_class__name(class), wait->parts[class]);
	}
	jsonw_end_object(w);
}

static void write_waits(const struct boot_waits *waits, json_writer_t *w)
{
	jsonw_start_lines(w);
	for (size_t i = 0; i < waits->count; i++) {
		const struct boot_wait *wait = &waits->list[i];

		jsonw_start_object(w);
		jsonw_string_field(w, "where", wait->where);
		jsonw_string_field(w, "class", wait_class__name(wait->class));
		json__string_or_null(w, "name", wait->name);
		jsonw_lluint_field(w, "time", wait->time);
		jsonw_lluint_field(w, "count", wait->count);
		write_parts(w, wait);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static void write_path(const struct boot_waits *waits, json_writer_t *w)
{
	jsonw_start_lines(w);
	for (size_t i = 0; i < waits->path_count; i++) {
		const struct path_piece *piece = &waits->path[i];

		jsonw_start_object(w);
		jsonw_string_field(w, "where", piece->where);
		jsonw_string_field(w, "class", wait_class__name(piece->class));
		json__string_or_null(w, "name", piece->name);
		json__number_or_null(w, "pid", piece->pid >= 0, piece->pid);
		jsonw_lluint_field(w, "start", piece->start);
		jsonw_lluint_field(w, "time", piece->end - piece->start);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static const char *const kinds[PROBE_KINDS] = {
	[PROBE_DEVICE] = "device", [PROBE_UNPACK] = "unpack", [PROBE_CONSOLE] = "console",
};

static void write_probes(const struct boot_probes *p, json_writer_t *w)
{
	jsonw_start_lines(w);
	for (size_t i = 0; i < p->count; i++) {
		const struct boot_probe *probe = &p->list[i];
		bool known = probe->kind == PROBE_DEVICE && probe->finished;

		jsonw_start_object(w);
		jsonw_string_field(w, "kind", kinds[probe->kind]);
		json__string_or_null(w, "name", probe->device);
		json__string_or_null(w, "driver", probe->driver);
		jsonw_lluint_field(w, "pid", probe->pid);
		jsonw_lluint_field(w, "start", probe->start);
		json__number_or_null(w, "time", probe->finished, probe->time);
		json__number_or_null(w, "self", probe->finished, probe->self);
		json__int_or_null(w, "result", known, probe->result);
		jsonw_name(w, "deferred");
		if (known)
			jsonw_bool(w, probe->deferred);
		else
			jsonw_null(w);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static void write_processors(const struct boot_start *s, json_writer_t *w)
{
	const struct boot_waits *waits = s->waits;

	jsonw_start_lines(w);
	for (size_t i = 0; i < s->sched->cpu_count; i++) {
		if (!s->sched->cpus[i].known)
			continue;
		jsonw_start_object(w);
		jsonw_lluint_field(w, "cpu", i);
		jsonw_lluint_field(w, "busy", boot_sched__busy(s->sched, i, waits->start, waits->end));
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static void write_init(const struct boot_waits *waits, json_writer_t *w)
{
	jsonw_start_object(w);
	jsonw_lluint_field(w, "start", waits->start);
	jsonw_lluint_field(w, "time", waits->end - waits->start);
	jsonw_lluint_field(w, "running", waits->running);
	jsonw_lluint_field(w, "ready", waits->ready);
	jsonw_lluint_field(w, "waiting", waits->end - waits->start - waits->running - waits->ready);
	jsonw_end_object(w);
}

void boot_waits__json(const struct boot_start *s, json_writer_t *w)
{
	jsonw_name(w, "init");
	s->waits ? write_init(s->waits, w) : jsonw_null(w);
	jsonw_name(w, "processors");
	s->waits ? write_processors(s, w) : jsonw_null(w);
	jsonw_name(w, "waits");
	s->waits ? write_waits(s->waits, w) : jsonw_null(w);
	jsonw_name(w, "path");
	s->waits ? write_path(s->waits, w) : jsonw_null(w);
	jsonw_name(w, "probes");
	s->probes ? write_probes(s->probes, w) : jsonw_null(w);
	json__number_or_null(w, "probes_lost", s->probes, s->probes ? s->probes->lost : 0);
	json__number_or_null(w, "probes_full", s->probes && s->probes->full, s->probes ? s->probes->full : 0);
	json__object(w, "cost");
	jsonw_lluint_field(w, "events", s->events);
	jsonw_lluint_field(w, "events_until_init", s->events_until_init);
	json__number_or_null(w, "thousand_events_ns", s->event_ns, s->event_ns);
	jsonw_end_object(w);
}
