// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the account of a boot, its units, the critical chain, and the list of all that took time; see boot.h. The
 * rules of the chain are those of systemd-analyze, so both name the same units.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "boot/account.h"
#include "boot/cells.h"

#define BLAME_SCHEMA 1
#define CHAIN_SCHEMA 1
/* No boot has such a chain, but a document may. */
#define MOST_DEPTH 1000
/* Larger errors, and larger differences to the sum of systemd-analyze, are explained. */
#define NOTED_NS 10000000

/* ---- the parts */

static void add_part(struct libscols_table *table, const struct boot_parts *p, const struct boot_part *part)
{
	bool known = part->time != NOT_KNOWN;
	char name[256], with[64] = "";

	if (part->with == 1)
		snprintf(with, sizeof(with), ", with the row above");
	else if (part->with > 1)
		snprintf(with, sizeof(with), ", with the %" PRId64 " rows above", part->with);
	snprintf(name, sizeof(name), "%s%s%s%s", boot_part_titles[part->kind], part->level ? ": " : "", part->level ?: "", with);
	ADD_ROW(table, NULL, name, cell__seconds(part->start).text, known ? cell__seconds(part->time).text : "unknown",
		known ? cell__share(part->time, p->total).text : NULL);
}

static void print_parts(const struct boot_parts *p, FILE *out)
{
	static const struct column columns[] = {
		{ "PART", 0.4 }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT }, { "SHARE", 7, RIGHT }, { }
	};
	struct libscols_table *table = cells__table(out, columns);
	size_t shown = p->count;

	while (shown && p->list[shown - 1].time == NOT_KNOWN && p->list[shown - 1].start == NOT_KNOWN)
		shown--;
	for (size_t i = 0; i < shown; i++)
		add_part(table, p, &p->list[i]);
	ADD_ROW(table, NULL, "not accounted for", NULL, cell__seconds(p->not_accounted).text,
		cell__share(p->not_accounted, p->total).text);
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
 * systemd-analyze uses times of CLOCK_MONOTONIC and of the firmware. So its sum lacks the time between the boot
 * loader and the kernel's clock, and the ticks that this clock has missed until it had its clock source, unless NTP
 * may have made the difference.
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

	fprintf(out, "The whole boot, %s s as far as it is known; times are seconds of the kernel's clock\n\n",
		cell__seconds(p->total).text);
	print_parts(p, out);
	if (p->count && p->list[0].start != NOT_KNOWN && !b->firmware.source)
		fprintf(out, "It begins with the reset of the processor, if its time stamp counter began then\n");
	print_difference(b, out);
	print_doubts(b, out);
}

/* ---- units */

static struct span *add(struct span_list *l, enum span_class class, const char *name, int64_t self)
{
	struct span *s = LIST_ADD(l->list, l->count);

	*s = (struct span){ .class = class, .name = name, .self = self };
	return s;
}

static void add_units(struct span_list *l, const struct boot *b)
{
	for_list(unit, &b->units) {
		struct span *s = add(l, SPAN_UNIT, unit->name, boot_unit__time(unit));

		s->start = unit->start;
		s->note = unit->result ?: unit->state;
	}
}

static bool has_time(const struct span *s)
{
	return s->self > 0;
}

void boot__units_text(const struct boot *b, size_t most, FILE *out)
{
	static const struct column columns[] = {
		{ "UNIT", 0.4 }, { "START", 10, RIGHT }, { "TIME", 10, RIGHT }, { "STATE", 6 }, { }
	};
	const struct boot_unit *target = boot_units__target(&b->units);
	struct libscols_table *table;
	struct span_list all = {};
	const struct span **list;
	size_t count;

	if (!b->units.known)
		return;
	table = cells__table(out, columns);
	add_units(&all, b);
	list = span_list__by_self(&all, has_time, &count);
	fprintf(out, "\nThe units that systemd has started; times are seconds of the kernel's clock\n\n");
	for (size_t i = 0; i < count && i < most; i++)
		ADD_ROW(table, NULL, list[i]->name, cell__seconds(list[i]->start).text, cell__seconds(list[i]->self).text, list[i]->note);
	cells__print(table, most, count, out);
	free(list);
	free(all.list);
	if (!target)
		return;
	fputs("\nWhat ", out);
	utf8__print(out, target->name, "");
	fputs(" had to wait for, with the seconds since init was started\n\n", out);
	boot__chain_text(b, target, out);
}

