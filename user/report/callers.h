/* SPDX-License-Identifier: GPL-2.0-only */
/* Who called some functions, or what they called: for people, and as a document. */
#ifndef HYTRACE_REPORT_CALLERS_H
#define HYTRACE_REPORT_CALLERS_H

#include <stdio.h>

#include "report/edges.h"
#include "report/source_lines.h"

struct question {
	const struct edges *edges;
	bool calls;			/* what they called; false: who called them */
	const size_t *functions;	/* numbers, as images__number() has them */
	size_t count;
	const char *const *labels;	/* of the documents */
	struct source_lines lines;
};

/* One line of an answer: a call, seen from one of its ends. */
struct answer {
	const struct edge *edge;
	const struct image_of *of;		/* of the other end; NULL: that is not known */
	const struct image_function *other;
};

/**
 * question__answers() - calls of a function, or those to it
 * @q: the question
 * @number: of the function
 * @ret: to be freed
 * @ret_count: how many there are
 *
 * Return: 0, or -ENOMEM, which is told.
 */
int question__answers(const struct question *q, size_t number, struct answer **ret, size_t *ret_count);

/* How many calls of functions that can be traced there are in a function. */
size_t question__traceable_calls(const struct question *q, size_t number);

/* Asks for all places in the source that the answers have; -ENOMEM, said. */
int question__find_lines(struct question *q);

/* Write errors stay in the stream; -ENOMEM, said. */
int callers__text(const struct question *q, FILE *out);
int callers__json(const struct question *q, FILE *out);

#endif
