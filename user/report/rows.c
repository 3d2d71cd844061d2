// SPDX-License-Identifier: GPL-2.0-only
/* Finds what recordings say about each function of a universe, and sums it up; see rows.h. */
#include "base/error.h"
#include "base/index.h"
#include "base/sorted.h"
#include "report/documents.h"
#include "report/maintainers.h"
#include "report/rows.h"

/* ---- what a recording was asked for */

static bool has_module(const struct coverage *c, const char *module)
{
	const struct covered_module *m = covered_modules__find(&c->modules, module);

	return m && !m->came;
}

/* ---- counting */

/* Of a function of the universe: is this the reason why the column could not see it? */
static bool is_blind(const struct row *row, size_t column, enum verdict why)
{
	return !row->other && (row->marks[column] & MARK_VERDICT) == why;
}

static void add(struct tally *t, enum row_class class, bool seen, bool asked)
{
	if (class == ROW_UNKNOWN) {
		t->unknown += seen;
	} else if (class == ROW_TRACED && asked) {
		t->asked++;
		t->seen += seen;
	} else {
		t->beside += seen;
		t->events += class == ROW_EVENT && asked;
	}
}

/* Adds a row to the tallies of all columns, and of these together. */
static void tallies__add(struct tally *tallies, const struct row *row, size_t columns)
{
	bool all;

	for (size_t column = 0; column < columns; column++) {
		add(&tallies[column], row->class, row__is_seen(row, column), row__is_asked_for(row, column));
		tallies[column].unattached += is_blind(row, column, VERDICT_UNATTACHED);
		tallies[column].own += is_blind(row, column, VERDICT_OWN);
	}
	add(&tallies[columns], row->class, row->seen, row->asked);
	all = row->seen && row->seen >= (row->other ? columns : row->asked);
	add(&tallies[columns + 1], row->class, all, row->asked);
}

/* ---- making them */

static struct row *add_row(struct rows *r, const struct function *f, enum row_class class)
{
	struct row *row;

	r->marks = list__grow(r->marks, r->count, r->columns);
	memset(r->marks + r->count * r->columns, VERDICT_UNKNOWN, r->columns);
	if (r->has_unions) {
		r->runs = list__grow(r->runs, r->count, r->columns * sizeof(*r->runs));
		memset(r->runs + r->count * r->columns, 0, r->columns * sizeof(*r->runs));
	}
	row = LIST_ADD(r->list, r->count);
	*row = (struct row){ .f = f, .class = class, .made = r->count - 1 };
	return row;
}

/* Writes the verdicts of columns that have not seen the function. Recordings that were made alike judge it alike. */
static void judge(struct rows *r, const struct row *row)
{
	unsigned char *marks = r->marks + row->made * r->columns;
	autofree unsigned char *verdicts = xmalloc(r->columns);

	for (size_t column = 0; column < r->columns; column++) {
		size_t like = r->alike[column];
		enum verdict v = like < column ? verdicts[like] : verdict__of(r->documents[column], row->f);
		bool could_see = verdict__could_see(v);

		verdicts[column] = v;
		if (marks[column] == VERDICT_UNKNOWN)
			/* If the universe lacks the function, only another recording has seen it. */
			marks[column] = row->other && could_see ? VERDICT_UNKNOWN : v | (could_see ? MARK_ASKED : 0);
	}
}

