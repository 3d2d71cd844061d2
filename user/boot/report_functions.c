// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of early functions; see report.h. If returns were recorded, it tells how long they took. Otherwise it is
 * only known how often they were called.
 */
#include <libsmartcols/libsmartcols.h>

#include "base/error.h"
#include "boot/cells.h"
#include "boot/report.h"

static int print_functions(const struct boot_report *r, size_t most, FILE *out)
{
	struct libscols_table *table = scols_new_table();
	int err = -ENOMEM;

	if (!table)
		return error__no_memory();
	scols_table_set_stream(table, out);
	if (!scols_table_new_column(table, "FUNCTION", 0.4, 0) ||
	    !scols_table_new_column(table, "CALLS", 9, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "SHARE", 7, SCOLS_FL_RIGHT))
		goto cleanup;
	err = 0;
	for (size_t i = 0; !err && i < r->function_count && i < most; i++) {
		const struct early_function *f = &r->functions[i];
		struct libscols_line *line = scols_table_new_line(table, NULL);

		err = line ? scols_line_set_data(line, 0, r->calls.names[f->name]) : -ENOMEM;
		if (!err)
			err = cell__print(line, 1, "%zu", f->calls);
		if (!err)
			err = cell__share(line, 2, f->calls, r->calls.count);
	}
	if (!err)
		err = scols_print_table(table);
	if (!err && most < r->function_count)
		fprintf(out, "and %zu more\n", r->function_count - most);
cleanup:
	scols_unref_table(table);
	return err ? error__no_memory() : 0;
}

static int add_times(struct libscols_line *line, const struct boot_report *r, const struct early_function *f)
{
	uint64_t times[] = { f->self, boot_report__self_net(r, f), f->inclusive, boot_report__inclusive_net(r, f) };
	char text[64];
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(times) / sizeof(times[0]); i++)
		err = scols_line_set_data(line, 1 + i, boot_report__time_text(r, times[i], text, sizeof(text)));
	return err;
}

/* If returns were recorded. */
static int print_times(const struct boot_report *r, size_t most, FILE *out)
{
	struct libscols_table *table = scols_new_table();
	int net = SCOLS_FL_RIGHT | (boot_report__knows_net(r) ? 0 : SCOLS_FL_HIDDEN), err = -ENOMEM;

	if (!table)
		return error__no_memory();
	scols_table_set_stream(table, out);
	if (!scols_table_new_column(table, "FUNCTION", 0.4, 0) ||
	    !scols_table_new_column(table, "SELF", 10, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "NET", 10, net) ||
	    !scols_table_new_column(table, "INCLUSIVE", 10, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "NET", 10, net) ||
	    !scols_table_new_column(table, "CALLS", 9, SCOLS_FL_RIGHT))
		goto cleanup;
	err = 0;
	for (size_t i = 0; !err && i < r->function_count && i < most; i++) {
		const struct early_function *f = &r->functions[i];
		struct libscols_line *line = scols_table_new_line(table, NULL);

		err = line ? scols_line_set_data(line, 0, r->calls.names[f->name]) : -ENOMEM;
		if (!err)
			err = add_times(line, r, f);
		if (!err)
			err = cell__print(line, 5, "%zu", f->calls);
	}
	if (!err)
		err = scols_print_table(table);
	if (!err && most < r->function_count)
		fprintf(out, "and %zu more\n", r->function_count - most);
cleanup:
	scols_unref_table(table);
	return err ? error__no_memory() : 0;
}

int boot_report__functions_text(const struct boot_report *r, size_t most, FILE *out)
{
	return r->calls.timed ? print_times(r, most, out) : print_functions(r, most, out);
}
