// SPDX-License-Identifier: GPL-2.0-only
/* The functions of a kernel as text; see report.h. */
#include <libsmartcols.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
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

static int add_line(struct libscols_table *table, const struct function *f)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	char text[512];
	int err;

	if (!line)
		return -ENOMEM;
	function__full_name(text, sizeof(text), f->name, f->module);
	err = scols_line_set_data(line, COLUMN_NAME, text);
	function__place(text, sizeof(text), f);
	if (!err)
		err = scols_line_set_data(line, COLUMN_PLACE, text);
	snprintf(text, sizeof(text), f->untraced ? "no: %s" : f->init ? "at start" : "yes", f->untraced);
	return err ? err : scols_line_set_data(line, COLUMN_TRACEABLE, text);
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

int report__functions(const struct universe *u, FILE *out)
{
	struct libscols_table *table = scols_new_table();
	int err = -ENOMEM;

	if (!table)
		return error__no_memory();
	scols_table_set_stream(table, out);
	if (!scols_table_new_column(table, "FUNCTION", 0, 0) || !scols_table_new_column(table, "SOURCE", 0, 0) ||
	    !scols_table_new_column(table, "TRACEABLE", 0, 0))
		goto cleanup;
	err = 0;
	for (size_t i = 0; !err && i < u->count; i++)
		err = add_line(table, &u->list[i]);
	if (!err)
		err = scols_print_table(table);
	if (!err)
		print_totals(u, out);
cleanup:
	scols_unref_table(table);
	return err ? error__no_memory() : 0;
}
