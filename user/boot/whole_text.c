// SPDX-License-Identifier: GPL-2.0-only
/* What is around the kernel's own part of a boot, for people; see whole.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/utf8.h"
#include "boot/cells.h"
#include "boot/whole.h"

/* A difference between our sum and that of systemd-analyze that is explained. */
#define NOTED_NS 10000000

static int set_time(struct libscols_line *line, size_t column, int64_t ns)
{
	uint64_t size = ns < 0 ? -ns : ns;

	if (ns >= 0)
		return cell__time(line, column, size);
	return cell__print(line, column, "-%" PRIu64 ".%06" PRIu64, size / 1000000000, size % 1000000000 / 1000);
}

/* ---- the parts */

enum { PART_NAME, PART_START, PART_TIME, PART_SHARE };

static int set_title(struct libscols_line *line, const struct boot_part *part)
{
	char title[128];

	snprintf(title, sizeof(title), "%s%s%s", boot_part__title(part), part->level ? ": " : "",
		 part->level ?: "");
	if (part->with == 1)
		return cell__print(line, PART_NAME, "%s, with the row above", title);
	if (part->with)
		return cell__print(line, PART_NAME, "%s, with the %zu rows above", title, part->with);
	return cell__print(line, PART_NAME, "%s", title);
}

static int add_part(struct libscols_table *table, const struct boot_parts *p,
		    const struct boot_part *part)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	int err = line ? set_title(line, part) : -ENOMEM;

	if (!err && part->start_known)
		err = set_time(line, PART_START, part->start);
	if (!err)
		err = part->time_known ? set_time(line, PART_TIME, part->time) :
					 cell__print(line, PART_TIME, "unknown");
	if (!err && part->time_known)
		err = cell__share(line, PART_SHARE, part->time, p->total);
	return err;
}

static int add_rest(struct libscols_table *table, const struct boot_parts *p)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	int err = line ? cell__print(line, PART_NAME, "not accounted for") : -ENOMEM;

	if (!err)
		err = set_time(line, PART_TIME, p->not_accounted);
	return err ? err : cell__share(line, PART_SHARE, p->not_accounted, p->total);
}

static int print_parts(const struct boot_parts *p, FILE *out)
{
	struct libscols_table *table = scols_new_table();
	size_t shown = p->count;
	int err = -ENOMEM;

	while (shown && !p->list[shown - 1].time_known && !p->list[shown - 1].start_known)
		shown--;

	if (!table)
		return error__no_memory();
	scols_table_set_stream(table, out);
	if (!scols_table_new_column(table, "PART", 0.4, 0) ||
	    !scols_table_new_column(table, "START", 10, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "TIME", 10, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "SHARE", 7, SCOLS_FL_RIGHT))
		goto cleanup;
	err = 0;
	for (size_t i = 0; !err && i < shown; i++)
		err = add_part(table, p, &p->list[i]);
	if (!err)
		err = add_rest(table, p);
	if (!err)
		err = scols_print_table(table);
	if (!err && shown < p->count)
		fprintf(out, "and %zu more parts after these, of which nothing is known\n", p->count - shown);
cleanup:
	scols_unref_table(table);
	return err ? error__no_memory() : 0;
}

/* The parts between the boot loader and the kernel's clock, as far as their times are known, and are theirs alone. */
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
 * CLOCK_MONOTONIC misses ticks before it has its source. If NTP may have done as much since, there is nothing to tell.
 * Returns whether there is.
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
 * systemd-analyze has times of CLOCK_MONOTONIC, and what the firmware tells. So its sum lacks what
 * this clock has missed, and what came between the boot loader and the kernel's clock.
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

/* What is not as exact as the table looks. */
static void print_doubts(const struct boot_whole *w, FILE *out)
{
	size_t again = w->parts.started_again;

	if (!w->units.known)
		return;
	if (w->clock.monotonic_known && w->clock.monotonic_error > NOTED_NS)
		fprintf(out, "Times of systemd may be %.3f s earlier or later: its clock and the kernel's may have come apart as "
			"much since the boot, by NTP; %s\n", w->clock.monotonic_error / 1e9, w->asked ?
			"the events that this boot was asked for do not tell them better" :
			"a boot with what `hytrace boot --next` prints tells them better");
	else if (w->clock.monotonic_known && w->clock.slewed > NOTED_NS)
		fprintf(out, "Times of units may be up to %.3f s earlier or later, the later the more: systemd's clock and the kernel's "
			"have come apart since systemd began, by NTP\n", w->clock.slewed / 1e9);
	if (again)
		fprintf(out, "%zu unit%s been started again since the boot: if %s started in it, too, then this is counted as time "
			"in which no unit was being started\n", again, again > 1 ? "s have" : " has", again > 1 ? "they were" : "it was");
}

