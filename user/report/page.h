/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of `report -f html` share. In the page, each function has a number. */
#ifndef HYTRACE_REPORT_PAGE_H
#define HYTRACE_REPORT_PAGE_H

#include "base/json.h"
#include "report/images.h"
#include "report/numbered.h"
#include "report/rows.h"

struct page {
	const struct rows *rows;
	const struct images *images;	/* NULL: it is not known what a call site calls */
	const struct row **order;	/* the rows, by module, unit and line */
	uint32_t *of_universe;		/* a function of the universe -> its number in the page, from 1; 0: none yet */
	uint32_t *of_row;		/* an index of rows->list -> its number in the page, from 0 */
	struct numbered others;		/* names after those of the rows */
	uint32_t *reasons;		/* of each of these, an index of words */
	size_t reasons_room;
	struct numbered words, paths, tasks;
	json_writer_t *w;
};

/*
 * The number of a function that is not in the table, which is added if it is new; -ENOMEM after a message. @reason: why it
 * cannot be traced, as a word; NULL: unknown
 */
long page__add_other(struct page *p, const char *name, const char *module, const char *reason);

/*
 * The number of the function that a call site lies in; -ENOENT: it has no name, or is not one of those that the page is
 * about; -ENOMEM after a message.
 */
long page__caller(struct page *p, const struct hit *hit);

/*
 * The call site of a hit: the caller itself, or the first caller of a function if its instruction does not name the
 * function. Returns false if there is none. @callee: the number of the function called; below 0: -1 - its enum call_kind
 */
bool page__site(struct page *p, const struct hit *hit, struct hit *site, long *callee);

/* How a call of that kind leads to a function that is not known; empty: there is nothing to say. */
const char *page__way(enum call_kind kind);

#endif
