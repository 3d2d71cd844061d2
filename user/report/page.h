/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of the data of `report -f html`; report_html.c says what it has. */
#ifndef HYTRACE_REPORT_PAGE_H
#define HYTRACE_REPORT_PAGE_H

#include "base/json.h"
#include "report/report.h"

/* Texts that get a number when they are first seen, so that each is written once. */
struct numbered {
	struct lh_table *index;
	char **list;	/* by number */
	size_t count;
};

/* Returns the number of a text, from 0. The text is copied if it is new. */
size_t numbered__add(struct numbered *n, const char *text);
void numbered__free(struct numbered *n);

/*
 * Writes "sources": the text of each function that ran in a column, and the lines in it that have a value. Returns as
 * line_values__of().
 */
int page__write_sources(json_writer_t *w, const struct rows *r, const struct images *images,
			const struct lcov_source *source, struct numbered *paths, struct numbered *values);

#endif
