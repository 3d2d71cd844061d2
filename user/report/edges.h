/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who called whom, from recordings and the files of their kernel. A recording has the return
 * addresses of calls. The instruction before a return address shows the callee, so finding it costs
 * nothing while recording.
 *
 * An edge is a recorded call. So it is certain that the call was made, and that the function with
 * the call ran. The edge leads to the function that the instruction names. Indirect calls, static
 * calls and alternatives name none. But a function's record has its first caller, and a caller's
 * record has the function that its first call entered: these records also make edges. Later calls
 * from that site may have entered other functions. If the record has another function than the
 * instruction, the named function has jumped there at its end.
 */
#ifndef HYTRACE_REPORT_EDGES_H
#define HYTRACE_REPORT_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/images.h"
#include "report/verdict.h"

/* A call site with one callee, recorded at least once. Each callee of a site has its own edge. */
struct edge {
	const struct image_of *of;
	struct call call;
	size_t from;		/* number of the function with the call; EDGES_NONE: unknown */
	size_t to;		/* the number of the callee; EDGES_NONE: unknown */
	bool entered;		/* the callee is from the record, not from the instruction */
	uint64_t seen;		/* the recordings that have the call, as bits */
	size_t document;	/* the first recording in @seen */
	uint64_t first_ns;	/* the time of the call in that recording */
};

#define EDGES_NONE SIZE_MAX
/* A recording is a bit of a uint64_t. */
#define EDGES_MOST_DOCUMENTS 64

struct node {
	uint64_t seen;		/* recordings, as bits, that have the function */
	uint64_t inside;	/* recordings, as bits, of a call in the function: it ran */
	uint64_t called;	/* recordings, as bits, of a call of the function: it ran */
	const struct hit *hit;	/* the first hit; NULL: there is none */
};

struct edges {
	const struct images *images;
	const struct coverage *const *documents;
	size_t document_count;
	struct edge *list;	/* sorted by calling function, then by call site */
	size_t count;
	size_t *by_callee;	/* indices of edges with a callee in @list, sorted by callee */
	size_t callee_count;
	struct node *nodes;	/* indexed by the number of the function */
	size_t unplaced;	/* callers that are not in the images, or have no linked address */
	size_t kinds[CALL_KINDS];	/* the number of callers of each kind */
	size_t to_untraced;	/* edges to untraceable functions, which jumped to others */
	size_t missing;		/* functions that recorded calls lead to, but a recording lost */
	const struct image_function *a_missing;	/* one of them */
};

/* Returns -EINVAL after a message if a recording has no callers, or if there are too many. */
int edges__check_documents(const struct coverage *const *documents, size_t count);

/**
 * edges__make() - find the edges of recordings
 * @ret: to be freed by edges__free()
 * @images: the files of their kernel; must outlive @ret
 * @documents: the recordings, all in one graph; must outlive @ret
 * @count: their number, from 1 to EDGES_MOST_DOCUMENTS
 */
void edges__make(struct edges *ret, struct images *images, const struct coverage *const *documents, size_t count);
void edges__free(struct edges *e);

/* Prints warnings about signs that a recording is not complete. */
void edges__check(const struct edges *e);

/* Returns the edges from a function, an array; NULL: there are none. */
const struct edge *edges__from(const struct edges *e, size_t number, size_t *ret_count);
/* Returns the edges to a function, as indices of e->list; NULL: there are none. */
const size_t *edges__to(const struct edges *e, size_t number, size_t *ret_count);

/* Returns the function NAME if @part is "NAME.cold", the rarely run code that GCC splits off. */
const struct image_function *edges__whole(const struct image_of *of, const struct image_function *part);

/* Did the function run in any recording? It was recorded or called, or a call in it was. */
bool edges__ran(const struct edges *e, size_t number);

/* The verdict of a recording, given by its index, on a function. */
enum verdict edges__verdict(const struct edges *e, size_t number, size_t document);

/* Functions that are proved to have run without having been recorded. */
struct proved {
	size_t untraced;	/* functions that cannot be traced */
	size_t entered;		/* other functions: entered before recording, or not asked for */
};

/* @document: the index of the recording. */
struct proved edges__proved(const struct edges *e, size_t document);

#endif
