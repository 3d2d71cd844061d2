// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints a comparison of boots as text and json; see compare.h. Rows that contain other rows, such as
 * levels, are in a table of their own: if an initcall takes a millisecond longer, so does its level,
 * but the level must not hide the initcall.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/sorted.h"
#include "base/text.h"
#include "boot/cells.h"
#include "boot/compare.h"

#define BOOT_COMPARE_SCHEMA 1

static const char *const verdicts[] = { [SAME] = "no", [POSSIBLY] = "possibly", [CERTAIN] = "certain" };

/* ---- rows */

struct ordered {
	const struct boot_row *row;
	double change;
};

static int by_change(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	return ORDER(y->change, x->change) ?: strcmp(x->row->name, y->row->name);
}

static bool is_shown(const struct boot_row *row, enum boot_measure measure, bool all)
{
	const struct boot_change *change = &row->change[measure];

	/* Even with "all": equal counts of elements are not shown, nearly all are 1. */
	all = all && (measure == MEASURE_TIME || row_kinds[row->kind].has_calls);
	return change->known && (change->verdict != SAME || all);
}

/*
 * Rows that differ in @measure, the largest difference first, and ended by one without a row; to be
 * freed. @all: also rows that do not differ. @parts: only rows that contain others; false: only others.
 */
static struct ordered *order(const struct boot_comparison *c, enum boot_measure measure, bool parts, bool all)
{
	struct ordered *list = xcalloc(c->row_count + 1, sizeof(*list));
	size_t count = 0;

	for (const struct boot_row *row = c->rows; row < c->rows + c->row_count; row++) {
		if (row_kinds[row->kind].is_whole == parts && is_shown(row, measure, all))
			list[count++] = (struct ordered){ row, fabs(row->change[measure].change) };
	}
	qsort(list, count, sizeof(*list), by_change);
	return list;
}

/* ---- json */

