// SPDX-License-Identifier: GPL-2.0-only
/*
 * The json document, schema COVERAGE_SCHEMA. Addresses are strings of hex digits: a JSON number is a
 * double to most readers, which cannot hold a kernel address. Every field is always there; what is
 * unknown is null.
 */
#include "base/json.h"
#include "base/version.h"
#include "cover/report.h"

static void strings(json_writer_t *w, const char *name, char *const *list)
{
	jsonw_name(w, name);
	if (!list) {
		jsonw_null(w);
		return;
	}
	jsonw_start_array(w);
	for (; *list; list++)
		json__string(w, *list);
	jsonw_end_array(w);
}

static void globs(json_writer_t *w, const char *name, const struct globs *globs)
{
	jsonw_name(w, name);
	jsonw_start_array(w);
	for (size_t i = 0; i < globs->count; i++)
		json__string(w, globs->list[i].text);
	jsonw_end_array(w);
}

static void write_filters(json_writer_t *w, const struct coverage *c)
{
	jsonw_name(w, "filters");
	jsonw_start_object(w);
	globs(w, "allow", &c->filter.allow);
	globs(w, "deny", &c->filter.deny);
	globs(w, "denied_by_hytrace", &c->filter.own);
	jsonw_string_field(w, "scope", scope__name(c->scope));
	if (c->pid)
		jsonw_int_field(w, "pid", c->pid);
	else
		jsonw_null_field(w, "pid");
	jsonw_bool_field(w, "callers", c->callers);
	jsonw_end_object(w);
}

static void write_window(json_writer_t *w, const struct window *window)
{
	jsonw_name(w, "window");
	jsonw_start_object(w);
	jsonw_string_field(w, "clock", "local");
	jsonw_lluint_field(w, "opening_ns", window->opening);
	jsonw_lluint_field(w, "open_ns", window->open);
	jsonw_lluint_field(w, "closing_ns", window->closing);
	jsonw_lluint_field(w, "closed_ns", window->closed);
	jsonw_lluint_field(w, "error_ns", window->error);
	jsonw_end_object(w);
}

static void write_hit(json_writer_t *w, const struct hit *hit)
{
	static const char *const kinds[] = {
		[HIT_FUNCTION] = "function", [HIT_CALLER] = "caller", [HIT_BOTH] = "both",
	};

	jsonw_start_object(w);
	json__address_or_null(w, "addr", hit->link, hit->link);
	json__string_or_null(w, "name", hit->name);
	json__string_or_null(w, "module", hit->module);
	if (hit->module)
		jsonw_lluint_field(w, "offset", hit->offset);
	else
		jsonw_null_field(w, "offset");
	jsonw_string_field(w, "kind", kinds[hit->kind]);
	jsonw_lluint_field(w, "first_ns", hit->first_ns);
	jsonw_uint_field(w, "cpu", hit->cpu);
	jsonw_uint_field(w, "pid", hit->pid);
	jsonw_end_object(w);
}

static void write_totals(json_writer_t *w, const struct coverage *c)
{
	jsonw_name(w, "totals");
	jsonw_start_object(w);
	jsonw_lluint_field(w, "entries", c->hits.count);
	jsonw_lluint_field(w, "functions", hits__count(&c->hits, HIT_FUNCTION));
	jsonw_lluint_field(w, "callers", hits__count(&c->hits, HIT_CALLER));
	jsonw_lluint_field(w, "traceable", c->traceable);
	jsonw_lluint_field(w, "traced", c->traced);
	jsonw_lluint_field(w, "traced_seen", c->traced_seen);
	jsonw_end_object(w);
}

void report__json(const struct coverage *c, FILE *out)
{
	json_writer_t *w = jsonw_new(out);

	if (!w)
		return;
	jsonw_pretty(w, true);
	jsonw_start_object(w);
	jsonw_string_field(w, "hytrace", HYTRACE_VERSION);
	jsonw_int_field(w, "schema", COVERAGE_SCHEMA);
	jsonw_string_field(w, "engine", c->engine);
	kernel_id__json(&c->kernel, w);
	json__string_or_null(w, "boot_id", c->boot_id);
	strings(w, "command", c->command);
	write_filters(w, c);
	jsonw_float_field_fmt(w, "seconds", "%.3f", c->seconds);
	write_window(w, &c->window);
	write_totals(w, c);
	json__counters(w, "lost", &c->lost);
	json__counters(w, "cost", &c->cost);
	strings(w, "modules", c->modules);
	jsonw_bool_field(w, "follows_modules", c->follows_modules);
	strings(w, "unattached", c->unattached);
	jsonw_name(w, "functions");
	jsonw_start_array(w);
	/* One on a line: the writer itself knows only all on one, or each field on its own. */
	jsonw_pretty(w, false);
	for (size_t i = 0; i < c->hits.count; i++) {
		fputc('\n', out);
		write_hit(w, &c->hits.list[i]);
	}
	jsonw_pretty(w, true);
	jsonw_end_array(w);
	jsonw_end_object(w);
	jsonw_destroy(&w);
}
