/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the source. A tracer only sees those that are called; the compiler has put half of
 * them into others. If a recorded call is in such a body, this proves that its function ran.
 */
#ifndef HYTRACE_REPORT_SOURCES_H
#define HYTRACE_REPORT_SOURCES_H

#include "report/edges.h"

/* Each member has a bit for each document. */
struct source_marks {
	uint64_t recorded;	/* its own code was entered, and recorded */
	uint64_t proved;	/* a recorded call is in a body of it, or in its own code, or names it */
	uint64_t possible;	/* it was inlined into a function that ran */
	uint64_t unknown;	/* it has code that leaves no record: it cannot be traced, or is in a function that cannot */
};

struct sources {
	const struct inlines *inlines;
	struct source_marks *marks;	/* by the index of the source function */
	bool *counted;			/* whether it can be traced or was inlined somewhere */
	size_t count;
};

/**
 * sources__make() - find what documents show about the functions of the source
 * @ret: to be freed by sources__free()
 * @e: the edges of the documents; images__inlines() has been called for its images
 * @of: one of these images
 *
 * Return: 0; -ENODATA without a message if it has no debug information; -EINVAL after a message if it is damaged.
 */
int sources__make(struct sources *ret, const struct edges *e, const struct image_of *of);
void sources__free(struct sources *s);

/* The marks of the source function whose own code @f is; all are 0 if it is not known. */
struct source_marks sources__of(const struct sources *s, const struct image_function *f);

/* Each function is counted once, under the first member that holds. */
struct source_totals {
	size_t all, recorded, proved, possible, unknown;
};

/* Adds the counts of a document to @t. */
void sources__count(const struct sources *s, size_t document, struct source_totals *t);

#endif
