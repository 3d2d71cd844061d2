// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the report of a boot as json; see report.h. Each field is always there; an unknown value
 * is null.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "boot/report.h"
#include "boot/start_report.h"
#include "boot/whole.h"

/* The number of functions that were called first in this phase. */
static size_t new_functions(const struct boot_report *r, const struct early_phase *phase)
{
	return boot_report__is_oneshot(r) ? phase->functions : phase->seen_first;
}

static const char *const kinds[] = {
	[PHASE_FUNCTION] = "function", [PHASE_BEFORE] = "before", [PHASE_TRACER] = "tracer",
	[PHASE_HOLE] = "hole", [PHASE_SELF] = "self",
};

static void write_phase(json_writer_t *w, const struct boot_report *r, const struct early_phase *phase)
{
	jsonw_start_object(w);
	json__string_or_null(w, "name", boot_report__phase_name(r, phase));
	jsonw_string_field(w, "kind", kinds[phase->kind]);
	json__number_or_null(w, "start", !phase->timeless && phase->kind != PHASE_SELF, phase->start);
	json__number_or_null(w, "time", !phase->timeless, phase->time);
	json__number_or_null(w, "net", !phase->timeless && boot_report__knows_net(r),
			     boot_report__net(r, phase));
	jsonw_lluint_field(w, "lost", phase->lost);
	json__number_or_null(w, "calls", !boot_report__is_oneshot(r), phase->calls);
	jsonw_lluint_field(w, "functions", new_functions(r, phase));
	json__number_or_null(w, "callers", boot_report__is_oneshot(r), phase->callers);
	jsonw_name(w, "phases");
	jsonw_start_array(w);
	for (size_t i = 0; i < phase->inner_count; i++)
		write_phase(w, r, &phase->inner[i]);
	jsonw_end_array(w);
	jsonw_end_object(w);
}

static void write_phases(json_writer_t *w, const struct boot_report *r)
{
	json__lines(w, "phases");
	for (size_t i = 0; i < r->phases.count; i++)
		write_phase(w, r, &r->phases.list[i]);
	jsonw_end_array(w);
}

static void write_times(json_writer_t *w, const struct boot_report *r, const struct early_function *f)
{
	bool timed = r->calls.timed, net = timed && boot_report__knows_net(r);

	json__number_or_null(w, "inclusive", timed, f->inclusive);
	json__number_or_null(w, "inclusive_net", net, boot_report__inclusive_net(r, f));
	json__number_or_null(w, "self", timed, f->self);
	json__number_or_null(w, "self_net", net, boot_report__self_net(r, f));
	json__number_or_null(w, "open", timed, f->open);
	json__number_or_null(w, "unknown", timed, f->unknown);
}

