/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups of rows: by source directory, source file, module, or beginning of the name. */
#ifndef HYTRACE_REPORT_GROUPS_H
#define HYTRACE_REPORT_GROUPS_H

#include "report/rows.h"

enum group_by { BY_DIRECTORY, BY_FILE };

struct group {
	char *name;
	struct tally *tallies;	/* one for each column */
};

struct groups {
	struct group *list;
	size_t count, columns;
	bool by_prefix;		/* by beginning of the name, as the function list has no files */
};

enum group_sort { SORT_NAME, SORT_SEEN, SORT_UNSEEN, SORT_SHARE };

/**
 * groups__make() - sort rows into groups
 * @r: the rows
 * @by: what a group is: a directory or a file
 * @sort: the order: by name, or the largest number in the first column first
 *
 * A module is a group of its own, unless the universe knows its source files. Rare beginnings of
 * names go into one group.
 *
 * Return: the groups, to be freed by groups__free().
 */
struct groups groups__make(const struct rows *r, enum group_by by, enum group_sort sort);
void groups__free(struct groups *g);

#endif
