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

#include "base/sets.h"
#include "report/documents.h"
#include "report/images.h"

/* A call site with one callee, recorded at least once. Each callee of a site has its own edge. */
struct edge {
	const struct image_of *of;
	struct call call;
	size_t from;		/* number of the function with the call; EDGES_NONE: unknown */
	size_t to;		/* the number of the callee; EDGES_NONE: unknown */
	bool entered;		/* the callee is from the record, not from the instruction */
	uint64_t *seen;		/* the recordings that have the call, as a set */
	size_t document;	/* the first recording in @seen */
	uint64_t first_ns;	/* the time of the call in that recording */
};

#define EDGES_NONE SIZE_MAX

/* Sets of recordings, whether it has the function or proves that it ran: by a call in the function, or a call of it. */
struct node {
	uint64_t *seen, *inside, *called;
	bool is_seen, is_inside, is_called;	/* by any recording */
	size_t runs;		/* the runs, of all recordings, that have the function */
};

struct edges {
	const struct images *images;
	const struct coverage *const *documents;
	size_t document_count;
	size_t runs;		/* of all recordings; 0: none of them is a union */
	size_t *alike;		/* as documents__alike() */
	size_t words;		/* of a set of recordings */
	struct sets edge_sets, node_sets;
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

/*
 * Finds the edges of recordings, all in one graph. @images: the files of their kernel; these and the recordings must
 * outlive @ret. @count: at least 1. Returns 0, or a negative errno after a message: hits cannot be read from a store.
 */
int edges__make(struct edges *ret, struct images *images, const struct coverage *const *documents, size_t count);
/* Returns -EINVAL after a message if a recording has no callers. */
int edges__check_documents(const struct coverage *const *documents, size_t count);
/**
 * edges__open() - read the files of a kernel, and find the edges of recordings
 * @ret: to be freed by edges__free(), even after a failure
 * @images: the files, to be freed by images__free(), even after a failure
 * @documents: the recordings
 * @count: their number
 * @vmlinux: as for images__open()
 *
 * Return: 0, or a negative errno after a message: as images__open() and edges__make(); -EINVAL if a recording has no
 * callers.
 */
int edges__open(struct edges *ret, struct images *images, const struct coverage *const *documents, size_t count,
		const char *vmlinux);
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
/* Has the recording the function, or a call that proves that it ran? */
static inline bool node__ran(const struct node *node, size_t document)
{
	return set__has(node->seen, document) || set__has(node->inside, document) || set__has(node->called, document);
}

/* Functions that are proved to have run without having been recorded. */
struct proved {
	size_t untraced;	/* functions that cannot be traced */
	size_t entered;		/* other functions: entered before recording, or not asked for */
};

/* @document: the index of the recording. */
struct proved edges__proved(const struct edges *e, size_t document);

/*
 * How a function was entered. A recorded call leads to nearly all functions, because the record of a function has its
 * first caller. For other functions, and in recordings of older versions, the kernel's files show the possible ways.
 */
enum origin {
	ORIGIN_NONE,		/* it was not recorded */
	ORIGIN_CALLED,		/* a recorded call leads to it */
	ORIGIN_JUMP,		/* no call: by a jump from a function that ran */
	ORIGIN_UNTRACED_JUMP,	/* no call: by a jump from a function that cannot be traced */
	ORIGIN_POINTER,		/* no call: by a pointer */
	ORIGIN_POINTER_OR_JUMP,	/* by a pointer, or a jump as in the two kinds of jumps above */
	ORIGIN_MODULE,		/* from a module: it is exported, and there were modules */
	ORIGIN_MODULE_OR_OTHER,	/* from a module, by a pointer, or by a jump */
	ORIGIN_UNSEEN_JUMP,	/* no call; jumps only from functions not known to have run */
	ORIGIN_UNKNOWN,		/* the files show no way, or pointers (in a module) are not read */
	ORIGINS
};

/* Returns the word for json. */
const char *origin__word(enum origin origin);
/* Returns the end of a sentence that begins with a function's name. */
const char *origin__sentence(enum origin origin);

/* Prepares for origins__of(): reads all code and data of the images, which takes about a second. */
void origins__read(const struct images *images);

/**
 * origins__of() - how a function was entered
 * @e: the edges; origins__read() has been called for their images
 * @number: the function's number
 * @ret_jump: a jump into it from a function that ran, if that may be the origin; otherwise NULL
 *
 * Return: the origin, from all recordings together.
 */
enum origin origins__of(const struct edges *e, size_t number, const struct call **ret_jump);

/* ---- the graph of all edges, for drawing programs. Write errors stay in the stream. */

/*
 * Prints all edges for dot(1). Each edge is certain: a recorded call names its callee. It is labelled with the number
 * of such calls, if there are several. Functions without an edge are left out; a function that is known to have run but
 * was not recorded is dashed.
 */
void graph__dot(const struct edges *e, FILE *out);

/*
 * Prints a line "CALLER;FUNCTION 1" for each recorded function, below its first caller, for flame graphs. Each link is
 * certain: it is the first recorded call that names the function. But the whole line need not have been one stack. A
 * function that no call names begins a line, after its origin in brackets, so origins__read() has been called before.
 */
void graph__folded(const struct edges *e, FILE *out);

#endif
