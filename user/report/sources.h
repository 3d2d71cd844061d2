/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the source. The compiler has inlined half of them, and a tracer does not see these
 * run. But a recorded call in an inlined body proves that the body's function ran.
 */
#ifndef HYTRACE_REPORT_SOURCES_H
#define HYTRACE_REPORT_SOURCES_H

#include "report/edges.h"

/* Each member has a bit for each recording. */
struct source_marks {
	uint64_t recorded;	/* its own code was entered, and recorded */
	uint64_t proved;	/* a recorded call is in its code or inlined copy, or leads to it */
	uint64_t possible;	/* it was inlined into a function that ran */
	uint64_t unknown;	/* its code, or an inlined copy, may run without a record */
};

struct sources {
	const struct inlines *inlines;
	struct source_marks *marks;	/* by index of the source function */
	bool *counted;			/* it can be traced, or was inlined somewhere */
	size_t count;
};

/**
 * sources__make() - find what recordings show about the functions of the source
 * @ret: to be freed by sources__free()
 * @e: the edges of the recordings; images__inlines() has been called for its images
 * @of: one of the images of @e
 *
 * Return: 0; -ENODATA without a message: no debug information; -EINVAL after a message: it is
 * damaged.
 */
int sources__make(struct sources *ret, const struct edges *e, const struct image_of *of);
void sources__free(struct sources *s);

/* The marks of the source function from which @f was compiled; all 0: unknown. */
struct source_marks sources__of(const struct sources *s, const struct image_function *f);

/* Each function is counted once, under the first member that holds. */
struct source_totals {
	size_t all, recorded, proved, possible, unknown;
};

/* Adds the counts of a recording to @t. */
void sources__count(const struct sources *s, size_t document, struct source_totals *t);

#endif