/* ---- the critical chain */

struct chain_row {
	const char *name;
	int64_t depth, start, active, time;
	bool again;			/* the units that it waited for are in rows above */
};

struct chain {
	const struct boot_units *u;
	const char *unit;
	int64_t userspace;
	struct chain_row *rows;		/* the last row above with a lower depth waited for a unit */
	size_t count;
	bool *followed;			/* for each unit: its own chain is in the rows */
};

/*
 * Adds a unit and the units that it waited for: of all units that it was ordered after, those that became active last
 * before the boot was complete. Mostly it is one, and a chain has some ten units. Each is followed only once.
 */
static void follow(struct chain *c, const struct boot_unit *unit, int64_t depth)
{
	bool *followed = &c->followed[unit - c->u->list];
	int64_t last = NOT_KNOWN;

	*LIST_ADD(c->rows, c->count) = (struct chain_row){
		unit->name, depth, unit->activating, unit->activated, boot_unit__time(unit), *followed
	};
	if (*followed || depth == MOST_DEPTH)
		return;
	*followed = true;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; unit->after && unit->after[i]; i++) {
			const struct boot_unit *other = boot_units__find(c->u, unit->after[i]);

			if (!other || !boot_units__in_boot(c->u, other))
				continue;
			if (pass && other->activated == last)
				follow(c, other, depth + 1);
			else if (!pass && other->activated > last)
				last = other->activated;
		}
	}
}

static struct chain chain_of(const struct boot *b, const struct boot_unit *unit)
{
	struct chain c = {
		.u = &b->units, .unit = unit->name, .userspace = b->units.manager.userspace,
		.followed = xcalloc(b->units.count, sizeof(bool)),
	};

	follow(&c, unit, 0);
	free(c.followed);
	return c;
}

/* Times are since the beginning of user space. */
void boot__chain_text(const struct boot *b, const struct boot_unit *unit, FILE *out)
{
	static const struct column columns[] = {
		{ "WAITED FOR", 0.5, SCOLS_FL_TREE }, { "STARTED", 10, RIGHT }, { "TIME", 10, RIGHT }, { }
	};
	struct libscols_table *table = cells__table(out, columns);
	struct chain chain = chain_of(b, unit);
	int64_t userspace = chain.userspace == NOT_KNOWN ? 0 : chain.userspace;
	struct libscols_line **lines = xcalloc(chain.count, sizeof(*lines));

	for_array(row, chain.rows, chain.count) {
		char name[512];

		snprintf(name, sizeof(name), "%s%s", row->name, row->again ? " (see above)" : "");
		lines[row->depth] = ADD_ROW(table, row->depth ? lines[row->depth - 1] : NULL, name,
					    cell__seconds(row->start - userspace).text, cell__seconds(row->time ?: NOT_KNOWN).text);
	}
	table__print(table);
	free(lines);
	free(chain.rows);
}

/* Writes a document that is a view of a boot: its head, and these fields of @view. */
static void write_view(const struct boot *b, const char *document, int schema, const struct json_field *fields,
		       const void *view, FILE *out)
{
	static const struct json_field head[] = {
		{ "release", &field_string, offsetof(struct boot, kernel.release) },
		{ "boot_id", &field_string, offsetof(struct boot, boot_id) },
		{ "complete", &boot_units_complete, offsetof(struct boot, units) },
		{ }
	};
	json_writer_t *j = json__begin(out, document, schema);

	json__write_fields(j, head, b);
	json__write_fields(j, fields, view);
	json__end(&j);
}

static const struct json_field of_chain_row[] = {
	{ "name", &field_kept, offsetof(struct chain_row, name) },
	{ "depth", &field_time, offsetof(struct chain_row, depth) },
	{ "start_monotonic", &field_time, offsetof(struct chain_row, start) },
	{ "active_monotonic", &field_time, offsetof(struct chain_row, active) },
	{ "time", &field_time, offsetof(struct chain_row, time) },
	{ "again", &field_bool, offsetof(struct chain_row, again) },
	{ }
}, chain_fields[] = {
	{ "unit", &field_kept, offsetof(struct chain, unit) },
	{ "userspace", &field_time, offsetof(struct chain, userspace) },
	{ "rows", &field_list, offsetof(struct chain, rows), JSON_LIST(struct chain, rows, count, of_chain_row) },
	{ }
};

