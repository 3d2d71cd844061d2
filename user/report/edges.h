/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who called whom, from documents and the files of their kernel. A document has the return addresses of calls; the
 * instruction before such an address tells the function that it calls. It costs nothing while recording.
 *
 * An edge is a call that names its callee, and that was recorded: it is certain. So is that the function with the call
 * ran. What a pointer, a static call or an alternative called is not known, unless the record itself has it.
 */
#ifndef HYTRACE_REPORT_EDGES_H
#define HYTRACE_REPORT_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/images.h"

/* A place that was recorded as a caller, in one or more of the documents. */
struct edge {
	const struct image_of *of;
	struct call call;
	size_t from;		/* the number of the function with the call, whose parts are one; EDGES_NONE: unknown */
	size_t to;		/* that of the callee; EDGES_NONE: it is not known */
	uint64_t seen;		/* bits of documents */
	size_t document;	/* the first of these, */
	uint64_t first_ns;	/* and when it has recorded the call */
};

#define EDGES_NONE SIZE_MAX
/* A bit for each document. */
#define EDGES_MOST_DOCUMENTS 64

struct node {
	uint64_t seen;		/* bits of documents that have recorded the function */
	uint64_t inside;	/* bits of those that have a caller in it: it ran */
	uint64_t called;	/* bits of those in which a recorded call names it: it ran */
	const struct hit *hit;	/* the first; NULL: none */
};

struct edges {
	const struct images *images;
	const struct coverage *const *documents;
	size_t document_count;
	struct edge *list;	/* by caller's function, then by site */
	size_t count;
	size_t *by_callee;	/* indices into list, of those that have a callee */
	size_t callee_count;
	struct node *nodes;	/* by the function's number */
	size_t unplaced;	/* callers that the files do not have, or that have no address as linked */
	size_t kinds[CALL_KINDS];	/* how many callers are of that kind */
	size_t to_untraced;	/* of CALL_DIRECT: what they call cannot be traced, and jumped to what was recorded */
	/* A document that lacks what one of its own callers calls has lost it: how many functions, and one of these. */
	size_t missing;
	const struct image_function *a_missing;
};

/**
 * edges__make() - find the edges of documents
 * @ret: to be freed by edges__free() in any case
 * @images: the files of their kernel, which have to live as long
 * @documents: which have to live as long; together they make one graph
 * @count: how many, from 1 to EDGES_MOST_DOCUMENTS
 *
 * Return: 0, or -ENOMEM, which is told.
 */
int edges__make(struct edges *ret, struct images *images, const struct coverage *const *documents, size_t count);
void edges__free(struct edges *e);

/* Warns of what shows that a document is not complete. */
void edges__check(const struct edges *e);

/* Edges from a function, one after the other; NULL: none. */
const struct edge *edges__from(const struct edges *e, size_t number, size_t *ret_count);
/* Those to a function: indices into list; NULL: none. */
const size_t *edges__to(const struct edges *e, size_t number, size_t *ret_count);

/* GCC moves what it takes to be rare into "NAME.cold", which is a part of NAME: the function that @part is of. */
const struct image_function *edges__whole(const struct image_of *of, const struct image_function *part);

/* Whether a function is known to have run in any document: it was recorded, has a caller in it, or was called. */
bool edges__ran(const struct edges *e, size_t number);

/* What is proved without having been recorded. */
struct proved {
	size_t untraced;	/* functions that cannot be traced */
	size_t entered;		/* functions that can: they were entered before it was recorded, or not asked for */
};

/* @document: its index. */
struct proved edges__proved(const struct edges *e, size_t document);

#endif
