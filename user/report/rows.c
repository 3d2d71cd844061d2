// SPDX-License-Identifier: GPL-2.0-only
/* Finds what recordings say about each function of a universe; see rows.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/index.h"
#include "base/sorted.h"
#include "report/rows.h"
#include "report/verdict.h"
#include "report/where.h"

struct making {
	struct rows *rows;
	struct lh_table *others;	/* rows of functions outside of the universe */
};

/* ---- what a recording was asked for */

static bool has_module(const struct coverage *c, const char *module)
{
	const struct covered_module *m = covered_modules__find(&c->modules, module);

	return m && !m->came;
}

/*
 * Functions of a trace event run only while the event is on. ext4 has more of them than of other
 * functions: in its share, they would hide what a workload has not reached. Most are in headers of
 * include/trace.
 */
static bool is_of_event(const struct function *f)
{
	return (f->file && !strncmp(f->file, "include/trace/", 14)) || !strncmp(f->name, "__traceiter_", 12) ||
	       !strncmp(f->name, "__probestub_", 12);
}

/* ---- making them */

static struct row *add_row(struct making *m, const struct function *f, enum row_class class)
{
	struct rows *r = m->rows;
	struct row *row;

	r->hits = list__grow(r->hits, r->count, r->columns * sizeof(*r->hits));
	row = LIST_ADD(r->list, r->count);
	*row = (struct row){ .f = f, .class = class, .made = r->count - 1 };
	return row;
}

/* Adds traceable functions, also vmlinux's init text. Modules' init text is in no recording. */
static void add_universe(struct making *m)
{
	const struct rows *r = m->rows;

	for (size_t i = 0; i < r->universe->count; i++) {
		const struct function *f = &r->universe->list[i];
		struct row *row;

		if (f->untraced || (f->init && f->module))
			continue;
		row = add_row(m, f, f->init ? ROW_INIT : is_of_event(f) ? ROW_EVENT : ROW_TRACED);
		for (size_t column = 0; column < r->columns; column++) {
			enum verdict v = verdict__of(r->documents[column], f);

			row->asked |= (uint64_t)verdict__could_see(v) << column;
			row->own |= (uint64_t)(v == VERDICT_OWN) << column;
			row->unattached |= (uint64_t)(v == VERDICT_UNATTACHED) << column;
		}
	}
}

static int by_function(const void *key, const void *element)
{
	return ORDER((const struct function *)key, ((const struct row *)element)->f);
}

/* Rows of the universe are in its order, so they are sorted by the address of @f. */
static struct row *row_of(struct rows *r, size_t universe_rows, const struct function *f)
{
	return f ? bsearch(f, r->list, universe_rows, sizeof(*r->list), by_function) : NULL;
}

/*
 * A running kernel does not list functions that were freed. But a universe from files has all
 * functions, and an empty one has none.
 */
static enum row_class class_of_other(const struct rows *r, const struct hit *hit, const struct coverage *c)
{
	bool has_place = r->universe->linked ? hit->link : hit->addr;
	size_t namesakes = 0;

	if (hit->module)
		return has_module(c, hit->module) ? ROW_UNKNOWN : ROW_LATER;
	if (!r->universe->count || r->universe->whole)
		return ROW_UNKNOWN;
	if (!has_place && hit->name)
		universe__named(r->universe, hit->name, &namesakes);
	return namesakes ? ROW_UNKNOWN : ROW_INIT;
}

static struct row *row_of_other(struct making *m, const struct hit *hit, const struct coverage *c)
{
	struct universe *others = &m->rows->others;
	enum row_class class = class_of_other(m->rows, hit, c);
	struct function f = {
		.addr = hit->module ? hit->offset : hit->link ? hit->link : hit->addr,
		.name = hit->name ? hit->name : "?", .module = hit->module, .init = class == ROW_INIT,
	};
	struct lh_entry *entry;
	struct row *row;
	char *key;

	/* If addresses are not known, only sympos tells functions of the same name apart. */
	key = xasprintf("%s %s %llx %u", f.name, f.module ? f.module : "", (unsigned long long)f.addr,
			f.module || f.addr ? 0 : hit->sympos);
	entry = lh_table_lookup_entry(m->others, key);
	if (entry) {
		free(key);
		return &m->rows->list[(uintptr_t)lh_entry_v(entry)];
	}
	/* Adding a function moves @others, so a row has an index until all functions are added. */
	row = add_row(m, (const struct function *)(uintptr_t)others->count, class);
	universe__add(others, &f);
	index__add(m->others, key, (void *)(uintptr_t)(m->rows->count - 1));
	return row;
}

