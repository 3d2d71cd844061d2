/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of `report -f html` share. In the page, each function has a number. */
#ifndef HYTRACE_REPORT_PAGE_H
#define HYTRACE_REPORT_PAGE_H

#include "base/json.h"
#include "report/images.h"
#include "report/numbered.h"
#include "report/rows.h"

/* The reason of a function that --in leaves out. Its name is there for the calls to and from the rows. */
#define PAGE_OUTSIDE "outside"

struct page {
	const struct rows *rows;
	const struct images *images;	/* NULL: it is not known what a call site calls */
	const struct row **order;	/* the rows, by module, unit and line */
	uint32_t *of_universe;		/* a function of the universe -> its number in the page, from 1; 0: none yet */
	uint32_t *of_row;		/* an index of rows->list -> its number in the page, from 0 */
	struct numbered others;		/* functions after the rows: "REASON\tNAME", see page__add_other() */
	struct numbered words, paths, tasks;
	json_writer_t *w;
};

/*
 * The number of a function that is not in the table, which is added if it is new. @reason: why it cannot be traced, as a
 * word, or PAGE_OUTSIDE; NULL: unknown
 */
long page__add_other(struct page *p, const char *name, const char *module, const char *reason);

/* Of @hit: a call site, what lies in it and what it calls. */
struct page_call {
	struct hit site;
	long caller;		/* the number of the function that the site lies in */
	uint64_t offset;	/* of the call in that function; if no file shows the call, of the place that it returned to */
	long callee;		/* the number of the function called; below 0: -1 - enum call_kind */
};

/**
 * page__call() - find the call that a hit shows
 * @p: the page
 * @hit: a caller, or a function whose first caller has no instruction that names this function
 * @ret: the call
 *
 * Return: false if there is none, or if it is in no way about the functions of the page.
 */
bool page__call(struct page *p, const struct hit *hit, struct page_call *ret);

/* How a call of that kind leads to a function that is not known; empty: there is nothing to say. */
extern const char *const page__ways[CALL_KINDS];

#endif
