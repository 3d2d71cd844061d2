/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who called whom, from documents and the files of their kernel. A document has the return
 * addresses of calls. The instruction before such an address shows which function it calls. So this
 * costs nothing while recording.
 *
 * An edge is a recorded call, so it is certain. It is also certain that the function with the call
 * ran. The edge leads to the function that the instruction names. A pointer, a static call or an alternative names
 * none. But the record of a function has its first caller, and the record of a caller has the
 * function that the first call from there has entered. These make edges, too. Later calls from the
 * same place may have entered others. If such an edge leads elsewhere than its instruction says, the
 * function that was called has jumped there at its end.
 */
#ifndef HYTRACE_REPORT_EDGES_H
#define HYTRACE_REPORT_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/images.h"
#include "report/verdict.h"

/* A call that was recorded in one or more of the documents. A place has several if they lead to several functions. */
struct edge {
	const struct image_of *of;
	struct call call;
	size_t from;		/* the number of the function with the call, whose parts are one; EDGES_NONE: unknown */
	size_t to;		/* the number of the callee; EDGES_NONE: unknown */
	bool entered;		/* the callee is known by the record: the instruction does not name it */
	uint64_t seen;		/* the documents that have recorded it, as bits */
	size_t document;	/* the first of these documents */
	uint64_t first_ns;	/* the time of the call in that document */
};

#define EDGES_NONE SIZE_MAX
/* A bit for each document. */
#define EDGES_MOST_DOCUMENTS 64

struct node {
	uint64_t seen;		/* bits of documents that have recorded the function */
	uint64_t inside;	/* bits of those that have a caller in it: it ran */
	uint64_t called;	/* bits of those in which a recorded call leads to it: it ran */
	const struct hit *hit;	/* the first hit; NULL: there is none */
};

struct edges {
	const struct images *images;
	const struct coverage *const *documents;
	size_t document_count;
	struct edge *list;	/* by caller's function, then by site */
	size_t count;
	size_t *by_callee;	/* indices into list of edges with a callee, by callee */
	size_t callee_count;
	struct node *nodes;	/* by the function's number */
	size_t unplaced;	/* callers that are not in the files, or have no linked address */
	size_t kinds[CALL_KINDS];	/* the number of callers of each kind */
	size_t to_untraced;	/* edges to functions that cannot be traced, which jumped to recorded ones */
	/*
	 * If a document lacks a function that one of its own callers calls, it has lost it: their
	 * number, and one of them.
	 */
	size_t missing;
	const struct image_function *a_missing;
};

/* Returns -EINVAL after a message if a document has no callers, or if there are too many documents. */
int edges__check_documents(const struct coverage *const *documents, size_t count);

/**
 * edges__make() - find the edges of documents
 * @ret: to be freed by edges__free()
 * @images: the files of their kernel, which must live as long
 * @documents: the documents, which must live as long; they make one graph
 * @count: their number, from 1 to EDGES_MOST_DOCUMENTS
 */
void edges__make(struct edges *ret, struct images *images, const struct coverage *const *documents, size_t count);
void edges__free(struct edges *e);

/* Prints warnings about signs that a document is not complete. */
void edges__check(const struct edges *e);

/* The edges from a function, one after the other; NULL: there are none. */
const struct edge *edges__from(const struct edges *e, size_t number, size_t *ret_count);
/* The edges to a function, as indices into list; NULL: there are none. */
const size_t *edges__to(const struct edges *e, size_t number, size_t *ret_count);

/*
 * GCC moves code that it expects to run rarely to "NAME.cold". Returns the function NAME of which
 * @part is a part.
 */
const struct image_function *edges__whole(const struct image_of *of, const struct image_function *part);

/*
 * Is a function known to have run in any document? It was recorded, or has a caller in it, or was
 * called.
 */
bool edges__ran(const struct edges *e, size_t number);

/* What a document, by its index, says of a function. */
enum verdict edges__verdict(const struct edges *e, size_t number, size_t document);

/* Functions that are proved to have run without having been recorded. */
struct proved {
	size_t untraced;	/* those that cannot be traced */
	size_t entered;		/* those that can: entered before recording began, or not asked for */
};

/* @document: the index of the document. */
struct proved edges__proved(const struct edges *e, size_t document);

#endif