/* Adds traceable functions, also vmlinux's init text. Modules' init text is in no recording. */
static void add_universe(struct rows *r)
{
	r->of_universe = xcalloc(r->universe->count, sizeof(*r->of_universe));
	for (size_t i = 0; i < r->universe->count; i++) {
		const struct function *f = &r->universe->list[i];

		if (f->untraced || (f->init && f->module))
			continue;
		judge(r, add_row(r, f, f->init ? ROW_INIT : function__is_of_event(f) ? ROW_EVENT : ROW_TRACED));
		r->of_universe[i] = r->count;
	}
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

/* If addresses are not known, only sympos tells functions of the same name apart. To be freed. */
static char *key_of_other(const struct hit *hit)
{
	uint64_t addr = hit->module ? hit->offset : hit->link ?: hit->addr;

	return xasprintf("%s %s %llx %u", hit->name ?: "?", hit->module ?: "", (unsigned long long)addr,
			 hit->module || addr ? 0 : hit->sympos);
}

/* Adds the row of a function that is not in the universe. Returns its index. */
static size_t add_other(struct rows *r, const struct hit *hit, const struct coverage *c)
{
	enum row_class class = class_of_other(r, hit, c);
	struct function f = {
		.addr = hit->module ? hit->offset : hit->link ?: hit->addr,
		.name = universe__text(&r->others, hit->name ?: "?"),
		.module = universe__text(&r->others, hit->module), .init = class == ROW_INIT,
	};
	/* Adding a function moves the list, so a row has an index until all functions are added. */
	struct row *row = add_row(r, (const struct function *)(uintptr_t)r->others.count, class);

	row->other = true;
	universe__add(&r->others, &f);
	index__add(r->other_rows, key_of_other(hit), (void *)(uintptr_t)row->made);
	return row->made;
}

size_t rows__find(const struct rows *r, const struct hit *hit)
{
	const struct function *f = universe__find(r->universe, hit);
	size_t row = f ? r->of_universe[f - r->universe->list] : 0;
	autofree char *key = NULL;
	struct lh_entry *entry;

	if (row)
		return row - 1;
	key = key_of_other(hit);
	entry = lh_table_lookup_entry(r->other_rows, key);
	return entry ? (uintptr_t)lh_entry_v(entry) : ROWS_NONE;
}

/* Returns false if there are new functions, whose rows are to be in the order of their hits, and @hits have none. */
static bool add_hits(struct rows *r, size_t column, const struct hits *hits, bool ordered)
{
	const struct coverage *c = r->documents[column];

	for (size_t i = 0; i < hits->count; i++) {
		const struct hit *hit = &hits->list[i];
		unsigned char *mark;
		size_t row;

		if (hit->kind != HIT_FUNCTION)
			continue;
		row = rows__find(r, hit);
		if (row == ROWS_NONE && !ordered)
			return false;
		row = row == ROWS_NONE ? add_other(r, hit, c) : row;
		mark = &r->marks[row * r->columns + column];
		if (r->has_unions)
			r->runs[row * r->columns + column] = coverage__runs_of(c, hit);
		*mark = VERDICT_SEEN | (*mark & MARK_ASKED);
		/* A recorded function counts as asked for, whatever the filter says. */
		if (!hit->module || has_module(c, hit->module))
			*mark |= MARK_ASKED;
	}
	return true;
}

static int add_column(struct rows *r, size_t column)
{
	const struct coverage *c = r->documents[column];
	const struct hits *hits;
	bool done = false;
	int err = 0;

	for (int ordered = 0; !err && !done && ordered < 2; ordered++) {
		err = coverage__open_hits(c, ordered ? HITS_ALL : HITS_FUNCTIONS, &hits);
		if (err)
			break;
		done = add_hits(r, column, hits, ordered || !c->source.read);
		coverage__close_hits(c, hits);
	}
	return err;
}

static void sum_up(struct rows *r)
{
	memset(r->totals, 0, (r->columns + 2) * sizeof(*r->totals));
	for (size_t i = 0; i < r->count; i++) {
		struct row *row = &r->list[i];

		row->asked = row->seen = row->unattached = 0;
		for (size_t column = 0; column < r->columns; column++) {
			row->asked += row__is_asked_for(row, column);
			row->seen += row__is_seen(row, column);
			row->unattached += is_blind(row, column, VERDICT_UNATTACHED);
		}
		tallies__add(r->totals, row, r->columns);
	}
}

int rows__make(struct rows *ret, const struct universe *u, const struct coverage *const *documents, size_t count)
{
	int err = 0;

	*ret = (struct rows){ .columns = count, .documents = documents, .universe = u };
	ret->other_rows = index__new(1024, index__free_key);
	ret->alike = documents__alike(documents, count);
	for (size_t i = 0; i < count; i++)
		ret->has_unions |= coverage__runs(documents[i]) > 1;
	ret->totals = xcalloc(count + 2, sizeof(*ret->totals));
	universe__init(&ret->others);
	add_universe(ret);
	for (size_t column = 0; !err && column < count; column++)
		err = add_column(ret, column);
	for (size_t i = 0; i < ret->count; i++) {
		struct row *row = &ret->list[i];

		if (row->other) {
			row->f = &ret->others.list[(uintptr_t)row->f];
			judge(ret, row);
		}
		row->marks = ret->marks + row->made * count;
	}
	ret->all = ret->count;
	sum_up(ret);
	return err;
}

void rows__free(struct rows *r)
{
	free(r->list);
	free(r->marks);
	free(r->runs);
	free(r->of_universe);
	free(r->alike);
	free(r->totals);
	if (r->other_rows)
		lh_table_free(r->other_rows);
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
	int err = where__check(where, r->universe);

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
	sum_up(r);
	return 0;
}

bool rows__asks_for(const struct rows *r, const struct function *f, size_t column)
{
	size_t row = r->of_universe[f - r->universe->list];

	return row && r->marks[(row - 1) * r->columns + column] & MARK_ASKED;
}

/* ---- counting */

size_t tally__seen(const struct tally *t)
{
	return t->seen + t->beside + t->unknown;
}

struct tally rows__total(const struct rows *r, size_t column)
{
	return r->totals[column];
}

void rows__check(const struct rows *r, const char *const *labels)
{
	size_t wrong = 0, first = 0;

	for (size_t i = 0; r->universe->count && i < r->columns; i++) {
		const struct coverage *c = r->documents[i];
		struct tally total = rows__total(r, i);
		size_t known = total.asked + total.unattached + total.own + total.events;

		/* A union has the modules of all runs, while each run could only trace its own. */
		if (c->merged ? known >= c->traced : known == c->traced)
			continue;
		first = wrong++ ? first : i;
		if (r->columns < DOCUMENTS_MANY)
			error__warn("%s: when it was recorded, %zu of the functions that were asked for could "
				    "be traced; %zu are known, and shares are of these", labels[i], c->traced, known);
	}
	if (wrong && r->columns >= DOCUMENTS_MANY)
		error__warn("when %zu of the recordings were made, such as %s, another number of the functions that "
			    "were asked for could be traced than are known; shares are of the known ones",
			    wrong, labels[first]);
}

enum verdict row__verdict(const struct row *row, size_t column)
{
	unsigned int mark = row->marks[column];

	if (!(mark & MARK_ASKED))
		return mark & MARK_VERDICT;
	return mark & MARK_PROVED ? VERDICT_PROVED : mark & MARK_POSSIBLE ? VERDICT_INLINED : mark & MARK_VERDICT;
}

size_t rows__runs(const struct rows *r, const struct row *row, size_t column)
{
	return r->has_unions ? r->runs[row->made * r->columns + column] : row__is_seen(row, column);
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
	else if (f->unit && by == BY_OWNER)
		snprintf(name, room, "%s", maintainers__of(r->owners, f->unit) ?: OTHERS);
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
	group->tallies = xcalloc(g->columns + 2, sizeof(*group->tallies));
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
		for (size_t column = 0; column < g->columns + 2; column++) {
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

struct order {
	enum group_sort sort;
	size_t column;
};

static double weight(const struct group *g, const struct order *o)
{
	const struct tally *t = &g->tallies[o->column];

	switch (o->sort) {
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

	/* Modules come last. */
	return ORDER(weight(y, arg), weight(x, arg)) ?: (x->name[0] == '[') - (y->name[0] == '[') ?:
	       strcmp(x->name, y->name);
}

struct groups groups__make(const struct rows *r, enum group_by by, enum group_sort sort)
{
	struct groups g = { .columns = r->columns, .by_prefix = !r->universe->placed };
	struct lh_table *index = index__new(GROUPS_AT_FIRST, NULL);
	struct order order = { sort, r->columns < DOCUMENTS_MANY ? 0 : r->columns };

	for (size_t i = 0; i < r->count; i++) {
		struct group *group;
		char name[512];

		if (!r->list[i].asked && !r->list[i].unattached && !r->list[i].seen)
			continue;
		name_of(r, &r->list[i], by, name, sizeof(name));
		group = get_group(&g, index, name);
		tallies__add(group->tallies, &r->list[i], r->columns);
	}
	if (g.by_prefix)
		fold_small(&g, index);
	lh_table_free(index);
	qsort_r(g.list, g.count, sizeof(*g.list), by_weight, &order);
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
