// SPDX-License-Identifier: GPL-2.0-only
/* The functions of a kernel as text; see report.h. */
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "image/untraced.h"
#include "kernel/traceable.h"
#include "report/report.h"

enum { COLUMN_NAME, COLUMN_PLACE, COLUMN_TRACEABLE };

void function__place(char *ret, size_t room, const struct function *f)
{
	if (f->file)
		snprintf(ret, room, "%s:%u", f->file, f->line);
	else
		snprintf(ret, room, "%s", f->unit ?: "");
}

static void add_line(struct libscols_table *table, const struct function *f)
{
	struct libscols_line *line = table__line(table, NULL);
	char text[512];

	function__full_name(text, sizeof(text), f->name, f->module);
	table__cell(line, COLUMN_NAME, text);
	function__place(text, sizeof(text), f);
	table__cell(line, COLUMN_PLACE, text);
	snprintf(text, sizeof(text), f->untraced ? "no: %s" : f->init ? "at start" : "yes", f->untraced);
	table__cell(line, COLUMN_TRACEABLE, text);
}

/* Prints "9 functions: 5 can be traced, 1 only at start, 3 cannot: noinstr 2, file 1". */
static void print_totals(const struct universe *u, FILE *out)
{
	size_t traceable = 0, at_start = 0, untraced = 0, reasons[UNTRACED_COUNT] = {};
	const char *between = ":";

	for (size_t i = 0; i < u->count; i++) {
		traceable += !u->list[i].untraced && !u->list[i].init;
		at_start += !u->list[i].untraced && u->list[i].init;
		untraced += u->list[i].untraced != NULL;
		reasons[untraced__of_word(u->list[i].untraced)]++;
	}
	fprintf(out, "\n%zu functions: %zu can be traced, %zu only at the start of the kernel or its module, "
		"%zu cannot", u->count, traceable, at_start, untraced);
	for (int i = UNTRACED_NOT + 1; i < UNTRACED_COUNT; i++) {
		if (!reasons[i])
			continue;
		fprintf(out, "%s %s %zu", between, untraced__word(i), reasons[i]);
		between = ",";
	}
	fputc('\n', out);
}

void report__functions(const struct universe *u, FILE *out)
{
	struct libscols_table *table = table__new(out);

	table__column(table, "FUNCTION", 0, 0);
	table__column(table, "SOURCE", 0, 0);
	table__column(table, "TRACEABLE", 0, 0);
	for (size_t i = 0; i < u->count; i++)
		add_line(table, &u->list[i]);
	table__print(table);
	print_totals(u, out);
}
