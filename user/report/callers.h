/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds and prints who called functions, or what functions called; as text or json. */
#ifndef HYTRACE_REPORT_CALLERS_H
#define HYTRACE_REPORT_CALLERS_H

#include "base/json.h"
#include "report/edges.h"

struct question {
	const struct edges *edges;
	bool calls;		/* true: find callees of @functions; false: callers */
	size_t *functions;	/* numbers of images__number() */
	size_t count;
	const char *const *labels;	/* the recordings' labels */
	struct source_lines lines, heads;	/* of calls, by a call's last byte; of functions */
};

/* A call that one of the functions in question makes, or that leads to it. */
struct caller_line {
	const struct edge *edge;	/* NULL: it was not recorded, and is one way into a function that did not run */
	const struct image_of *of;
	const struct call *call;
	const struct image_of *other_of;	/* the image of the call's other function; NULL: unknown */
	const struct image_function *other;
	const uint64_t *documents;	/* a set of recordings: that have the call, */
	const struct node *ran;		/* or in which the function with it ran */
};

/* Has a recording the call, or in it, has the function with the call run? */
static inline bool caller_line__is_in(const struct caller_line *line, size_t document)
{
	return line->documents ? set__has(line->documents, document) : node__ran(line->ran, document);
}

struct caller_lines {
	struct caller_line *list;
	size_t count;
};

/*
 * Returns how a function that is not known to have run could have been entered: calls and jumps in the kernel's
 * files that name it. origins__read() has been called for its images. The caller frees the list.
 */
struct caller_lines question__possible(const struct question *q, size_t number);

/* Finds the places in the source for all answers. */
void question__find_lines(struct question *q);

/* A function of a module is named NAME:mod:MODULE. */
#define CALLERS_MODULE ":mod:"

/**
 * callers__recorded() - answer without the kernel's files, and warn that they are missing
 * @d: the recordings
 * @wanted: the functions, as on the command line
 * @calls: find what they called, not who called them
 * @json: write json, not text
 * @out: where to; write errors stay in the stream
 *
 * Return: 0, or -EINVAL after a message if no recording has such a function.
 */
int callers__recorded(const struct documents *d, const char *wanted, bool calls, bool json, FILE *out);

/*
 * Begins a document up to the number of calls that are missing. @build_id: the kernel's, or NULL. @runs: of how many
 * runs the documents are, or 0
 */
json_writer_t *callers__begin_json(FILE *out, bool calls, const char *build_id, const char *const *labels,
				   size_t count, size_t runs);

/* Write errors stay in the stream. */
void callers__text(const struct question *q, FILE *out);
void callers__json(const struct question *q, FILE *out);

#endif
