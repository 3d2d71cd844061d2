// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace boot blame, hytrace boot critical-chain: like the commands of systemd-analyze. blame also
 * lists what took time in the kernel. The rules of the chain are those of systemd-analyze, so both
 * name the same units.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "boot/cells.h"
#include "boot/commands.h"

#define BLAME_SCHEMA 1
#define CHAIN_SCHEMA 1
/* No boot has such a chain, but a document may. */
#define MOST_DEPTH 1000

/* ---- the chain */

struct chain_row {
	const char *name;
	int64_t depth, start, active, time;
	bool again;			/* the units that it waited for are in rows above */
};

struct chain {
	const struct boot_units *u;
	struct chain_row *rows;		/* the last row above with a lower depth waited for a unit */
	size_t count;
	bool *followed;			/* for each unit: its own chain is in the rows */
};

/*
 * Adds a unit and the units that it waited for: of all units that it was ordered after, those that
 * became active last before the boot was complete. Mostly it is one, and a chain has some ten
 * units. Each is followed only once.
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
	struct chain c = { .u = &b->units, .followed = xcalloc(b->units.count, sizeof(bool)) };

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
	int64_t userspace = b->units.manager.userspace == NOT_KNOWN ? 0 : b->units.manager.userspace;
	struct libscols_table *table = cells__table(out, columns);
	struct chain chain = chain_of(b, unit);
	struct libscols_line **lines = xcalloc(chain.count, sizeof(*lines));

	for (size_t i = 0; i < chain.count; i++) {
		const struct chain_row *row = &chain.rows[i];
		struct cells c = cells__line(table, row->depth ? lines[row->depth - 1] : NULL);

		lines[row->depth] = c.line;
		cell__print(&c, "%s%s", row->name, row->again ? " (see above)" : "");
		cell__time(&c, row->start - userspace);
		cell__time(&c, row->time ?: NOT_KNOWN);
	}
	table__print(table);
	free(lines);
	free(chain.rows);
}

static const struct json_field row_fields[] = {
	{ "name", &field_kept, offsetof(struct chain_row, name) },
	{ "depth", &field_time, offsetof(struct chain_row, depth) },
	{ "start_monotonic", &field_time, offsetof(struct chain_row, start) },
	{ "active_monotonic", &field_time, offsetof(struct chain_row, active) },
	{ "time", &field_time, offsetof(struct chain_row, time) },
	{ "again", &field_bool, offsetof(struct chain_row, again) },
	{ }
}, chain_fields[] = { { "rows", &field_list, offsetof(struct chain, rows), JSON_LIST(struct chain, rows, count, row_fields) }, { } };

void boot__chain_json(const struct boot *b, const struct boot_unit *unit, FILE *out)
{
	json_writer_t *j = boot__begin(b, out, "boot-critical-chain", CHAIN_SCHEMA);
	struct chain chain = chain_of(b, unit);

	json__string_or_null(j, "unit", unit->name);
	json__int_or_null(j, "userspace", b->units.manager.userspace != NOT_KNOWN, b->units.manager.userspace);
	json__write_fields(j, chain_fields, &chain);
	json__end(&j);
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

static bool has_time(const struct span *s)
{
	return s->self > 0;
}

static void add(struct span_list *l, enum span_class class, const char *name, int64_t self)
{
	*LIST_ADD(l->list, l->count) = (struct span){ .class = class, .name = name, .self = self };
}

/* All that took time. A probe has a row of its own, so the time of the initcall that made it excludes it. */
static struct span_list collect(const struct boot *b, struct strings *store)
{
	const struct span_list *calls = &b->initcalls;
	int64_t *own = xcalloc(calls->count, sizeof(*own));
	struct span_list l = {};

	for (size_t i = 0; i < b->units.count; i++)
		add(&l, SPAN_UNIT, b->units.list[i].name, boot_unit__time(&b->units.list[i]));
	for (size_t i = 0; i < calls->count; i++)
		own[i] = span__has_end(&calls->list[i]) ? calls->list[i].self : 0;
	for (size_t i = 0; i < b->probes.count; i++) {
		const struct span *probe = &b->probes.list[i];
		char name[256];
		size_t outer;

		if (probe->class != SPAN_PROBE || !span__has_end(probe))
			continue;
		snprintf(name, sizeof(name), "%s (%s)", span__name(probe), probe->in ?: "a driver");
		add(&l, SPAN_PROBE, strings__intern(store, name), probe->self);
		outer = initcall_of(calls, probe);
		if (outer != SIZE_MAX && has_time(probe))
			own[outer] -= probe->self < own[outer] ? probe->self : own[outer];
	}
	for (size_t i = 0; i < calls->count; i++)
		add(&l, calls->list[i].class, span__name(&calls->list[i]), own[i]);
	free(own);
	return l;
}

