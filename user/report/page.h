/* SPDX-License-Identifier: GPL-2.0-only */
/* Common to the parts of `report -f html`. In the page, each function has a number. */
#ifndef HYTRACE_REPORT_PAGE_H
#define HYTRACE_REPORT_PAGE_H

#include "base/json.h"
#include "report/images.h"
#include "report/numbered.h"
#include "report/rows.h"

/* The reason word of functions outside of --in: rows call them, or are called by them. */
#define PAGE_OUTSIDE "outside"

struct page {
	const struct rows *rows;
	const struct images *images;	/* NULL: callees are unknown */
	const struct row **order;	/* the rows, by module, unit and line */
	uint32_t *of_universe;		/* index in the universe -> number, from 1; 0: none yet */
	uint32_t *of_row;		/* index in rows->list -> number in the page */
	struct numbered others;		/* functions without a row; see page__add_other() */
	struct numbered words, paths, tasks;
	json_writer_t *w;
};

/*
 * Returns the number of a function without a row; adds the function if it is new. @reason: the word
 * for why it cannot be traced, or PAGE_OUTSIDE; NULL: unknown
 */
long page__add_other(struct page *p, const char *name, const char *module, const char *reason);

/* A call on the page: its site, the function that contains it, and the callee. */
struct page_call {
	struct hit site;
	long caller;		/* number of the function that contains @site */
	uint64_t offset;	/* of the call in @caller; unknown call: of its return address */
	long callee;		/* number of the callee; below 0: -1 - enum call_kind */
};

/**
 * page__call() - find the call that a hit shows
 * @p: the page
 * @hit: a HIT_CALLER, or a HIT_FUNCTION that its first caller's instruction does not name
 * @ret: the call
 *
 * Return: false if the hit shows no call, or none that is from or to a function of the rows.
 */
bool page__call(struct page *p, const struct hit *hit, struct page_call *ret);

/* How a call of each kind leads to an unknown callee; empty: there is nothing to say. */
extern const char *const page__ways[CALL_KINDS];

#endif
