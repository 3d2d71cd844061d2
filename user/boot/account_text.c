// SPDX-License-Identifier: GPL-2.0-only
/* Prints the account of a boot and its units; see account.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "boot/boot.h"
#include "boot/cells.h"

/* Larger errors, and larger differences to the sum of systemd-analyze, are explained. */
#define NOTED_NS 10000000

/* ---- the parts */

static void add_part(struct libscols_table *table, const struct boot_parts *p, const struct boot_part *part)
{
	struct cells c = cells__line(table, NULL);
	char with[64] = "";

	if (part->with == 1)
		snprintf(with, sizeof(with), ", with the row above");
	else if (part->with > 1)
		snprintf(with, sizeof(with), ", with the %" PRId64 " rows above", part->with);
	cell__print(&c, "%s%s%s%s", boot_part__title(part), part->level ? ": " : "", part->level ?: "", with);
	cell__time(&c, part->start);
	if (part->time == NOT_KNOWN) {
		cell__text(&c, "unknown");
		return;
	}
	cell__time(&c, part->time);
	cell__share(&c, part->time, p->total);
}

static void print_parts(const struct boot_parts *p, FILE *out)
{
	static const struct column columns[] = {
		{ "PART", 0.4 }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT }, { "SHARE", 7, RIGHT }, { }
	};
	struct libscols_table *table = cells__table(out, columns);
	size_t shown = p->count;
	struct cells c;

	while (shown && p->list[shown - 1].time == NOT_KNOWN && p->list[shown - 1].start == NOT_KNOWN)
		shown--;
	for (size_t i = 0; i < shown; i++)
		add_part(table, p, &p->list[i]);
	c = cells__line(table, NULL);
	cell__text(&c, "not accounted for");
	cells__skip(&c, 1);
	cell__time(&c, p->not_accounted);
	cell__share(&c, p->not_accounted, p->total);
	table__print(table);
	if (shown < p->count)
		fprintf(out, "and %zu more parts after these, of which nothing is known\n", p->count - shown);
}

/* The time from the boot loader to the kernel's clock. Ignores times that include earlier parts. */
static uint64_t before_clock(const struct boot_parts *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->count; i++) {
		if (p->list[i].time != NOT_KNOWN && !p->list[i].with &&
		    (p->list[i].kind == PART_UNPACKING || p->list[i].kind == PART_BEFORE_CLOCK))
			sum += p->list[i].time;
	}
	return sum;
}

/*
 * systemd-analyze uses times of CLOCK_MONOTONIC and of the firmware. So its sum lacks the time
 * between the boot loader and the kernel's clock, and the ticks that this clock has missed until it
 * had its clock source, unless NTP may have made the difference.
 */
static void print_difference(const struct boot *b, FILE *out)
{
	const struct boot_manager *m = &b->units.manager;
	int64_t firmware = m->firmware == NOT_KNOWN ? 0 : m->firmware, ahead = b->clock.ahead == NOT_KNOWN ? 0 : b->clock.ahead;
	uint64_t before = before_clock(&b->parts), apart = ahead < 0 ? -ahead : ahead, theirs = firmware + m->finish;
	const char *next = ": ";

	if (!boot_units__complete(&b->units))
		return;
	fprintf(out, "systemd-analyze counts %" PRIu64 ".%03" PRIu64 " s", theirs / 1000000000, theirs % 1000000000 / 1000000);
	if (apart > NOTED_NS && (int64_t)apart > b->clock.error) {
		fprintf(out, "%sCLOCK_MONOTONIC has %s %.3f s until the kernel had chosen its source", next,
			ahead > 0 ? "missed" : "counted", apart / 1e9);
		next = ", and ";
	}
	if (!firmware && b->parts.count && b->parts.list[0].start != NOT_KNOWN)
		fprintf(out, "%sit knows nothing of what came before the kernel", next);
	else if (firmware && before > NOTED_NS)
		fprintf(out, "%sit leaves out the %.3f s from the boot loader to the kernel's clock", next,
			before / 1e9);
	fputc('\n', out);
}

