// SPDX-License-Identifier: GPL-2.0-only
/* Prints the parts of a boot around the kernel's own part as text; see whole.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "boot/cells.h"
#include "boot/whole.h"

/* Larger errors, and larger differences to the sum of systemd-analyze, are explained. */
#define NOTED_NS 10000000

/* ---- the parts */

static void set_title(struct cells *c, const struct boot_part *part)
{
	char title[128];

	snprintf(title, sizeof(title), "%s%s%s", boot_part__title(part), part->level ? ": " : "",
		 part->level ?: "");
	if (part->with == 1)
		cell__print(c, "%s, with the row above", title);
	else if (part->with)
		cell__print(c, "%s, with the %zu rows above", title, part->with);
	else
		cell__text(c, title);
}

static void add_part(struct libscols_table *table, const struct boot_parts *p, const struct boot_part *part)
{
	struct cells c = cells__line(table, NULL);

	set_title(&c, part);
	if (part->start_known)
		cell__time(&c, part->start);
	else
		cells__skip(&c, 1);
	if (part->time_known) {
		cell__time(&c, part->time);
		cell__share(&c, part->time, p->total);
	} else {
		cell__text(&c, "unknown");
	}
}

static void add_rest(struct libscols_table *table, const struct boot_parts *p)
{
	struct cells c = cells__line(table, NULL);

	cell__text(&c, "not accounted for");
	cells__skip(&c, 1);
	cell__time(&c, p->not_accounted);
	cell__share(&c, p->not_accounted, p->total);
}

static void print_parts(const struct boot_parts *p, FILE *out)
{
	static const struct column columns[] = {
		{ "PART", 0.4 }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT }, { "SHARE", 7, RIGHT }, { }
	};
	struct libscols_table *table = cells__table(out, columns);
	size_t shown = p->count;

	while (shown && !p->list[shown - 1].time_known && !p->list[shown - 1].start_known)
		shown--;
	for (size_t i = 0; i < shown; i++)
		add_part(table, p, &p->list[i]);
	add_rest(table, p);
	table__print(table);
	if (shown < p->count)
		fprintf(out, "and %zu more parts after these, of which nothing is known\n", p->count - shown);
}

/* The time from the boot loader to the kernel's clock. Ignores times that include earlier parts. */
static uint64_t before_clock(const struct boot_parts *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->count; i++) {
		if (p->list[i].time_known && !p->list[i].with &&
		    (p->list[i].kind == PART_UNPACKING || p->list[i].kind == PART_BEFORE_CLOCK))
			sum += p->list[i].time;
	}
	return sum;
}

/*
 * CLOCK_MONOTONIC misses ticks until it has its clock source. Prints nothing, and returns false, if
 * the difference is small, or NTP may have caused it.
 */
static bool print_ahead(const struct boot_clock *c, const char *before, FILE *out)
{
	uint64_t ahead = c->ahead < 0 ? -c->ahead : c->ahead;

	if (!c->monotonic_known || ahead <= NOTED_NS || ahead <= c->monotonic_error)
		return false;
	fprintf(out, "%sCLOCK_MONOTONIC has %s %.3f s until the kernel had chosen its source", before,
		c->ahead > 0 ? "missed" : "counted", ahead / 1e9);
	return true;
}

/*
 * systemd-analyze uses times of CLOCK_MONOTONIC and of the firmware. So its sum lacks the time that
 * this clock has missed, and the time between the boot loader and the kernel's clock.
 */
static void print_difference(const struct boot_whole *w, FILE *out)
{
	const struct boot_manager *m = &w->units.manager;
	uint64_t theirs = m->firmware + m->finish, before = before_clock(&w->parts);
	const char *next = ": ";

	if (!boot_units__complete(&w->units))
		return;
	fprintf(out, "systemd-analyze counts %" PRIu64 ".%03" PRIu64 " s", theirs / 1000000000,
		theirs % 1000000000 / 1000000);
	if (print_ahead(&w->clock, next, out))
		next = ", and ";
	if (!m->firmware && w->parts.list[0].start_known)
		fprintf(out, "%sit knows nothing of what came before the kernel", next);
	else if (m->firmware && before > NOTED_NS)
		fprintf(out, "%sit leaves out the %.3f s from the boot loader to the kernel's clock", next,
			before / 1e9);
	fputc('\n', out);
}

