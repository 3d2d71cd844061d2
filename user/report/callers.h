/* SPDX-License-Identifier: GPL-2.0-only */
/* Who called some functions, or what they called: as text, and as a document. */
#ifndef HYTRACE_REPORT_CALLERS_H
#define HYTRACE_REPORT_CALLERS_H

#include <stdio.h>

#include "report/edges.h"
#include "report/source_lines.h"

struct question {
	const struct edges *edges;
	bool calls;			/* true: what they called; false: who called them */
	const size_t *functions;	/* numbers of images__number() */
	size_t count;
	const char *const *labels;	/* the documents' labels */
	struct source_lines lines, heads;	/* of the calls, by the last byte of each; and of the functions */
};

/* One line of an answer: a call, seen from one of its two functions. */
struct callers_answer {
	const struct edge *edge;
	const struct image_of *of;		/* the image of the other function; NULL: unknown */
	const struct image_function *other;
};

/* Finds the calls of a function, or those to it. @number: the function's; the list is to be freed */
struct callers_answer *question__answers(const struct question *q, size_t number, size_t *ret_count);

/* A call or jump in the kernel's files that leads to a function, and was not recorded. */
struct possible {
	const struct image_of *of;
	const struct call *call;
	size_t from;	/* the number of the function that it lies in */
	uint64_t ran;	/* the documents in which that function is known to have run, as bits */
};

/**
 * question__possible() - find how a function that is not known to have run could have been entered
 * @q: the question, of who called; origins__read() has prepared its images
 * @number: the function's number
 * @ret_count: their number
 *
 * Return: the list, to be freed; none for a function that ran
 */
struct possible *question__possible(const struct question *q, size_t number, size_t *ret_count);

/* The number of calls in a function that name a function that can be traced. */
size_t question__traceable_calls(const struct question *q, size_t number);

/* Finds the places in the source for all answers. */
void question__find_lines(struct question *q);

/* Write errors stay in the stream. */
void callers__text(const struct question *q, FILE *out);
void callers__json(const struct question *q, FILE *out);

#endif