static void write_group(json_writer_t *w, const char *field, const struct boot_head *boots, size_t count)
{
	json__object(w, field);
	json__string_or_null(w, "release", boots->facts[FACT_RELEASE]);
	json__string_or_null(w, "build_id", boots->facts[FACT_BUILD_ID]);
	json__string_or_null(w, "tracer", boots->facts[FACT_TRACER]);
	json__array(w, "boots");
	for (size_t i = 0; i < count; i++) {
		jsonw_start_object(w);
		jsonw_string_field(w, "path", boots[i].path);
		json__string_or_null(w, "boot_id", boots[i].facts[FACT_BOOT_ID]);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_end_object(w);
}

/* The median of two boots may have a fraction. Up to 1e15 ns or calls are exact. */
static void write_number(json_writer_t *w, const char *name, double value)
{
	jsonw_name(w, name);
	if (isnan(value))
		jsonw_null(w);
	else
		jsonw_printf(w, "%.15g", value);
}

static void write_change(json_writer_t *w, const char *name, const struct boot_change *change)
{
	jsonw_name(w, name);
	if (!change->known) {
		jsonw_null(w);
		return;
	}
	jsonw_start_object(w);
	write_number(w, "a", change->a);
	write_number(w, "b", change->b);
	write_number(w, "change", change->change);
	write_number(w, "noise", change->spread);
	write_number(w, "p", change->p);
	jsonw_string_field(w, "differs", verdicts[change->verdict]);
	jsonw_end_object(w);
}

static void write_row(json_writer_t *w, const struct boot_row *row)
{
	jsonw_start_object(w);
	jsonw_string_field(w, "kind", row_kinds[row->kind].word);
	jsonw_string_field(w, "name", row->name);
	json__string_or_null(w, "only", row->new ? "b" : row->gone ? "a" : NULL);
	write_change(w, "time", &row->change[MEASURE_TIME]);
	write_change(w, "count", &row->change[MEASURE_COUNT]);
	jsonw_end_object(w);
}

/* Writes each row once: first rows whose time differs, then rows whose count alone differs. */
static void write_rows(json_writer_t *w, const struct boot_comparison *c, const char *field, bool parts, size_t most,
		       bool all)
{
	json__lines(w, field);
	for (enum boot_measure measure = 0; measure < MEASURES; measure++) {
		struct ordered *rows = order(c, measure, parts, all);

		for (const struct ordered *o = rows; o->row && most; o++) {
			if (measure == MEASURE_COUNT && is_shown(o->row, MEASURE_TIME, all))
				continue;
			write_row(w, o->row);
			most--;
		}
		free(rows);
	}
	jsonw_end_array(w);
}

static void write_total(json_writer_t *w, const struct boot_comparison *c, const char *name, size_t row)
{
	jsonw_name(w, name);
	if (row != SIZE_MAX)
		write_row(w, &c->rows[row]);
	else
		jsonw_null(w);
}

void boot_comparison__json(const struct boot_comparison *c, size_t most, bool all, FILE *out)
{
	json_writer_t *w = json__begin(out, "boot-compare", BOOT_COMPARE_SCHEMA);

	write_group(w, "a", c->boots, c->count[0]);
	write_group(w, "b", c->boots + c->count[0], c->count[1]);
	json__strings(w, "notes", (const char *const *)c->notes, c->note_count);
	jsonw_bool_field(w, "enough_boots", c->can_tell);
	jsonw_lluint_field(w, "rows_compared", c->compared);
	jsonw_lluint_field(w, "rows_differing", c->differing);
	write_total(w, c, "until_init", c->total);
	write_total(w, c, "until_target", c->target);
	write_rows(w, c, "rows", false, most, all);
	write_rows(w, c, "parts", true, most, all);
	json__end(&w);
}

/* ---- text */

/* Times are seconds with microseconds. The median of two counts may have a fraction. NAN: an empty cell */
static void add_value(struct cells *c, enum boot_measure measure, double value, const char *format)
{
	if (isnan(value))
		cells__skip(c, 1);
	else
		cell__print(c, format, measure == MEASURE_TIME ? 6 : value == round(value) ? 0 : 1,
			    measure == MEASURE_TIME ? value / 1e9 : value);
}

static void add_row(struct libscols_table *table, const struct boot_row *row, enum boot_measure measure)
{
	const struct boot_change *change = &row->change[measure];
	struct cells c = cells__line(table, NULL);

	cell__text(&c, row_kinds[row->kind].word);
	cell__text(&c, row->name);
	add_value(&c, measure, row->new ? NAN : change->a, "%.*f");
	add_value(&c, measure, row->gone ? NAN : change->b, "%.*f");
	add_value(&c, measure, change->change, "%+.*f");
	if (row->new || row->gone || isnan(change->percent))
		cell__text(&c, row->new ? "new" : row->gone ? "gone" : NULL);
	else
		cell__print(&c, "%+.1f%%", change->percent);
	add_value(&c, measure, change->spread, "%.*f");
	cell__text(&c, verdicts[change->verdict]);
}

static struct libscols_table *new_table(const struct boot_comparison *c, enum boot_measure measure, bool parts, FILE *out)
{
	return cells__table(out, (const struct column[]){
		{ "KIND", 1 }, { parts ? "PARTS" : measure == MEASURE_TIME ? "TIMES" : "CALLS", 1 }, { "A", 1, RIGHT },
		{ "B", 1, RIGHT }, { "CHANGE", 1, RIGHT }, { "%", 1, RIGHT },
		{ "NOISE", 1, RIGHT | (c->all == 2 ? SCOLS_FL_HIDDEN : 0) }, { "CERTAIN", 1 }, { }
	});
}

static void print_table(const struct boot_comparison *c, enum boot_measure measure, bool parts, size_t most, bool all,
			FILE *out)
{
	struct ordered *rows = order(c, measure, parts, all);
	struct libscols_table *table = NULL;
	size_t count = 0;

	for (const struct ordered *o = rows; o->row; o++) {
		/* A new or gone row that is among the times is not repeated among the counts. */
		if (measure == MEASURE_COUNT && (o->row->new || o->row->gone) && is_shown(o->row, MEASURE_TIME, all))
			continue;
		if (count++ < most) {
			table = table ?: new_table(c, measure, parts, out);
			add_row(table, o->row, measure);
		}
	}
	if (table) {
		fputc('\n', out);
		table__print(table);
	}
	if (count > most)
		fprintf(out, "and %zu more; -n lists them\n", count - most);
	free(rows);
}

/* Prints a line, whatever names are in it, and frees it. */
static void print_line(char *line, FILE *out)
{
	utf8__print(out, line, "");
	fputc('\n', out);
	free(line);
}

static char *group_line(char label, const char *name, const struct boot_head *first, size_t count)
{
	const char *id = first->facts[FACT_BUILD_ID];

	return xasprintf("%c: %s: %zu boot%s of %s%s%.12s%s", label, name, count, count > 1 ? "s" : "",
			 first->facts[FACT_RELEASE] ?: "an unknown kernel", id ? " (" : "", id ?: "", id ? ")" : "");
}

static void print_total(const struct boot_comparison *c, size_t row, const char *what, FILE *out)
{
	const struct boot_change *change = row == SIZE_MAX ? NULL : &c->rows[row].change[MEASURE_TIME];

	if (!change || !change->known) {
		fprintf(out, "Until %s: not known for all boots\n", what);
		return;
	}
	fprintf(out, "Until %s: %.6f s, then %.6f s: %+.6f s (%+.2f%%)", what, change->a / 1e9, change->b / 1e9,
		change->change / 1e9, isnan(change->percent) ? 0 : change->percent);
	if (c->all > 2)
		fprintf(out, ", noise %.6f s", change->spread / 1e9);
	if (change->verdict != SAME)
		fprintf(out, ", %s", verdicts[change->verdict]);
	fputc('\n', out);
}

/* Prints how certain the answers are. */
static void print_worth(const struct boot_comparison *c, FILE *out)
{
	if (c->differing)
		fprintf(out, "\n%zu of %zu rows differ", c->differing, c->compared);
	else
		fprintf(out, "\nNone of %zu rows differs", c->compared);
	if (!c->can_tell) {
		fprintf(out, " by %.0f %% or more, and by %.6f s or %.0f calls.\n"
			"%s, so nothing is certain: it is not known by how much boots of the same kernel differ.\n"
			"Give %d boots of each, made in turns.\n", 100 * FEW_SHARE, boot_comparison__few_ns(c) / 1e9, FEW_CALLS,
			c->all > 2 ? "There are few boots" : "There is one boot of each", ENOUGH_BOOTS);
		return;
	}
	fprintf(out, " by more than the noise.\n");
	if (c->differing && c->weakened)
		fprintf(out, "Something else than the kernel may be the reason, so nothing is certain: see the notes.\n");
	else if (c->differing)
		fprintf(out, "Of 100 comparisons of the same kernel, at most %.0f has a time, and %.0f a count that is called "
			"certain.\n", 100 * ALPHA, 100 * ALPHA);
}

void boot_comparison__text(const struct boot_comparison *c, const char *const names[2], size_t most, bool all,
			   FILE *out)
{
	print_line(group_line('A', names[0], c->boots, c->count[0]), out);
	print_line(group_line('B', names[1], c->boots + c->count[0], c->count[1]), out);
	for (size_t i = 0; i < c->note_count; i++)
		print_line(xasprintf("Note: %s.", c->notes[i]), out);
	print_total(c, c->total, "init was started", out);
	if (c->target != SIZE_MAX)
		print_total(c, c->target, "the default target was reached", out);
	for (int parts = 0; parts < 2; parts++) {
		for (enum boot_measure measure = 0; measure < MEASURES; measure++)
			print_table(c, measure, parts, most, all, out);
	}
	print_worth(c, out);
}
