// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints a comparison of boots as text; see compare.h. Rows that contain other rows, such as
 * levels, are in a table of their own: if an initcall takes a millisecond longer, so does its
 * level, but the level must not hide the initcall.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "boot/cells.h"
#include "boot/compare.h"

/* Times are seconds with microseconds. The median of two counts may have a fraction. */
static void add_value(struct cells *c, enum boot_measure measure, double value, bool sign)
{
	double shown = measure == MEASURE_TIME ? value / 1e9 : value;
	int digits = measure == MEASURE_TIME ? 6 : value == round(value) ? 0 : 1;

	cell__print(c, sign ? "%+.*f" : "%.*f", digits, shown);
}

/* The text in place of the percentage of a row that is 0 in the first group. */
static const char *mark_of(const struct boot_row *row)
{
	return row->new ? "new" : row->gone ? "gone" : "";
}

static void add_row(struct libscols_table *table, const struct boot_row *row, enum boot_measure measure)
{
	const struct boot_change *change = &row->change[measure];
	struct cells c = cells__line(table, NULL);

	cell__text(&c, row->kind->word);
	cell__text(&c, row->name);
	if (row->new)
		cells__skip(&c, 1);
	else
		add_value(&c, measure, change->a, false);
	if (row->gone)
		cells__skip(&c, 1);
	else
		add_value(&c, measure, change->b, false);
	add_value(&c, measure, change->b - change->a, true);
	if (!row->new && !row->gone && change->a >= 1)
		cell__print(&c, "%+.1f%%", 100 * (change->b - change->a) / change->a);
	else
		cell__text(&c, mark_of(row));
	add_value(&c, measure, change->spread, false);
	cell__text(&c, boot_verdict__word(change->verdict));
}

/* @c: with two boots, the column NOISE is hidden */
static struct libscols_table *new_table(const struct boot_comparison *c, enum boot_measure measure, bool parts, FILE *out)
{
	const struct column columns[] = {
		{ "KIND", 1 }, { parts ? "PARTS" : measure == MEASURE_TIME ? "TIMES" : "CALLS", 1 }, { "A", 1, RIGHT },
		{ "B", 1, RIGHT }, { "CHANGE", 1, RIGHT }, { "%", 1, RIGHT },
		{ "NOISE", 1, RIGHT | (boot_comparison__boots(c) == 2 ? SCOLS_FL_HIDDEN : 0) }, { "CERTAIN", 1 }, { }
	};

	return cells__table(out, columns);
}

/* A new or gone row that is among the times is not repeated among the counts. */
static bool is_repeated(const struct boot_row *row, enum boot_measure measure, bool all)
{
	return measure == MEASURE_COUNT && (row->new || row->gone) && row->change[MEASURE_TIME].known &&
	       (all || row->change[MEASURE_TIME].verdict != SAME);
}

static void print_table(const struct boot_comparison *c, enum boot_measure measure, bool parts, size_t most, bool all,
			FILE *out)
{
	struct libscols_table *table = NULL;
	size_t count, shown = 0, left = 0;
	const struct boot_row **rows = boot_comparison__order(c, measure, parts, all, &count);

	for (size_t i = 0; i < count; i++) {
		if (is_repeated(rows[i], measure, all))
			continue;
		if (shown == most) {
			left++;
			continue;
		}
		table = table ?: new_table(c, measure, parts, out);
		add_row(table, rows[i], measure);
		shown++;
	}
	if (table) {
		fputc('\n', out);
		table__print(table);
		if (left)
			fprintf(out, "and %zu more; -n lists them\n", left);
	}
	free(rows);
}

static void print_group(char label, const char *name, const struct boot_head *first, size_t count, FILE *out)
{
	fprintf(out, "%c: ", label);
	utf8__print(out, name, "");
	fprintf(out, ": %zu boot%s of ", count, count > 1 ? "s" : "");
	utf8__print(out, first->release ?: "an unknown kernel", "");
	if (first->build_id) {
		char start[13];

		snprintf(start, sizeof(start), "%s", first->build_id);
		fputs(" (", out);
		utf8__print(out, start, "");
		fputc(')', out);
	}
	fputc('\n', out);
}

static void print_total(const struct boot_comparison *c, size_t row, const char *what, FILE *out)
{
	const struct boot_change *change = row == SIZE_MAX ? NULL : &c->rows[row].change[MEASURE_TIME];

	if (!change || !change->known) {
		fprintf(out, "Until %s: not known for all boots\n", what);
		return;
	}
	fprintf(out, "Until %s: %.6f s, then %.6f s: %+.6f s (%+.2f%%)", what, change->a / 1e9, change->b / 1e9,
		(change->b - change->a) / 1e9, change->a >= 1 ? 100 * (change->b - change->a) / change->a : 0);
	if (boot_comparison__boots(c) > 2)
		fprintf(out, ", noise %.6f s", change->spread / 1e9);
	if (change->verdict != SAME)
		fprintf(out, ", %s", boot_verdict__word(change->verdict));
	fputc('\n', out);
}

/* Prints how certain the answers are. */
static void print_worth(const struct boot_comparison *c, FILE *out)
{
	size_t differing = boot_comparison__differing(c), compared = boot_comparison__compared(c);

	if (differing)
		fprintf(out, "\n%zu of %zu rows differ", differing, compared);
	else
		fprintf(out, "\nNone of %zu rows differs", compared);
	if (!c->can_tell) {
		fprintf(out, " by %.0f %% or more, and by %.6f s or %.0f calls.\n"
			"%s, so nothing is certain: it is not known by how much boots of the same kernel differ.\n"
			"Give %d boots of each, made in turns.\n", 100 * FEW_SHARE, boot_comparison__few_ns(c) / 1e9, FEW_CALLS,
			boot_comparison__boots(c) > 2 ? "There are few boots" : "There is one boot of each", ENOUGH_BOOTS);
		return;
	}
	fprintf(out, " by more than the noise.\n");
	if (differing && c->notes.weaken)
		fprintf(out, "Something else than the kernel may be the reason, so nothing is certain: see the notes.\n");
	else if (differing)
		fprintf(out, "Of 100 comparisons of the same kernel, at most %.0f has a time, and %.0f a count that is called "
			"certain.\n", 100 * ALPHA, 100 * ALPHA);
}

void boot_comparison__text(const struct boot_comparison *c, const char *const names[2], size_t most, bool all, FILE *out)
{
	print_group('A', names[0], c->boots, c->count[0], out);
	print_group('B', names[1], c->boots + c->count[0], c->count[1], out);
	for (size_t i = 0; i < c->notes.count; i++) {
		fputs("Note: ", out);
		utf8__print(out, c->notes.list[i], "");
		fputs(".\n", out);
	}
	print_total(c, c->total, "init was started", out);
	if (c->target != SIZE_MAX)
		print_total(c, c->target, "the default target was reached", out);
	for (int parts = 0; parts < 2; parts++) {
		for (enum boot_measure measure = 0; measure < MEASURES; measure++)
			print_table(c, measure, parts, most, all, out);
	}
	print_worth(c, out);
}
