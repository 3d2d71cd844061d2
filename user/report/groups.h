/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows put together: by the source directory, by the source file, by module, or by the beginning of the name. */
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
	bool by_prefix;		/* the universe has no places: beginnings of names */
};

enum group_sort { SORT_NAME, SORT_SEEN, SORT_UNSEEN, SORT_SHARE };

/**
 * groups__make() - put rows together
 * @r: the rows
 * @by: what a group is: a directory, a file or a function
 * @sort: the order of the groups. Except by name, the largest number in the first column comes first
 *
 * A module is a group of its own, unless the universe knows its source files. Beginnings of names ("ext4") that few
 * functions have go into one group.
 *
 * Return: the groups, to be freed by groups__free().
 */
struct groups groups__make(const struct rows *r, enum group_by by, enum group_sort sort);
void groups__free(struct groups *g);

#endif
