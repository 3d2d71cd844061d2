/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that get a number when they are first seen, so that each is written once. */
#ifndef HYTRACE_REPORT_NUMBERED_H
#define HYTRACE_REPORT_NUMBERED_H

#include <json-c/linkhash.h>
#include <stddef.h>

struct numbered {
	struct lh_table *index;
	const char **list;	/* by number */
	size_t count;
};

/* @n is zero before. */
void numbered__init(struct numbered *n);
void numbered__free(struct numbered *n);
/* Returns the number of a text, from 0. The text is copied if it is new. */
size_t numbered__add(struct numbered *n, const char *text);

#endif