/* Prints which times are less exact than the table looks. */
static void print_doubts(const struct boot *b, FILE *out)
{
	int64_t again = b->parts.started_again;

	if (!b->units.known)
		return;
	if (b->clock.error > NOTED_NS)
		fprintf(out, "Times of systemd may be %.3f s earlier or later: its clock and the kernel's may have come apart as "
			"much since the boot, by NTP; %s\n", b->clock.error / 1e9, b->asked ?
			"the events that this boot was asked for do not tell them better" :
			"a boot with what `hytrace boot next` prints tells them better");
	else if (b->clock.slewed > NOTED_NS)
		fprintf(out, "Times of units may be up to %.3f s earlier or later, the later the more: systemd's clock and the kernel's "
			"have come apart since systemd began, by NTP\n", b->clock.slewed / 1e9);
	if (again > 0)
		fprintf(out, "%" PRId64 " unit%s been started again since the boot: if %s started in it, too, then this is counted as "
			"time in which no unit was being started\n", again, again > 1 ? "s have" : " has",
			again > 1 ? "they were" : "it was");
}

void boot__time_text(const struct boot *b, FILE *out)
{
	const struct boot_parts *p = &b->parts;

	fprintf(out, "The whole boot, " SECONDS " s as far as it is known; times are seconds of the kernel's clock\n\n",
		AS_SECONDS(p->total));
	print_parts(p, out);
	if (p->count && p->list[0].start != NOT_KNOWN && !b->firmware.source)
		fprintf(out, "It begins with the reset of the processor, if its time stamp counter began then\n");
	print_difference(b, out);
	print_doubts(b, out);
}

/* ---- units */

static int by_time(const void *a, const void *b)
{
	const struct boot_unit *const *x = a, *const *y = b;

	return ORDER(boot_unit__time(*y), boot_unit__time(*x)) ?: ORDER(*x, *y);
}

void boot__units_text(const struct boot *b, size_t most, FILE *out)
{
	static const struct column columns[] = {
		{ "UNIT", 0.4 }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT }, { "STATE", 6 }, { }
	};
	const struct boot_unit **list = xcalloc(b->units.count, sizeof(*list)), *target = boot_units__target(&b->units);
	struct libscols_table *table;
	size_t count = 0;

	for (size_t i = 0; i < b->units.count; i++) {
		if (boot_unit__time(&b->units.list[i]))
			list[count++] = &b->units.list[i];
	}
	qsort(list, count, sizeof(*list), by_time);
	if (b->units.known) {
		fprintf(out, "\nThe units that systemd has started; times are seconds of the kernel's clock\n\n");
		table = cells__table(out, columns);
		for (size_t i = 0; i < count && i < most; i++) {
			struct cells c = cells__line(table, NULL);

			cell__text(&c, list[i]->name);
			cell__time(&c, list[i]->start);
			cell__time(&c, boot_unit__time(list[i]));
			cell__text(&c, list[i]->result ?: list[i]->state);
		}
		cells__print(table, most, count, out);
	}
	free(list);
	if (!target)
		return;
	fputs("\nWhat ", out);
	utf8__print(out, target->name, "");
	fputs(" had to wait for, with the seconds since init was started\n\n", out);
	boot__chain_text(b, target, out);
}

/* ---- what is missing */

void boot__account_losses(const struct boot *b)
{
	int64_t since = b->clock.since_reset;

	if (!b->units.known)
		error__warn("what init has started is not known: %s", b->units.why_not ?: "nobody has asked");
	else if (!boot_units__complete(&b->units))
		error__warn(BOOT_NOT_COMPLETE, b->units.jobs);
	if (b->units.known && b->clock.ahead == NOT_KNOWN)
		error__warn("when systemd's units were started by the kernel's clock is not known: %s", b->clock.why_no_ahead);
	if (b->firmware.kexec)
		error__warn("another kernel has started this one (kexec): what came before is not known");
	else if (since == NOT_KNOWN && b->clock.why_no_tsc)
		error__warn("when the processor was reset is not known: %s", b->clock.why_no_tsc);
	else if (since != NOT_KNOWN && !boot_firmware__fits(&b->firmware, since))
		error__warn("when the processor was reset is not known: its time stamp counter began %.3f s before the kernel's "
			    "clock, and firmware and boot loader have taken %.3f s; a warm start may not have cleared it",
			    since / 1e9, b->firmware.source ? b->firmware.loader_end / 1e9 : 0);
	if (b->clock.unstable)
		error__warn("the kernel does not trust the time stamp counter: the clocks of its processors may differ, and then "
			    "who woke whom, and waits across processors, are doubtful");
}