void boot__blame(const struct boot *b, size_t most, bool json, FILE *out)
{
	static const struct column columns[] = { { "TIME", 10, RIGHT }, { "NAME", 0.5 }, { "KIND", 8 }, { } };
	static const struct json_field fields[] = {
		{ "time", &field_time, offsetof(struct span, self) },
		{ "name", &field_kept, offsetof(struct span, name) },
		{ "kind", &field_word, offsetof(struct span, class), span_class_words },
		{ }
	};
	struct strings *store = strings__new();
	struct span_list all = collect(b, store);
	size_t count;
	const struct span **sorted = span_list__by_self(&all, has_time, &count);
	struct libscols_table *table = json ? NULL : cells__table(out, columns);
	json_writer_t *j = json ? boot__begin(b, out, "boot-blame", BLAME_SCHEMA) : NULL;

	if (json) {
		json__int_or_null(j, "lost", b->has_start, b->lost + (b->probes_lost == NOT_KNOWN ? 0 : b->probes_lost));
		json__int_or_null(j, "full", b->has_start && b->full != NOT_KNOWN, b->full);
		jsonw_lluint_field(j, "count", count);
		json__lines(j, "items");
	}
	for (size_t i = 0; i < count && i < most; i++) {
		struct cells c;

		if (json) {
			jsonw_start_object(j);
			json__write_fields(j, fields, sorted[i]);
			jsonw_end_object(j);
			continue;
		}
		c = cells__line(table, NULL);
		cell__time(&c, sorted[i]->self);
		cell__text(&c, sorted[i]->name);
		cell__text(&c, span_class_words[sorted[i]->class]);
	}
	if (json) {
		jsonw_end_array(j);
		json__end(&j);
	} else {
		cells__print(table, most, count, out);
	}
	free(sorted);
	free(all.list);
	strings__free(store);
}

/* ---- the commands */

enum { OPTION_FUZZ = 0x100 };

static const struct argp_option of_blame[] = {
	OPTION_FORMAT("text (default) or json" OPTION_FORMAT_BY_NAME), OPTION_OUTPUT,
	{ "most", 'n', "N", 0, "list the N longest only", 0 },
	{ }
};

static const struct argp_option of_chain[] = {
	OPTION_FORMAT("text (default) or json" OPTION_FORMAT_BY_NAME), OPTION_OUTPUT,
	{ "fuzz", OPTION_FUZZ, "TIME", OPTION_HIDDEN, NULL, 0 },
	{ }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct boot_options *o = state->input;

	switch (key) {
	case 'n':
		o->most = option__number(state, "most", arg, 1 << 24);
		break;
	case OPTION_FUZZ:
		argp_error(state, "--fuzz: critical-chain follows the last unit only; `hytrace boot -f json` has each "
			   "unit with its times, and what it was started after");
		break;
	case ARGP_KEY_ARG:
		boot_options__argument(o, arg, state);
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* Without systemd, blame has the kernel's part. */
static int view_blame(const struct boot *b, const struct boot_options *o, FILE *out)
{
	if (!b->units.known && !b->has_start)
		return error__return(-EOPNOTSUPP, "what init has started is not known: %s", b->units.why_not);
	if (!b->units.known)
		error__warn("units are missing: %s", b->units.why_not);
	else if (!boot_units__complete(&b->units))
		error__warn(BOOT_NOT_COMPLETE, b->units.jobs);
	boot__blame(b, o->most ?: SIZE_MAX, o->result.format == RESULT_JSON, out);
	return 0;
}

static int view_chain(const struct boot *b, const struct boot_options *o, FILE *out)
{
	const struct boot_units *u = &b->units;
	const struct boot_unit *unit = o->unit ? boot_units__find_typed(u, o->unit) : boot_units__find(u, u->target);

	if (!u->known)
		return error__return(-EOPNOTSUPP, "what init has started is not known: %s", u->why_not);
	if (!boot_units__complete(u))
		return error__return(-ENODATA, BOOT_NOT_COMPLETE, u->jobs);
	if (!unit)
		return error__return(-ENODATA, "no unit %s is known; `systemctl list-units --all` lists them",
				     o->unit ?: u->target ?: "(default target)");
	if (!boot_units__in_boot(u, unit))
		return error__return(-ENODATA, "the unit %s was not started, or not reached, in this boot", unit->name);
	if (o->result.format == RESULT_JSON)
		boot__chain_json(b, unit, out);
	else
		boot__chain_text(b, unit, out);
	return 0;
}

int cmd_boot_blame(int argc, char **argv)
{
	static const struct argp argp = {
		.options = of_blame, .parser = parse, .args_doc = "[FILE.json]",
		.doc = "Lists all that took time in this boot, or in the boot in FILE.json, the longest first: the "
		       "units that systemd has started, and the kernel's initcalls, modules and probes of devices. "
		       "Items that run at the same time each count in full."
		       "\vExamples:\n"
		       "  hytrace boot blame -n 20\n"
		       "  hytrace boot blame boot.json\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, 3 neither systemd nor the events of initcalls are there.",
	};
	struct boot_options o = {};

	return argp_parse(&argp, argc, argv, 0, NULL, &o) ? EXIT_USAGE :
	       boot__answer(&o, NEEDS_EVENTS | NEEDS_UNITS, view_blame);
}

int cmd_boot_chain(int argc, char **argv)
{
	static const struct argp argp = {
		.options = of_chain, .parser = parse, .args_doc = "[UNIT] [FILE.json]",
		.doc = "Shows what the default target, or UNIT, had to wait for in this boot, or in the boot in "
		       "FILE.json: the unit that became active last, of all units that it was ordered after; what "
		       "this unit had to wait for; and so on."
		       "\vExamples:\n"
		       "  hytrace boot critical-chain\n"
		       "  hytrace boot critical-chain ssh boot.json\n\n"
		       "Exit status: 0 done, 1 failed, or the boot is not complete yet, 2 usage, 3 there is no systemd.",
	};
	struct boot_options o = { .takes_unit = true };

	return argp_parse(&argp, argc, argv, 0, NULL, &o) ? EXIT_USAGE : boot__answer(&o, NEEDS_UNITS, view_chain);
}