int boot_whole__text(const struct boot_whole *w, FILE *out)
{
	const struct boot_parts *p = &w->parts;
	int err;

	fprintf(out, "The whole boot, %" PRIu64 ".%06" PRIu64 " s as far as it is known; times are seconds of the "
		"kernel's clock\n\n", p->total / 1000000000, p->total % 1000000000 / 1000);
	err = print_parts(p, out);
	if (err)
		return err;
	if (p->list[0].start_known && !w->firmware.source)
		fprintf(out, "It begins with the reset of the processor, if its time stamp counter began then\n");
	print_difference(w, out);
	print_doubts(w, out);
	return 0;
}

/* ---- units */

enum { UNIT_NAME, UNIT_START, UNIT_TIME, UNIT_STATE };

static int add_unit(struct libscols_table *table, const struct boot_whole *w, const struct boot_unit *unit)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	int err = line ? cell__print(line, UNIT_NAME, "%s", unit->name) : -ENOMEM;
	int64_t start;

	if (!err && !boot_clock__from_monotonic(&w->clock, unit->activating, &start))
		err = set_time(line, UNIT_START, start);
	if (!err)
		err = set_time(line, UNIT_TIME, boot_unit__time(unit));
	if (!err)
		err = cell__print(line, UNIT_STATE, "%s", unit->result ?: unit->state);
	return err;
}

static int print_units(const struct boot_whole *w, size_t most, FILE *out)
{
	struct libscols_table *table = scols_new_table();
	size_t *order = NULL, count;
	int err = -ENOMEM;

	if (!table)
		return error__no_memory();
	scols_table_set_stream(table, out);
	if (!scols_table_new_column(table, "UNIT", 0.4, 0) ||
	    !scols_table_new_column(table, "START", 10, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "TIME", 10, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "STATE", 6, 0))
		goto cleanup;
	err = boot_units__by_time(&w->units, &order, &count);
	for (size_t i = 0; !err && i < count && i < most; i++)
		err = add_unit(table, w, &w->units.list[order[i]]);
	if (!err)
		err = scols_print_table(table);
	if (!err && most < count)
		fprintf(out, "and %zu more\n", count - most);
cleanup:
	free(order);
	scols_unref_table(table);
	return err ? error__no_memory() : 0;
}

enum { CHAIN_NAME, CHAIN_AT, CHAIN_TIME };

/* As systemd-analyze does, times are those since the beginning of user space. */
static int fill_row(struct libscols_line *line, const struct boot_units *u, const struct chain_row *row)
{
	int err = cell__print(line, CHAIN_NAME, "%s%s", row->name, row->again ? " (see above)" : "");

	if (!err)
		err = set_time(line, CHAIN_AT, (int64_t)row->unit->activating - (int64_t)u->manager.userspace);
	if (!err && boot_unit__time(row->unit))
		err = set_time(line, CHAIN_TIME, boot_unit__time(row->unit));
	return err;
}

/* A row's parent is the last row above that is one less deep. */
static int add_rows(struct libscols_table *table, const struct boot_units *u, const struct chain_row *rows,
		    size_t count)
{
	struct libscols_line **lines = calloc(count + 1, sizeof(*lines));
	int err = lines ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < count; i++) {
		struct libscols_line *parent = rows[i].depth ? lines[rows[i].depth - 1] : NULL;

		lines[rows[i].depth] = scols_table_new_line(table, parent);
		err = lines[rows[i].depth] ? fill_row(lines[rows[i].depth], u, &rows[i]) : -ENOMEM;
	}
	free(lines);
	return err;
}

int boot_whole__chain_text(const struct boot_whole *w, FILE *out)
{
	struct chain_row *rows = NULL;
	struct libscols_table *table;
	size_t count;
	int err = boot_units__chain(&w->units, &rows, &count);

	if (err)
		return err == -ENODATA ? 0 : err;
	table = scols_new_table();
	err = -ENOMEM;
	if (!table)
		goto cleanup;
	scols_table_set_stream(table, out);
	if (!scols_table_new_column(table, "WAITED FOR", 0.5, SCOLS_FL_TREE) ||
	    !scols_table_new_column(table, "STARTED", 10, SCOLS_FL_RIGHT) ||
	    !scols_table_new_column(table, "TIME", 10, SCOLS_FL_RIGHT))
		goto cleanup;
	err = add_rows(table, &w->units, rows, count);
	if (!err)
		err = scols_print_table(table);
cleanup:
	scols_unref_table(table);
	free(rows);
	return err ? error__no_memory() : 0;
}

int boot_whole__units_text(const struct boot_whole *w, size_t most, FILE *out)
{
	const struct boot_unit *target;
	int err;

	if (!w->units.known)
		return 0;
	fprintf(out, "\nThe units that systemd has started; times are seconds of the kernel's clock\n\n");
	err = print_units(w, most, out);
	target = w->units.target ? boot_units__find(&w->units, w->units.target) : NULL;
	if (err || !boot_units__complete(&w->units) || !target || !boot_units__in_boot(&w->units, target))
		return err;
	fputs("\nWhat ", out);
	utf8__print(out, target->name, "");
	fputs(" had to wait for, with the seconds since init was started\n\n", out);
	return boot_whole__chain_text(w, out);
}
