// SPDX-License-Identifier: GPL-2.0-only
/* Writes a comparison of boots as json; see compare.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "boot/compare.h"

#define BOOT_COMPARE_SCHEMA 1

static void write_group(json_writer_t *w, const char *field, const struct boot_head *boots, size_t count)
{
	json__object(w, field);
	json__string_or_null(w, "release", boots->release);
	json__string_or_null(w, "build_id", boots->build_id);
	json__string_or_null(w, "tracer", boots->tracer);
	jsonw_name(w, "boots");
	jsonw_start_array(w);
	for (size_t i = 0; i < count; i++) {
		jsonw_start_object(w);
		jsonw_string_field(w, "path", boots[i].path);
		json__string_or_null(w, "boot_id", boots[i].boot_id);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_end_object(w);
}

/* The median of two boots may have a fraction. Up to 1e15 ns or calls are exact. */
static void write_number(json_writer_t *w, const char *name, double value)
{
	jsonw_name(w, name);
	jsonw_printf(w, "%.15g", value);
}

static void write_change(json_writer_t *w, const struct boot_comparison *c, const struct boot_row *row, enum boot_measure measure)
{
	const struct boot_change *change = &row->change[measure];

	jsonw_name(w, measure == MEASURE_TIME ? "time" : "count");
	if (!change->known) {
		jsonw_null(w);
		return;
	}
	jsonw_start_object(w);
	write_number(w, "a", change->a);
	write_number(w, "b", change->b);
	write_number(w, "change", change->b - change->a);
	if (boot_comparison__boots(c) > 2)
		write_number(w, "noise", change->spread);
	else
		jsonw_null_field(w, "noise");
	if (c->can_tell)
		write_number(w, "p", change->p);
	else
		jsonw_null_field(w, "p");
	jsonw_string_field(w, "differs", boot_verdict__word(change->verdict));
	jsonw_end_object(w);
}

static void write_row(json_writer_t *w, const struct boot_comparison *c, const struct boot_row *row)
{
	jsonw_start_object(w);
	jsonw_string_field(w, "kind", row->kind->word);
	jsonw_string_field(w, "name", row->name);
	json__string_or_null(w, "only", row->new ? "b" : row->gone ? "a" : NULL);
	write_change(w, c, row, MEASURE_TIME);
	write_change(w, c, row, MEASURE_COUNT);
	jsonw_end_object(w);
}

/* Writes each row once: first rows whose time differs, then rows whose count alone differs. */
static void write_rows(json_writer_t *w, const struct boot_comparison *c, const char *field, bool parts, size_t most, bool all)
{
	size_t count, written = 0;

	json__lines(w, field);
	for (enum boot_measure measure = 0; measure < MEASURES; measure++) {
		const struct boot_row **rows = boot_comparison__order(c, measure, parts, all, &count);

		for (size_t i = 0; i < count && written < most; i++) {
			const struct boot_change *time = &rows[i]->change[MEASURE_TIME];

			if (measure == MEASURE_COUNT && time->known && (all || time->verdict != SAME))
				continue;
			write_row(w, c, rows[i]);
			written++;
		}
		free(rows);
	}
	jsonw_end_array(w);
}

static void write_total(json_writer_t *w, const struct boot_comparison *c, const char *name, size_t row)
{
	jsonw_name(w, name);
	if (row != SIZE_MAX)
		write_row(w, c, &c->rows[row]);
	else
		jsonw_null(w);
}

void boot_comparison__json(const struct boot_comparison *c, size_t most, bool all, FILE *out)
{
	json_writer_t *w = json__begin(out, "boot-compare", BOOT_COMPARE_SCHEMA);

	write_group(w, "a", c->boots, c->count[0]);
	write_group(w, "b", c->boots + c->count[0], c->count[1]);
	jsonw_name(w, "notes");
	jsonw_start_array(w);
	for (size_t i = 0; i < c->notes.count; i++)
		jsonw_string(w, c->notes.list[i]);
	jsonw_end_array(w);
	jsonw_bool_field(w, "enough_boots", c->can_tell);
	jsonw_lluint_field(w, "rows_compared", boot_comparison__compared(c));
	jsonw_lluint_field(w, "rows_differing", boot_comparison__differing(c));
	write_total(w, c, "until_init", c->total);
	write_total(w, c, "until_target", c->target);
	write_rows(w, c, "rows", false, most, all);
	write_rows(w, c, "parts", true, most, all);
	json__end(&w);
}