/* Prints which times are less exact than the table looks. */
static void print_doubts(const struct boot_whole *w, FILE *out)
{
	size_t again = w->parts.started_again;

	if (!w->units.known)
		return;
	if (w->clock.monotonic_known && w->clock.monotonic_error > NOTED_NS)
		fprintf(out, "Times of systemd may be %.3f s earlier or later: its clock and the kernel's may have come apart as "
			"much since the boot, by NTP; %s\n", w->clock.monotonic_error / 1e9, w->asked ?
			"the events that this boot was asked for do not tell them better" :
			"a boot with what `hytrace boot next` prints tells them better");
	else if (w->clock.monotonic_known && w->clock.slewed > NOTED_NS)
		fprintf(out, "Times of units may be up to %.3f s earlier or later, the later the more: systemd's clock and the kernel's "
			"have come apart since systemd began, by NTP\n", w->clock.slewed / 1e9);
	if (again)
		fprintf(out, "%zu unit%s been started again since the boot: if %s started in it, too, then this is counted as time "
			"in which no unit was being started\n", again, again > 1 ? "s have" : " has", again > 1 ? "they were" : "it was");
}

void boot_whole__text(const struct boot_whole *w, FILE *out)
{
	const struct boot_parts *p = &w->parts;

	fprintf(out, "The whole boot, " SECONDS " s as far as it is known; times are seconds of the kernel's clock\n\n",
		AS_SECONDS(p->total));
	print_parts(p, out);
	if (p->list[0].start_known && !w->firmware.source)
		fprintf(out, "It begins with the reset of the processor, if its time stamp counter began then\n");
	print_difference(w, out);
	print_doubts(w, out);
}

/* ---- units */

static void add_unit(struct libscols_table *table, const struct boot_whole *w, const struct boot_unit *unit)
{
	struct cells c = cells__line(table, NULL);
	int64_t start;

	cell__text(&c, unit->name);
	if (!boot_clock__from_monotonic(&w->clock, unit->activating, &start))
		cell__time(&c, start);
	else
		cells__skip(&c, 1);
	cell__time(&c, boot_unit__time(unit));
	cell__text(&c, unit->result ?: unit->state);
}

static void print_units(const struct boot_whole *w, size_t most, FILE *out)
{
	static const struct column columns[] = {
		{ "UNIT", 0.4 }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT }, { "STATE", 6 }, { }
	};
	struct libscols_table *table = cells__table(out, columns);
	size_t count, *order = boot_units__by_time(&w->units, &count);

	for (size_t i = 0; i < count && i < most; i++)
		add_unit(table, w, &w->units.list[order[i]]);
	cells__print(table, most, count, out);
	free(order);
}

/*
 * The parent of a row is the last row above with the depth below. Times are since the beginning of
 * user space, as in systemd-analyze.
 */
static void add_rows(struct libscols_table *table, const struct boot_units *u, const struct chain_row *rows,
		     size_t count)
{
	struct libscols_line **lines = xcalloc(count, sizeof(*lines));

	for (size_t i = 0; i < count; i++) {
		struct cells c = cells__line(table, rows[i].depth ? lines[rows[i].depth - 1] : NULL);

		lines[rows[i].depth] = c.line;
		cell__print(&c, "%s%s", rows[i].name, rows[i].again ? " (see above)" : "");
		cell__time(&c, (int64_t)rows[i].unit->activating - (int64_t)u->manager.userspace);
		if (boot_unit__time(rows[i].unit))
			cell__time(&c, boot_unit__time(rows[i].unit));
	}
	free(lines);
}

void boot_whole__chain_text(const struct boot_whole *w, FILE *out)
{
	static const struct column columns[] = {
		{ "WAITED FOR", 0.5, SCOLS_FL_TREE }, { "STARTED", 10, RIGHT }, { "TIME", 10, RIGHT }, { }
	};
	struct libscols_table *table;
	size_t count;
	struct chain_row *rows = boot_units__chain(&w->units, &count);

	if (!rows)
		return;
	table = cells__table(out, columns);
	add_rows(table, &w->units, rows, count);
	table__print(table);
	free(rows);
}

void boot_whole__units_text(const struct boot_whole *w, size_t most, FILE *out)
{
	const struct boot_unit *target;

	if (!w->units.known)
		return;
	fprintf(out, "\nThe units that systemd has started; times are seconds of the kernel's clock\n\n");
	print_units(w, most, out);
	target = w->units.target ? boot_units__find(&w->units, w->units.target) : NULL;
	if (!boot_units__complete(&w->units) || !target || !boot_units__in_boot(&w->units, target))
		return;
	fputs("\nWhat ", out);
	utf8__print(out, target->name, "");
	fputs(" had to wait for, with the seconds since init was started\n\n", out);
	boot_whole__chain_text(w, out);
}
