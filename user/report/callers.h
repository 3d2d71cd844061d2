/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds and prints who called functions, or what functions called; as text or json. */
#ifndef HYTRACE_REPORT_CALLERS_H
#define HYTRACE_REPORT_CALLERS_H

#include <stdio.h>

#include "report/edges.h"
#include "report/source_lines.h"

struct question {
	const struct edges *edges;
	bool calls;			/* true: find callees of @functions; false: callers */
	const size_t *functions;	/* numbers of images__number() */
	size_t count;
	const char *const *labels;	/* the recordings' labels */
	struct source_lines lines, heads;	/* of calls, by a call's last byte; of functions */
};

/* One line of an answer: a call, seen from one of its two functions. */
struct callers_answer {
	const struct edge *edge;
	const struct image_of *of;		/* the image of the other function; NULL: unknown */
	const struct image_function *other;
};

/* Returns the calls from function @number, or to it. The caller frees the list. */
struct callers_answer *question__answers(const struct question *q, size_t number, size_t *ret_count);

/* A call or jump to a function, found in the kernel's files, and not recorded. */
struct possible {
	const struct image_of *of;
	const struct call *call;
	size_t from;	/* number of the function that contains @call */
	uint64_t ran;	/* recordings, as bits, in which @from is known to have run */
};

/**
 * question__possible() - find how a function that is not known to have run could have been entered
 * @q: a question about callers; origins__read() has been called for its images
 * @number: the function's number
 * @ret_count: the length of the list
 *
 * Return: the list, which the caller frees; NULL for a function that ran
 */
struct possible *question__possible(const struct question *q, size_t number, size_t *ret_count);

/* Returns how many direct calls in function @number have a traceable callee. */
size_t question__traceable_calls(const struct question *q, size_t number);

/* Finds the places in the source for all answers. */
void question__find_lines(struct question *q);

/* Write errors stay in the stream. */
void callers__text(const struct question *q, FILE *out);
void callers__json(const struct question *q, FILE *out);

#endif
