// SPDX-License-Identifier: GPL-2.0-only
/* Finds what recordings say about each function of a universe, and sums it up; see rows.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/index.h"
#include "base/sorted.h"
#include "report/documents.h"
#include "report/rows.h"

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

static struct row *add_row(struct rows *r, const struct function *f, enum row_class class)
{
	struct row *row;

	r->hits = list__grow(r->hits, r->count, r->columns * sizeof(*r->hits));
	row = LIST_ADD(r->list, r->count);
	*row = (struct row){ .f = f, .class = class, .made = r->count - 1 };
	return row;
}

/* Adds traceable functions, also vmlinux's init text. Modules' init text is in no recording. */
static void add_universe(struct rows *r)
{
	for (size_t i = 0; i < r->universe->count; i++) {
		const struct function *f = &r->universe->list[i];
		struct row *row;

		if (f->untraced || (f->init && f->module))
			continue;
		row = add_row(r, f, f->init ? ROW_INIT : is_of_event(f) ? ROW_EVENT : ROW_TRACED);
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

/* @others: the rows of functions outside of the universe */
static struct row *row_of_other(struct rows *r, struct lh_table *others, const struct hit *hit,
				const struct coverage *c)
{
	enum row_class class = class_of_other(r, hit, c);
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
	entry = lh_table_lookup_entry(others, key);
	if (entry) {
		free(key);
		return &r->list[(uintptr_t)lh_entry_v(entry)];
	}
	/* Adding a function moves the list, so a row has an index until all functions are added. */
	row = add_row(r, (const struct function *)(uintptr_t)r->others.count, class);
	universe__add(&r->others, &f);
	index__add(others, key, (void *)(uintptr_t)(r->count - 1));
	return row;
}

static void add_hits(struct rows *r, struct lh_table *others, size_t column, size_t universe_rows)
{
	const struct coverage *c = r->documents[column];

	for (size_t i = 0; i < c->hits.count; i++) {
		const struct hit *hit = &c->hits.list[i];
		struct row *row;

		if (hit->kind != HIT_FUNCTION)
			continue;
		row = row_of(r, universe_rows, universe__find(r->universe, hit)) ?: row_of_other(r, others, hit, c);
		if (!row__is_seen(row, column))
			r->hits[row->made * r->columns + column] = hit;
		row->seen |= 1ull << column;
		/* A recorded function counts as asked for, whatever the filter says. */
		if (!hit->module || has_module(c, hit->module))
			row->asked |= 1ull << column;
	}
}

void rows__make(struct rows *ret, const struct universe *u, const struct coverage *const *documents, size_t count)
{
	struct lh_table *others = index__new(1024, index__free_key);
	size_t universe_rows;

	*ret = (struct rows){ .columns = count, .documents = documents, .universe = u };
	universe__init(&ret->others);
	add_universe(ret);
	universe_rows = ret->count;
	for (size_t column = 0; column < count; column++)
		add_hits(ret, others, column, universe_rows);
	for (size_t i = universe_rows; i < ret->count; i++)
		ret->list[i].f = &ret->others.list[(uintptr_t)ret->list[i].f];
	ret->all = ret->count;
	lh_table_free(others);
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

static void tally__add(struct tally *t, const struct row *row, size_t column)
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

/* The length of a unit's directory: the part before the last slash; 0 if there is no slash. */
static size_t unit__directory_length(const char *unit)
{
	const char *slash = unit ? strrchr(unit, '/') : NULL;

	return slash ? slash - unit : 0;
}

/* ---- groups */

/* Prefixes of fewer functions are of no interest, and joined into one line. */
#define SMALLEST_PREFIX 20
#define OTHERS "(others)"
#define GROUPS_AT_FIRST 1024
/* The group of vmlinux's init text, which is freed when the boot is done. */
#define FREED "(init code, freed)"

/* "ext4_file_write" -> "ext4", "__x64_sys_read" -> "x64". */
static void prefix_of(const char *symbol, char *prefix, size_t room)
{
	size_t length;

	symbol += strspn(symbol, "_");
	length = strcspn(symbol, "_.");
	snprintf(prefix, room, "%.*s", (int)length, symbol);
}

static void name_of(const struct rows *r, const struct row *row, enum group_by by, char *name, size_t room)
{
	const struct function *f = row->f;

	if (row->class == ROW_INIT)
		snprintf(name, room, "%s", FREED);
	else if (f->module && !row->asked && !row->unattached)
		snprintf(name, room, "[%s] (loaded later)", f->module);
	else if (f->unit && by == BY_FILE)
		snprintf(name, room, "%s", f->unit);
	else if (f->unit && unit__directory_length(f->unit))
		snprintf(name, room, "%.*s", (int)unit__directory_length(f->unit), f->unit);
	else if (f->module)
		snprintf(name, room, "[%s]", f->module);
	else if (r->universe->placed)
		snprintf(name, room, "%s", OTHERS);
	else
		prefix_of(f->name, name, room);
}

static struct group *get_group(struct groups *g, struct lh_table *index, const char *name)
{
	struct lh_entry *entry = lh_table_lookup_entry(index, name);
	struct group *group;

	if (entry)
		return &g->list[(uintptr_t)lh_entry_v(entry)];
	group = LIST_ADD(g->list, g->count);
	group->name = xstrdup(name);
	group->tallies = xcalloc(g->columns, sizeof(*group->tallies));
	index__add(index, group->name, (void *)(uintptr_t)(g->count - 1));
	return group;
}

static bool is_small(const struct group *g, size_t columns)
{
	/* "(others)" itself, "(init code, freed)" and modules are no prefixes. */
	if (g->name[0] == '(' || g->name[0] == '[')
		return false;
	for (size_t i = 0; i < columns; i++) {
		if (g->tallies[i].asked + g->tallies[i].unknown >= SMALLEST_PREFIX)
			return false;
	}
	return true;
}

/* Joins the groups of rare prefixes. */
static void fold_small(struct groups *g, struct lh_table *index)
{
	/* Get it first: adding a group may move the list. */
	struct group *others = get_group(g, index, OTHERS);
	size_t kept = 0;

	for (size_t i = 0; i < g->count; i++) {
		struct group *group = &g->list[i];

		if (!is_small(group, g->columns))
			continue;
		for (size_t column = 0; column < g->columns; column++) {
			others->tallies[column].asked += group->tallies[column].asked;
			others->tallies[column].seen += group->tallies[column].seen;
			others->tallies[column].beside += group->tallies[column].beside;
			others->tallies[column].unattached += group->tallies[column].unattached;
			others->tallies[column].unknown += group->tallies[column].unknown;
		}
		free(group->name);
		free(group->tallies);
		group->name = NULL;
	}
	for (size_t i = 0; i < g->count; i++) {
		if (g->list[i].name)
			g->list[kept++] = g->list[i];
	}
	g->count = kept;
}

static double weight(const struct group *g, enum group_sort sort)
{
	const struct tally *t = &g->tallies[0];

	switch (sort) {
	case SORT_SEEN:
		return tally__seen(t);
	case SORT_UNSEEN:
		return t->asked - t->seen;
	case SORT_SHARE:
		return tally__share(t);
	case SORT_NAME:
		break;
	}
	return 0;
}

static int by_weight(const void *a, const void *b, void *arg)
{
	const struct group *x = a, *y = b;
	enum group_sort *sort = arg;

	/* Modules come last. */
	return ORDER(weight(y, *sort), weight(x, *sort)) ?: (x->name[0] == '[') - (y->name[0] == '[') ?:
	       strcmp(x->name, y->name);
}

struct groups groups__make(const struct rows *r, enum group_by by, enum group_sort sort)
{
	struct groups g = { .columns = r->columns, .by_prefix = !r->universe->placed };
	struct lh_table *index = index__new(GROUPS_AT_FIRST, NULL);

	for (size_t i = 0; i < r->count; i++) {
		struct group *group;
		char name[512];

		if (!r->list[i].asked && !r->list[i].unattached && !r->list[i].seen)
			continue;
		name_of(r, &r->list[i], by, name, sizeof(name));
		group = get_group(&g, index, name);
		for (size_t column = 0; column < r->columns; column++)
			tally__add(&group->tallies[column], &r->list[i], column);
	}
	if (g.by_prefix)
		fold_small(&g, index);
	lh_table_free(index);
	qsort_r(g.list, g.count, sizeof(*g.list), by_weight, &sort);
	return g;
}

void groups__free(struct groups *g)
{
	for (size_t i = 0; i < g->count; i++) {
		free(g->list[i].name);
		free(g->list[i].tallies);
	}
	free(g->list);
	memset(g, 0, sizeof(*g));
}

/* ---- a part of a kernel */

#define MODULE_MARK ":mod:"

static const char *module_of(const char *where)
{
	size_t mark = strlen(MODULE_MARK);

	return strncmp(where, MODULE_MARK, mark) ? NULL : where + mark;
}

bool where__has(const char *where, const char *module, const char *unit)
{
	const char *wanted = module_of(where);
	size_t length = strlen(where);

	if (wanted)
		return module && !strcmp(module, wanted);
	while (length > 1 && where[length - 1] == '/')
		length--;
	return unit && !strncmp(unit, where, length) && (!unit[length] || unit[length] == '/');
}

int where__check(const char *where, const struct universe *u)
{
	if (module_of(where) || u->placed)
		return 0;
	return error__return(-EINVAL, "--in %s: it is not known which source file a function is of: give "
			     "--vmlinux FILE with debug information, or --universe FILE that has been made "
			     "of such a file", where);
}

int where__is_empty(const char *where)
{
	return error__return(-EINVAL, "--in %s: no function that can be traced lies there%s", where,
			     module_of(where) ? "" : "; directories and files are named from the top of the "
						     "source tree: fs/ext4, fs/ext4/inode.c");
}
