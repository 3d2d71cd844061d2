// SPDX-License-Identifier: GPL-2.0-only
/* Writes the parts of a boot around the kernel's own part as json; see whole.h. */
#include <stdlib.h>
#include <sys/utsname.h>

#include "base/json.h"
#include "boot/whole.h"
#include "kernel/running.h"

#define CHAIN_SCHEMA 1

/* ---- the parts */

static void write_part(json_writer_t *j, const struct boot_part *part)
{
	jsonw_start_object(j);
	jsonw_string_field(j, "name", boot_part__name(part));
	json__string_or_null(j, "level", part->level);
	json__int_or_null(j, "start", part->start_known, part->start);
	json__number_or_null(j, "time", part->time_known, part->time);
	jsonw_lluint_field(j, "with", part->with);
	jsonw_end_object(j);
}

static void write_parts(const struct boot_whole *w, json_writer_t *j)
{
	const struct boot_parts *p = &w->parts;

	json__object(j, "parts");
	jsonw_string_field(j, "clock", "local");
	jsonw_lluint_field(j, "total", p->total);
	jsonw_lluint_field(j, "not_accounted", p->not_accounted);
	json__string_or_null(j, "init", p->init);
	json__number_or_null(j, "started_again", boot_units__complete(&w->units), p->started_again);
	json__lines(j, "rows");
	for (size_t i = 0; i < p->count; i++)
		write_part(j, &p->list[i]);
	jsonw_end_array(j);
	jsonw_end_object(j);
}

/* ---- firmware and clocks */

static void write_firmware(const struct boot_whole *w, json_writer_t *j)
{
	const struct boot_clock *c = &w->clock;
	const struct boot_firmware *f = &w->firmware;
	uint64_t since = 0;
	bool known = !boot_clock__since_reset(c, &since);

	json__object(j, "firmware");
	json__string_or_null(j, "source", boot_firmware__source(f));
	jsonw_bool_field(j, "kexec", f->kexec);
	json__number_or_null(j, "loader_start", f->loader_start, f->loader_start);
	json__number_or_null(j, "loader_end", f->loader_end, f->loader_end);
	json__number_or_null(j, "tsc_since_reset", known, since);
	json__number_or_null(j, "tsc_error", c->tsc_known, c->tsc_error);
	json__string_or_null(j, "why_no_tsc", c->tsc_known ? NULL : c->why_no_tsc);
	jsonw_end_object(j);
}

/* ---- user space */

static void write_chain(const struct boot_whole *w, json_writer_t *j)
{
	size_t count;
	struct chain_row *rows = boot_units__chain(&w->units, &count);

	jsonw_start_lines(j);
	for (size_t i = 0; i < count; i++) {
		jsonw_start_object(j);
		jsonw_string_field(j, "name", rows[i].name);
		jsonw_lluint_field(j, "depth", rows[i].depth);
		jsonw_lluint_field(j, "start_monotonic", rows[i].unit->activating);
		jsonw_lluint_field(j, "active_monotonic", rows[i].unit->activated);
		jsonw_lluint_field(j, "time", boot_unit__time(rows[i].unit));
		jsonw_bool_field(j, "again", rows[i].again);
		jsonw_end_object(j);
	}
	jsonw_end_array(j);
	free(rows);
}

/* Is the boot complete? Writes null if units are not known. */
static void write_complete(const struct boot_whole *w, json_writer_t *j)
{
	jsonw_name(j, "complete");
	if (w->units.known)
		jsonw_bool(j, boot_units__complete(&w->units));
	else
		jsonw_null(j);
}

json_writer_t *boot_whole__begin(const struct boot_whole *w, FILE *out, const char *document, int schema)
{
	json_writer_t *j = json__begin(out, document, schema);
	char *boot_id = kernel_id__boot_id();
	struct utsname kernel;

	json__string_or_null(j, "release", uname(&kernel) ? NULL : kernel.release);
	json__string_or_null(j, "boot_id", boot_id);
	write_complete(w, j);
	free(boot_id);
	return j;
}