static void add_hits(struct making *m, size_t column, size_t universe_rows)
{
	const struct coverage *c = m->rows->documents[column];

	for (size_t i = 0; i < c->hits.count; i++) {
		const struct hit *hit = &c->hits.list[i];
		struct row *row;

		if (hit->kind != HIT_FUNCTION)
			continue;
		row = row_of(m->rows, universe_rows, universe__find(m->rows->universe, hit));
		if (!row)
			row = row_of_other(m, hit, c);
		if (!row__is_seen(row, column))
			m->rows->hits[row->made * m->rows->columns + column] = hit;
		row->seen |= 1ull << column;
		/* A recorded function counts as asked for, whatever the filter says. */
		if (!hit->module || has_module(c, hit->module))
			row->asked |= 1ull << column;
	}
}

void rows__make(struct rows *ret, const struct universe *u, const struct coverage *const *documents, size_t count)
{
	struct making m = { .rows = ret };
	size_t universe_rows;

	*ret = (struct rows){ .columns = count, .documents = documents, .universe = u };
	universe__init(&ret->others);
	m.others = index__new(1024, index__free_key);
	add_universe(&m);
	universe_rows = ret->count;
	for (size_t column = 0; column < count; column++)
		add_hits(&m, column, universe_rows);
	for (size_t i = universe_rows; i < ret->count; i++)
		ret->list[i].f = &ret->others.list[(uintptr_t)ret->list[i].f];
	ret->all = ret->count;
	lh_table_free(m.others);
}

void rows__free(struct rows *r)
{
	free(r->list);
	free(r->hits);
	universe__free(&r->others);
	memset(r, 0, sizeof(*r));
}

/* ---- a part of the rows */

bool rows__has(const struct rows *r, const struct function *f)
{
	return !r->where || where__has(r->where, f->module, f->unit);
}

int rows__restrict(struct rows *r, const char *where)
{
	size_t kept = 0;
	int err;

	err = where__check(where, r->universe);
	if (err)
		return err;
	for (size_t i = 0; i < r->count; i++) {
		struct row row = r->list[i];

		if (where__has(where, row.f->module, row.f->unit)) {
			r->list[i] = r->list[kept];
			r->list[kept++] = row;
		}
	}
	if (!kept)
		return where__is_empty(where);
	r->count = kept;
	r->where = where;
	return 0;
}

const struct hit *rows__hit(const struct rows *r, const struct row *row, size_t column)
{
	return r->hits[row->made * r->columns + column];
}

/* ---- counting */

bool row__is_seen(const struct row *row, size_t column)
{
	return row->seen >> column & 1;
}

bool row__is_asked_for(const struct row *row, size_t column)
{
	return row->asked >> column & 1;
}

bool row__is_proved(const struct row *row, size_t column)
{
	return row->proved >> column & 1;
}

bool row__is_possible(const struct row *row, size_t column)
{
	return row->possible >> column & 1;
}

void tally__add(struct tally *t, const struct row *row, size_t column)
{
	bool seen = row__is_seen(row, column), asked = row__is_asked_for(row, column);

	if (row->class == ROW_UNKNOWN) {
		t->unknown += seen;
	} else if (row->class == ROW_TRACED && asked) {
		t->asked++;
		t->seen += seen;
	} else {
		t->beside += seen;
		t->unattached += !seen && row->unattached >> column & 1;
		t->own += !seen && row->own >> column & 1;
		t->events += row->class == ROW_EVENT && asked;
	}
}

size_t tally__seen(const struct tally *t)
{
	return t->seen + t->beside + t->unknown;
}

struct tally rows__total(const struct rows *r, size_t column)
{
	struct tally total = {};

	for (size_t i = 0; i < r->count; i++)
		tally__add(&total, &r->list[i], column);
	return total;
}

void rows__check(const struct rows *r, const char *const *labels)
{
	for (size_t i = 0; r->universe->count && i < r->columns; i++) {
		const struct coverage *c = r->documents[i];
		struct tally total = rows__total(r, i);
		size_t known = total.asked + total.unattached + total.own + total.events;

		/* A union has the modules of all runs, while each run could only trace its own. */
		if (c->merged ? known < c->traced : known != c->traced)
			error__warn("%s: when it was recorded, %zu of the functions that were asked for could "
				    "be traced; %zu are known, and shares are of these", labels[i], c->traced, known);
	}
}

enum verdict rows__verdict(const struct rows *r, const struct row *row, size_t column)
{
	enum verdict v = row__is_seen(row, column) ? VERDICT_SEEN : verdict__of(r->documents[column], row->f);

	/* The universe lacks the function; only another recording has seen it. */
	if (!row__is_asked_for(row, column))
		return v != VERDICT_SEEN && verdict__could_see(v) ? VERDICT_UNKNOWN : v;
	return row__is_proved(row, column) ? VERDICT_PROVED : row__is_possible(row, column) ? VERDICT_INLINED : v;
}

double tally__share(const struct tally *t)
{
	return t->asked ? 100.0 * t->seen / t->asked : 0.0;
}

size_t unit__directory_length(const char *unit)
{
	const char *slash = unit ? strrchr(unit, '/') : NULL;

	return slash ? slash - unit : 0;
}
