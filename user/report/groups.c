// SPDX-License-Identifier: GPL-2.0-only
/* Groups of rows; see groups.h. */
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "report/groups.h"

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

static int compare_names(const struct group *x, const struct group *y)
{
	bool modules = x->name[0] == '[', also = y->name[0] == '[';

	if (modules != also)
		return modules ? 1 : -1;
	return strcmp(x->name, y->name);
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
	enum group_sort *sort = arg;
	double x = weight(a, *sort), y = weight(b, *sort);

	if (x != y)
		return x < y ? 1 : -1;
	return compare_names(a, b);
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
