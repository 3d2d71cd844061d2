// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the rows of a comparison from boots; see compare.h.
 *
 * If a boot does not have a row, the row's time and count are 0 for this boot. They are unknown if
 * this part of the boot has losses.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/index.h"
#include "base/memory.h"
#include "boot/boot.h"
#include "boot/compare.h"
#include "kernel/symbols.h"

const struct row_kind_traits row_kinds[ROW_KINDS] = {
	[ROW_INITCALL] = { "initcall", PART_OF_START, .is_of_events = true, .is_code = true },
	[ROW_MODULE] = { "module", PART_OF_START, .is_of_events = true },
	[ROW_LEVEL] = { "level", PART_OF_START, .is_of_events = true, .is_whole = true, .is_sum = true },
	[ROW_INIT] = { "init", PART_OF_START, .is_of_events = true, .is_whole = true },
	[ROW_WAIT] = { "wait", PART_OF_START, .is_of_events = true, .is_sum = true },
	[ROW_PROBE] = { "probe", PART_OF_START, .is_of_events = true },
	[ROW_UNIT] = { "unit", PART_OF_USER },
	[ROW_PART] = { "part", PART_OF_USER, .is_whole = true },
	[ROW_PHASE] = { "phase", PART_OF_EARLY, .is_whole = true, .is_code = true, .has_calls = true, .is_sum = true },
	[ROW_FUNCTION] = { "function", PART_OF_EARLY, .is_code = true, .has_calls = true, .is_sum = true },
	[ROW_TOTAL] = { "total", PART_OF_START, .is_whole = true },
	[ROW_TARGET] = { "total", PART_OF_USER, .is_whole = true },
	[ROW_BETWEEN] = { "level", PART_OF_START, .is_whole = true },
};

void boot_comparison__init(struct boot_comparison *ret, size_t a, size_t b)
{
	*ret = (struct boot_comparison){
		.boots = xcalloc(a + b, sizeof(*ret->boots)), .count = { a, b }, .all = a + b, .names = strings__new(),
		.index = index__new(1024, NULL), .total = SIZE_MAX, .target = SIZE_MAX,
	};
}

void boot_comparison__free(struct boot_comparison *c)
{
	for (size_t i = 0; i < c->row_count; i++)
		free(c->rows[i].cells);
	for (size_t i = 0; i < c->note_count; i++)
		free(c->notes[i]);
	free(c->rows);
	free(c->notes);
	free(c->boots);
	lh_table_free(c->index);
	strings__free(c->names);
	*c = (struct boot_comparison){};
}

/* ---- rows */

struct reading {
	struct boot_comparison *c;
	size_t index;
	const struct boot *b;
};

/* The row of this kind and name; adds it if it is new. */
static struct boot_row *find_row(struct boot_comparison *c, enum row_kind kind, const char *name)
{
	char *key = xasprintf("%s %s", row_kinds[kind].word, name);
	struct boot_row *row;
	const void *found;

	if (lh_table_lookup_ex(c->index, key, (void **)&found)) {
		row = &c->rows[(uintptr_t)found];
	} else {
		index__add(c->index, strings__add(c->names, key), (void *)c->row_count);
		row = LIST_ADD(c->rows, c->row_count);
		row->kind = kind;
		row->name = strings__intern(c->names, name);
		row->cells = xcalloc(c->all, sizeof(*row->cells));
	}
	free(key);
	return row;
}

static void add_value(struct row_cell *cell, enum boot_measure measure, int64_t value)
{
	/* A document may also have a negative number. */
	cell->unknown[measure] |= value < 0;
	cell->value[measure] += value < 0 ? 0 : value;
}

/* Adds an item. Returns NULL if its name is not known. */
static struct row_cell *add(const struct reading *r, enum row_kind kind, const char *name, int64_t time, int64_t count)
{
	struct row_cell *cell;
	struct boot_row *row;