void boot__chain_json(const struct boot *b, const struct boot_unit *unit, FILE *out)
{
	struct chain chain = chain_of(b, unit);

	write_view(b, "boot-critical-chain", CHAIN_SCHEMA, chain_fields, &chain, out);
	free(chain.rows);
}

/* ---- blame */

/* The innermost initcall that made the probe in the initcall's own task; SIZE_MAX: none. */
static size_t initcall_of(const struct span_list *initcalls, const struct span *probe)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < initcalls->count && initcalls->list[i].start <= probe->start; i++) {
		const struct span *call = &initcalls->list[i];

		if (span__has_end(call) && call->task == probe->task && call->end >= probe->end)
			found = i;
	}
	return found;
}

/* All that took time. A probe has a row of its own, so the time of the initcall that made it excludes it. */
static struct span_list collect(const struct boot *b, struct strings *store)
{
	const struct span_list *calls = &b->initcalls;
	int64_t *own = xcalloc(calls->count, sizeof(*own));
	struct span_list l = {};

	add_units(&l, b);
	for (size_t i = 0; i < calls->count; i++)
		own[i] = span__has_end(&calls->list[i]) ? calls->list[i].self : 0;
	for_list(probe, &b->probes) {
		char name[256];
		size_t outer;

		if (probe->class != SPAN_PROBE || !span__has_end(probe))
			continue;
		snprintf(name, sizeof(name), "%s (%s)", span__name(probe), probe->in ?: "a driver");
		add(&l, SPAN_PROBE, strings__intern(store, name), probe->self);
		outer = initcall_of(calls, probe);
		if (outer != SIZE_MAX && has_time(probe))
			own[outer] -= probe->self;
	}
	for (size_t i = 0; i < calls->count; i++)
		add(&l, calls->list[i].class, span__name(&calls->list[i]), own[i]);
	free(own);
	return l;
}

struct blame {
	int64_t lost, full;
	uint64_t count;
	const struct span *items;	/* the longest first */
	size_t shown;
};

static const struct json_field of_item[] = {
	{ "time", &field_time, offsetof(struct span, self) },
	{ "name", &field_kept, offsetof(struct span, name) },
	{ "kind", &field_word, offsetof(struct span, class), span_class_words },
	{ }
}, blame_fields[] = {
	{ "lost", &field_time, offsetof(struct blame, lost) },
	{ "full", &field_time, offsetof(struct blame, full) },
	{ "count", &field_number, offsetof(struct blame, count) },
	{ "items", &field_list, offsetof(struct blame, items), JSON_LIST(struct blame, items, shown, of_item) },
	{ }
};

void boot__blame(const struct boot *b, size_t most, bool json, FILE *out)
{
	static const struct column columns[] = { { "TIME", 10, RIGHT }, { "NAME", 0.5 }, { "KIND", 8 }, { } };
	struct strings *store = strings__new();
	struct span_list all = collect(b, store);
	size_t count;
	const struct span **sorted = span_list__by_self(&all, has_time, &count);
	struct span *items = xcalloc(count, sizeof(*items));
	struct blame blame = { NOT_KNOWN, NOT_KNOWN, count, items, count < most ? count : most };
	struct libscols_table *table;

	if (b->has_start) {
		blame.lost = b->lost + (b->probes_lost == NOT_KNOWN ? 0 : b->probes_lost);
		blame.full = b->full;
	}
	for (size_t i = 0; i < blame.shown; i++)
		items[i] = *sorted[i];
	if (json) {
		write_view(b, "boot-blame", BLAME_SCHEMA, blame_fields, &blame, out);
	} else {
		table = cells__table(out, columns);
		for (size_t i = 0; i < blame.shown; i++)
			ADD_ROW(table, NULL, cell__seconds(items[i].self).text, items[i].name, span_class_words[items[i].class]);
		cells__print(table, most, count, out);
	}
	free(items);
	free(sorted);
	free(all.list);
	strings__free(store);
}

/* ---- what is missing */

void boot__account_losses(const struct boot *b)
{
	int64_t since = b->clock.since_reset;

	if (!b->units.known)
		error__warn("what init has started is not known: %s", boot_units__why_not(&b->units));
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
