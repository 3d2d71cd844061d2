// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of early functions; see report.h. If returns were recorded, it tells how long they took. Otherwise it is
 * only known how often they were called.
 */
#include <libsmartcols/libsmartcols.h>

#include "base/error.h"
#include "boot/cells.h"
#include "boot/report.h"

enum { FUNCTION, SELF, SELF_NET, INCLUSIVE, INCLUSIVE_NET, CALLS, SHARE };

static bool add_columns(struct libscols_table *table, const struct boot_report *r)
{
	int times = SCOLS_FL_RIGHT | (r->calls.timed ? 0 : SCOLS_FL_HIDDEN);
	int nets = times | (boot_report__knows_net(r) ? 0 : SCOLS_FL_HIDDEN);
	int share = SCOLS_FL_RIGHT | (r->calls.timed ? SCOLS_FL_HIDDEN : 0);

	return scols_table_new_column(table, "FUNCTION", 0.4, 0) &&
	       scols_table_new_column(table, "SELF", 10, times) &&
	       scols_table_new_column(table, "NET", 10, nets) &&
	       scols_table_new_column(table, "INCLUSIVE", 10, times) &&
	       scols_table_new_column(table, "NET", 10, nets) &&
	       scols_table_new_column(table, "CALLS", 9, SCOLS_FL_RIGHT) &&
	       scols_table_new_column(table, "SHARE", 7, share);
}

static int add_times(struct libscols_line *line, const struct boot_report *r, const struct early_function *f)
{
	uint64_t times[] = {
		[SELF] = f->self, [SELF_NET] = boot_report__self_net(r, f),
		[INCLUSIVE] = f->inclusive, [INCLUSIVE_NET] = boot_report__inclusive_net(r, f),
	};
	char text[64];
	int err = 0;

	for (size_t i = SELF; !err && i <= INCLUSIVE_NET; i++)
		err = scols_line_set_data(line, i, boot_report__time_text(r, times[i], text, sizeof(text)));
	return err;
}

int boot_report__functions_text(const struct boot_report *r, size_t most, FILE *out)
{
	struct libscols_table *table = scols_new_table();
	int err = table && add_columns(table, r) ? 0 : -ENOMEM;

	if (table)
		scols_table_set_stream(table, out);
	for (size_t i = 0; !err && i < r->function_count && i < most; i++) {
		const struct early_function *f = &r->functions[i];
		struct libscols_line *line = scols_table_new_line(table, NULL);

		err = line ? scols_line_set_data(line, FUNCTION, r->calls.names[f->name]) : -ENOMEM;
		if (!err && r->calls.timed)
			err = add_times(line, r, f);
		if (!err)
			err = cell__print(line, CALLS, "%zu", f->calls);
		if (!err)
			err = cell__share(line, SHARE, f->calls, r->calls.count);
	}
	if (!err)
		err = scols_print_table(table);
	if (!err && most < r->function_count)
		fprintf(out, "and %zu more\n", r->function_count - most);
	scols_unref_table(table);
	return err ? error__no_memory() : 0;
}
