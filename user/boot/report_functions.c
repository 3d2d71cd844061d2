// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of early functions; see report.h. If returns were recorded, it tells how long they took. Otherwise it is
 * only known how often they were called.
 */
#include "boot/cells.h"
#include "boot/report.h"

enum { FUNCTION, SELF, SELF_NET, INCLUSIVE, INCLUSIVE_NET, CALLS, SHARE };

static void add_columns(struct libscols_table *table, const struct boot_report *r)
{
	int times = SCOLS_FL_RIGHT | (r->calls.timed ? 0 : SCOLS_FL_HIDDEN);
	int nets = times | (boot_report__knows_net(r) ? 0 : SCOLS_FL_HIDDEN);
	int share = SCOLS_FL_RIGHT | (r->calls.timed ? SCOLS_FL_HIDDEN : 0);

	table__column(table, "FUNCTION", 0.4, 0);
	table__column(table, "SELF", 10, times);
	table__column(table, "NET", 10, nets);
	table__column(table, "INCLUSIVE", 10, times);
	table__column(table, "NET", 10, nets);
	table__column(table, "CALLS", 9, SCOLS_FL_RIGHT);
	table__column(table, "SHARE", 7, share);
}

static void add_times(struct libscols_line *line, const struct boot_report *r, const struct early_function *f)
{
	uint64_t times[] = {
		[SELF] = f->self, [SELF_NET] = boot_report__self_net(r, f),
		[INCLUSIVE] = f->inclusive, [INCLUSIVE_NET] = boot_report__inclusive_net(r, f),
	};
	char text[64];

	for (size_t i = SELF; i <= INCLUSIVE_NET; i++)
		table__cell(line, i, boot_report__time_text(r, times[i], text, sizeof(text)));
}

void boot_report__functions_text(const struct boot_report *r, size_t most, FILE *out)
{
	struct libscols_table *table = table__new(out);

	add_columns(table, r);
	for (size_t i = 0; i < r->function_count && i < most; i++) {
		const struct early_function *f = &r->functions[i];
		struct libscols_line *line = table__line(table, NULL);

		table__cell(line, FUNCTION, r->calls.names[f->name]);
		if (r->calls.timed)
			add_times(line, r, f);
		cell__print(line, CALLS, "%zu", f->calls);
		cell__share(line, SHARE, f->calls, r->calls.count);
	}
	cells__print(table, most, r->function_count, out);
}