static void write_functions(json_writer_t *w, const struct boot_report *r, size_t most)
{
	json__lines(w, "functions");
	for (size_t i = 0; i < r->function_count && i < most; i++) {
		const struct early_function *f = &r->functions[i];

		jsonw_start_object(w);
		jsonw_string_field(w, "name", r->calls.names[f->name]);
		json__number_or_null(w, "calls", !boot_report__is_oneshot(r), f->calls);
		json__number_or_null(w, "first", !f->timeless, f->first);
		write_times(w, r, f);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static void write_window(json_writer_t *w, const struct early_stats *s)
{
	json__object(w, "window");
	jsonw_string_field(w, "clock", s->clock);
	jsonw_string_field(w, "unit", early_stats__in_ns(s) ? "ns" : "counts");
	json__number_or_null(w, "first", !s->before_zero, early_stats__time(s, s->first));
	jsonw_lluint_field(w, "last", early_stats__time(s, s->last));
	jsonw_lluint_field(w, "before_zero", s->before_zero);
	json__number_or_null(w, "tsc_khz", s->tsc_khz, s->tsc_khz);
	jsonw_end_object(w);
}

static void write_totals(json_writer_t *w, const struct boot_report *r)
{
	const struct early_stats *s = &r->stats;
	bool oneshot = boot_report__is_oneshot(r);

	json__object(w, "totals");
	jsonw_lluint_field(w, "recorded", s->recorded);
	json__number_or_null(w, "calls", !oneshot, r->calls.count);
	jsonw_lluint_field(w, "functions",
			   oneshot ? early_calls__functions(&r->calls) : r->function_count);
	json__number_or_null(w, "callers", oneshot, early_calls__callers(&r->calls));
	json__number_or_null(w, "returns", r->calls.timed,
			     r->calls.count - r->calls.open - r->calls.unknown);
	json__number_or_null(w, "open", r->calls.timed, r->calls.open);
	json__number_or_null(w, "unknown", r->calls.timed, r->calls.unknown);
	jsonw_lluint_field(w, "sites", s->sites);
	jsonw_lluint_field(w, "differing", s->differing);
	jsonw_end_object(w);
}

static void write_ftrace(json_writer_t *w, const struct boot_report *r)
{
	const struct early_calls *c = &r->calls;

	jsonw_name(w, FTRACE_FUNCTION);
	if (c->ftrace_init == SIZE_MAX) {
		jsonw_null(w);
		return;
	}
	jsonw_start_object(w);
	json__number_or_null(w, "time", c->ftrace_init >= c->timeless,
			     c->list[c->ftrace_init].time);
	jsonw_lluint_field(w, "before", c->ftrace_init);
	jsonw_end_object(w);
}

static void write_hand_over(json_writer_t *w, const struct early_stats *s)
{
	jsonw_name(w, "hand_over");
	if (!early_stats__has_hand_over(s)) {
		jsonw_null(w);
		return;
	}
	jsonw_start_object(w);
	jsonw_lluint_field(w, "convert_ns", early_stats__cycles_ns(s, s->convert_cycles));
	jsonw_lluint_field(w, "show_ns", early_stats__cycles_ns(s, s->show_cycles));
	jsonw_end_object(w);
}

static void write_early(json_writer_t *w, const struct boot_report *r, size_t most)
{
	jsonw_lluint_field(w, "cpu", r->stats.cpu);
	write_window(w, &r->stats);
	write_totals(w, r);
	json__counters(w, "lost", &r->lost);
	json__object(w, "cost");
	jsonw_lluint_field(w, "buffer_bytes", r->stats.buffer_bytes);
	jsonw_lluint_field(w, "ring_buffer_bytes", r->stats.ring_buffer_bytes);
	json__number_or_null(w, "thousand_calls_ns", boot_report__knows_net(r),
			     boot_report__recorder_ns(r, 1000));
	json__number_or_null(w, "thousand_inside_ns", r->calls.timed && boot_report__knows_net(r),
			     early_stats__in_ns(&r->stats) && r->stats.tsc_khz ?
			     early_stats__cycles_ns(&r->stats, r->inside_cycles) : 0);
	jsonw_end_object(w);
	write_hand_over(w, &r->stats);
	write_ftrace(w, r);
	write_phases(w, r);
	write_functions(w, r, most);
}

static void write_no_early(json_writer_t *w)
{
	static const char *const fields[] = {
		"cpu", "window", "totals", "lost", "cost", "hand_over", FTRACE_FUNCTION, "phases",
		"functions",
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		jsonw_null_field(w, fields[i]);
	}
}

void boot_report__json(const struct boot_report *r, size_t most, FILE *out)
{
	json_writer_t *w = json__begin(out, "boot", BOOT_SCHEMA);

	json__string_or_null(w, "tracer", r->early ? r->stats.tracer : NULL);
	json__object(w, "kernel");
	json__write_fields(w, kernel_id_fields, &r->kernel.id);
	jsonw_end_object(w);
	json__string_or_null(w, "boot_id", r->boot_id);
	json__object(w, "machine");
	json__write_fields(w, machine_fields, &r->machine);
	jsonw_end_object(w);
	if (r->early)
		write_early(w, r, most);
	else
		write_no_early(w);
	jsonw_name(w, "start");
	boot_start__json(r->start, w);
	boot_whole__json(r->whole, w);
	json__end(&w);
}
