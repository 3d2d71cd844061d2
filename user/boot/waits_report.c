// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of waits, probes and processors; see waits_report.h.
 *
 * A row of waits is about one place and one thing that was waited for. Its last column tells what
 * that did in most of the time: if it was running, it is work, and not waiting, that takes so long.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "boot/cells.h"
#include "boot/probes.h"
#include "boot/sched.h"
#include "boot/waits.h"
#include "boot/waits_report.h"

/* So many processors have a line of text. */
#define MOST_CPUS 8

/* ---- waits */

/* The class that has most of the time. */
static enum wait_class main_part(const struct boot_wait *wait)
{
	enum wait_class best = CLASS_UNKNOWN;

	for (int class = 0; class < CLASS_COUNT; class++) {
		if (wait->parts[class] > wait->parts[best])
			best = class;
	}
	return best;
}

enum { WAIT_WHERE, WAIT_FOR, WAIT_NAME, WAIT_TIME, WAIT_SHARE, WAIT_COUNT, WAIT_PART };

static void add_wait(struct libscols_table *table, const struct boot_waits *w, const struct boot_wait *wait)
{
	struct libscols_line *line = table__line(table, NULL);
	enum wait_class part = main_part(wait);

	table__cell(line, WAIT_WHERE, wait->where);
	table__cell(line, WAIT_FOR, wait_class__words(wait->class));
	if (wait->name)
		cell__print(line, WAIT_NAME, "%s", wait->name);
	cell__time(line, WAIT_TIME, wait->time);
	cell__share(line, WAIT_SHARE, wait->time, w->end - w->start);
	cell__print(line, WAIT_COUNT, "%zu", wait->count);
	/* Of a timer, an interrupt or the like there is nothing to tell. */
	if (wait->time && part == CLASS_RUNNING)
		cell__print(line, WAIT_PART, "%.0f%% ran", 100.0 * wait->parts[part] / wait->time);
	else if (wait->time && (part != wait->class || wait->class == CLASS_TASK))
		cell__print(line, WAIT_PART, "%.0f%% waited for %s", 100.0 * wait->parts[part] / wait->time,
			    wait_class__words(part));
}

static void print_waits(const struct boot_waits *w, size_t most, FILE *out)
{
	struct libscols_table *table = table__new(out);

	table__column(table, "PROCESS 1 WAITED IN", 0.3, 0);
	table__column(table, "FOR", 0.2, 0);
	table__column(table, "NAME", 0.2, 0);
	table__column(table, "TIME", 10, SCOLS_FL_RIGHT);
	table__column(table, "SHARE", 7, SCOLS_FL_RIGHT);
	table__column(table, "TIMES", 6, SCOLS_FL_RIGHT);
	table__column(table, "THAT", 0.2, 0);
	for (size_t i = 0; i < w->count && i < most; i++)
		add_wait(table, w, &w->list[i]);
	cells__print(table, most, w->count, out);
}

/* ---- probes */

enum { PROBE_NAME, PROBE_DRIVER, PROBE_START, PROBE_TIME, PROBE_SELF, PROBE_RESULT };

static void add_probe(struct libscols_table *table, const struct boot_probe *probe)
{
	struct libscols_line *line = table__line(table, NULL);

	table__cell(line, PROBE_NAME, probe->device ?: "(not known)");
	table__cell(line, PROBE_DRIVER, probe->driver ?: "(not known)");
	cell__time(line, PROBE_START, probe->start);
	if (!probe->finished) {
		table__cell(line, PROBE_RESULT, "(its end is not known)");
		return;
	}
	cell__time(line, PROBE_TIME, probe->time);
	cell__time(line, PROBE_SELF, probe->self);
	if (probe->deferred)
		table__cell(line, PROBE_RESULT, "deferred");
	else
		cell__print(line, PROBE_RESULT, "%d", probe->result);
}

static void print_probes(const struct boot_probes *p, size_t most, FILE *out)
{
	size_t count, *order = boot_probes__longest(p, &count);
	struct libscols_table *table = table__new(out);

	table__column(table, "PROBE OF DEVICE", 0.3, 0);
	table__column(table, "BY DRIVER", 0.2, 0);
	table__column(table, "START", 10, SCOLS_FL_RIGHT);
	table__column(table, "TIME", 10, SCOLS_FL_RIGHT);
	table__column(table, "SELF", 10, SCOLS_FL_RIGHT);
	table__column(table, "RESULT", 8, SCOLS_FL_RIGHT);
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

static void print_time(FILE *out, uint64_t ns)
{
	fprintf(out, "%" PRIu64 ".%06" PRIu64 " s", ns / 1000000000, ns % 1000000000 / 1000);
}

static void print_init(const struct boot_start *s, FILE *out)
{
	const struct boot_waits *w = s->waits;
	double whole = w->end - w->start;

	fprintf(out, "Process 1, from the first %s until init: ",
		boot_start__has_beginning(s) ? "initcall" : "level that is not lost");
	print_time(out, w->end - w->start);
	fprintf(out, ", of which it ran %.1f%%, was ready %.1f%% and waited %.1f%%\n",
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

	if (!count)
		return;
	fprintf(out, "%s, since the fs initcalls: ", what);
	print_time(out, sum);
	fprintf(out, ", %zu times\n", count);
}

static void print_cost(const struct boot_start *s, FILE *out)
{
	fprintf(out, "Recording: %zu events until init", s->events_until_init);
	if (s->event_ns) {
		fputs(", about ", out);
		print_time(out, s->events_until_init * s->event_ns / 1000);
		fprintf(out, ", %.0f ns each", s->event_ns / 1000.0);
	}
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
	jsonw_name(w, "parts");
	jsonw_start_object(w);
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
		jsonw_name(w, "result");
		if (known)
			jsonw_int(w, probe->result);
		else
			jsonw_null(w);
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
	jsonw_name(w, "cost");
	jsonw_start_object(w);
	jsonw_lluint_field(w, "events", s->events);
	jsonw_lluint_field(w, "events_until_init", s->events_until_init);
	json__number_or_null(w, "thousand_events_ns", s->event_ns, s->event_ns);
	jsonw_end_object(w);
}