	if (!name)
		return NULL;
	row = find_row(r->c, kind, row_kinds[kind].is_code ? function__base_name(r->c->names, name) : name);
	cell = &row->cells[r->index];
	/* Points in time are not added up: the first one counts. */
	if (kind == ROW_INIT && cell->is_there)
		return cell;
	/* Oneshot records each function once, so there are no counts. */
	if (row_kinds[kind].has_calls && boot__is_oneshot(r->b))
		count = !cell->is_there;
	cell->is_there = true;
	add_value(cell, MEASURE_TIME, time);
	add_value(cell, MEASURE_COUNT, count);
	if (kind == ROW_TOTAL)
		r->c->total = row - r->c->rows;
	else if (kind == ROW_TARGET)
		r->c->target = row - r->c->rows;
	return cell;
}

static void add_initcall(const struct reading *r, const struct span *s)
{
	bool module = s->class == SPAN_MODULE;
	struct row_cell *cell = add(r, module ? ROW_MODULE : ROW_INITCALL, module ? s->module : s->name, s->self, 1);

	/* With inner initcalls, "ready" includes theirs, and "self" does not: do not use it. */
	if (cell && s->ready > 0 && s->self == span__time(s))
		cell->ready += s->ready;
}

/* Rows for the time before the first level and after the last; levels are the rest until init. */
static void add_until_init(const struct reading *r)
{
	const struct span_list *levels = &r->b->levels, *inits = &r->b->inits;
	int64_t init = inits->count ? inits->list[0].start : NOT_KNOWN;
	int64_t end = levels->count ? levels->list[levels->count - 1].end : NOT_KNOWN;

	if (!r->b->has_start)
		return;
	add(r, ROW_TOTAL, "until init", init, 1);
	/* If the first levels are lost, the time before them is not known. */
	add(r, ROW_BETWEEN, "(before)", boot__has_beginning(r->b) ? levels->list[0].start : NOT_KNOWN, 1);
	add(r, ROW_BETWEEN, "(after, until init)", init >= 0 && end >= 0 ? init - end : NOT_KNOWN, 1);
}

static void add_start(const struct reading *r)
{
	const struct boot *b = r->b;

	add_until_init(r);
	for (size_t i = 0; i < b->initcalls.count; i++)
		add_initcall(r, &b->initcalls.list[i]);
	for (const struct span *s = b->levels.list; s < b->levels.list + b->levels.count; s++)
		add(r, ROW_LEVEL, s->name, s->end - s->start, s->count);
	/* The first program is the end of the total. */
	for (size_t i = 1; i < b->inits.count; i++)
		add(r, ROW_INIT, b->inits.list[i].name, b->inits.list[i].start, 1);
	for (size_t i = 0; i < b->wait_count; i++)
		add(r, ROW_WAIT, b->waits[i].name, b->waits[i].time, b->waits[i].count);
	for (const struct span *s = b->probes.list; s < b->probes.list + b->probes.count; s++)
		add(r, ROW_PROBE, s->class == SPAN_PROBE ? s->name : NULL, s->self, 1);
}

/*
 * The time until the default target is one of CLOCK_MONOTONIC without translation, so it depends
 * neither on events nor on when the boot was recorded.
 */
static void add_units(const struct reading *r)
{
	const struct boot_units *u = &r->b->units;
	const struct boot_unit *target = boot_units__target(u);

	if (u->known && u->target)
		add(r, ROW_TARGET, "until the default target", target ? target->activated : NOT_KNOWN, 1);
	for (const struct boot_unit *unit = u->list; unit < u->list + u->count; unit++) {
		/* systemd keeps only the last start: the time of the one in the boot is not known then. */
		bool again = u->manager.finish >= 0 && unit->activating > u->manager.finish;

		add(r, ROW_UNIT, unit->name, again ? NOT_KNOWN : boot_unit__time(unit), 1);
	}
}

