// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of early functions; see report.h. If returns were recorded, it tells how long they took. Otherwise it is
 * only known how often they were called.
 */
#include "boot/cells.h"
#include "boot/report.h"

static void add_times(struct cells *c, const struct boot_report *r, const struct early_function *f)
{
	const uint64_t times[] = { f->self, boot_report__self_net(r, f), f->inclusive, boot_report__inclusive_net(r, f) };
	char text[64];

	for (size_t i = 0; i < 4; i++)
		cell__text(c, r->calls.timed ? boot_report__time_text(r, times[i], text, sizeof(text)) : NULL);
}

void boot_report__functions_text(const struct boot_report *r, size_t most, FILE *out)
{
	int times = RIGHT | (r->calls.timed ? 0 : SCOLS_FL_HIDDEN);
	int nets = times | (boot_report__knows_net(r) ? 0 : SCOLS_FL_HIDDEN);
	const struct column columns[] = {
		{ "FUNCTION", 0.4 }, { "SELF", 10, times }, { "NET", 10, nets }, { "INCLUSIVE", 10, times }, { "NET", 10, nets },
		{ "CALLS", 9, RIGHT }, { "SHARE", 7, RIGHT | (r->calls.timed ? SCOLS_FL_HIDDEN : 0) }, { }
	};
	struct libscols_table *table = cells__table(out, columns);

	for (size_t i = 0; i < r->function_count && i < most; i++) {
		const struct early_function *f = &r->functions[i];
		struct cells c = cells__line(table, NULL);

		cell__text(&c, r->calls.names[f->name]);
		add_times(&c, r, f);
		cell__print(&c, "%zu", f->calls);
		cell__share(&c, f->calls, r->calls.count);
	}
	cells__print(table, most, r->function_count, out);
}