void boot_whole__chain_json(const struct boot_whole *w, FILE *out)
{
	json_writer_t *j = boot_whole__begin(w, out, "boot-critical-chain", CHAIN_SCHEMA);

	json__string_or_null(j, "unit", w->units.target);
	json__number_or_null(j, "userspace", w->units.manager.userspace, w->units.manager.userspace);
	jsonw_name(j, "rows");
	write_chain(w, j);
	json__end(&j);
}

static void write_userspace(const struct boot_whole *w, json_writer_t *j)
{
	const struct boot_clock *c = &w->clock;

	json__object(j, "userspace");
	json__string_or_null(j, "manager", w->units.known ? "systemd" : NULL);
	json__string_or_null(j, "why_not", w->units.known ? NULL : w->units.why_not);
	write_complete(w, j);
	jsonw_string_field(j, "clock", "monotonic");
	json__int_or_null(j, "local_ahead", c->monotonic_known, c->ahead);
	json__number_or_null(j, "local_ahead_error", c->monotonic_known, c->monotonic_error);
	json__number_or_null(j, "local_ahead_slewed", c->monotonic_known, c->slewed);
	json__string_or_null(j, "why_no_local_ahead", c->monotonic_known ? NULL : c->why_no_monotonic);
	json__write_fields(j, boot_manager_fields, &w->units.manager);
	json__string_or_null(j, "target", w->units.target);
	jsonw_name(j, "critical_chain");
	if (boot_units__complete(&w->units))
		write_chain(w, j);
	else
		jsonw_null(j);
	jsonw_end_object(j);
}

/* Writes only units that were started in this boot: @unit did not wait for other units. */
static void write_after(json_writer_t *j, const struct boot_units *u, const struct boot_unit *unit)
{
	jsonw_name(j, "after");
	jsonw_start_array(j);
	for (size_t i = 0; unit->after && unit->after[i]; i++) {
		const struct boot_unit *other = boot_units__find(u, unit->after[i]);

		if (other && other->activating && (!u->manager.finish || other->activating <= u->manager.finish))
			jsonw_string(j, unit->after[i]);
	}
	jsonw_end_array(j);
}

static void write_unit(const struct boot_whole *w, json_writer_t *j, const struct boot_unit *unit)
{
	bool done = unit->activated >= unit->activating || unit->deactivated >= unit->activating;
	int64_t start = 0, active = 0;
	bool start_known = !boot_clock__from_monotonic(&w->clock, unit->activating, &start);
	bool active_known = !boot_clock__from_monotonic(&w->clock, unit->activated, &active);

	jsonw_start_object(j);
	jsonw_string_field(j, "name", unit->name);
	jsonw_string_field(j, "state", unit->state);
	json__string_or_null(j, "result", unit->result);
	json__int_or_null(j, "start", start_known, start);
	json__number_or_null(j, "time", done, boot_unit__time(unit));
	json__int_or_null(j, "active", active_known && unit->activated, active);
	json__write_fields(j, boot_unit_fields, unit);
	write_after(j, &w->units, unit);
	jsonw_end_object(j);
}

static void write_units(const struct boot_whole *w, json_writer_t *j)
{
	jsonw_name(j, "units");
	if (!w->units.known) {
		jsonw_null(j);
		return;
	}
	jsonw_start_lines(j);
	for (size_t i = 0; i < w->units.count; i++) {
		/* Not units that were never started. */
		if (w->units.list[i].activating)
			write_unit(w, j, &w->units.list[i]);
	}
	jsonw_end_array(j);
}

static void write_nothing(json_writer_t *j)
{
	static const char *const fields[] = { "parts", "firmware", "userspace", "units" };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		jsonw_null_field(j, fields[i]);
	}
}

void boot_whole__json(const struct boot_whole *w, json_writer_t *j)
{
	if (!w) {
		write_nothing(j);
		return;
	}
	write_parts(w, j);
	write_firmware(w, j);
	write_userspace(w, j);
	write_units(w, j);
}