static void add_parts(const struct reading *r)
{
	const struct boot_parts *p = &r->b->parts;

	for (const struct boot_part *part = p->list; part < p->list + p->count; part++) {
		/* The last parts depend on the times of all units. */
		bool known = part->kind < PART_UNITS || p->started_again <= 0;

		/* Parts that are levels are of the kind "level". */
		if (part->kind != PART_LEVEL)
			add(r, ROW_PART, boot_part_names[part->kind], known ? part->time : NOT_KNOWN, 1);
	}
}

static void add_early(const struct reading *r)
{
	const struct boot_early *e = &r->b->early;

	for (const struct boot_phase *p = e->phases; p < e->phases + e->phase_count; p++) {
		add(r, ROW_PHASE, p->name, p->time, p->calls);
		/* Two levels of phases are enough. */
		for (const struct boot_phase *i = p->inner; p->name && i < p->inner + p->inner_count; i++) {
			const char *outer = function__base_name(r->c->names, p->name);
			char *name = i->name ? xasprintf("%s/%s", outer, i->name) : NULL;

			add(r, ROW_PHASE, name, i->time, i->calls);
			free(name);
		}
	}
	for (size_t i = 0; i < e->function_count; i++)
		add(r, ROW_FUNCTION, e->function_list[i].name, 0, e->function_list[i].calls);
}

/* ---- the head */

/* The text of a number; NULL: it is not known. */
static const char *number_of(struct boot_comparison *c, int64_t number, const char *unit)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRId64 "%s", number, unit);
	return number > 0 ? strings__intern(c->names, text) : NULL;
}

static void add_facts(struct boot_comparison *c, struct boot_head *h, const struct boot *b)
{
	const char *const facts[FACTS] = {
		[FACT_RELEASE] = b->kernel.release, [FACT_BUILD_ID] = b->kernel.build_id, [FACT_BOOT_ID] = b->boot_id,
		[FACT_TRACER] = b->early.tracer, [FACT_MODEL] = b->machine.model, [FACT_CMDLINE] = b->kernel.cmdline,
		[FACT_PROGRAM] = b->inits.count ? b->inits.list[0].name : NULL,
		[FACT_TARGET] = b->units.known ? b->units.target : NULL,
		[FACT_SITES] = boot__has_early(b) ? number_of(c, b->early.sites, "") : NULL,
		[FACT_CPUS] = number_of(c, b->machine.cpus, ""),
		[FACT_MEMORY] = number_of(c, b->machine.memory >> 20, " MiB"),
	};

	for (size_t i = 0; i < FACTS; i++)
		h->facts[i] = facts[i] ? strings__intern(c->names, facts[i]) : NULL;
}

int boot_comparison__add(struct boot_comparison *c, size_t boot, const char *path, const struct boot *b)
{
	const struct reading r = { c, boot, b };
	struct boot_head *h = &c->boots[boot];

	h->path = path;
	h->has_start = b->has_start;
	h->lost[PART_OF_EARLY] = counters__sum(&b->early.lost);
	h->lost[PART_OF_START] = b->lost > 0 ? b->lost : 0;
	h->cycles = b->early.counts;
	h->probes_lost = b->probes_lost > 0 || b->probes_full > 0;
	for (size_t i = 0; i < ROW_KINDS; i++)
		h->lacks[i] = h->lost[row_kinds[i].source];
	h->lacks[ROW_MODULE] |= b->full >= 0;
	h->lacks[ROW_WAIT] |= !b->waits;
	h->lacks[ROW_PROBE] |= !b->probes.list || h->probes_lost;
	h->lacks[ROW_UNIT] |= !b->units.known;
	h->lacks[ROW_TARGET] |= !b->units.known;
	h->lacks[ROW_PART] |= !b->parts.list;
	h->knows_ready = b->waits && b->ready >= 0;
	add_facts(c, h, b);
	if (!boot__has_early(b) && !b->has_start && !b->units.known)
		return error__return(-EINVAL, "%s: has neither initcalls nor an early part nor units, so there is nothing to "
				     "compare", path);
	add_start(&r);
	add_units(&r);
	add_parts(&r);
	add_early(&r);
	return 0;
}
