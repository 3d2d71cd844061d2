/* SPDX-License-Identifier: GPL-2.0-only */
/* The documents that a command is given. */
#ifndef HYTRACE_REPORT_DOCUMENTS_H
#define HYTRACE_REPORT_DOCUMENTS_H

#include "document/coverage.h"

struct documents {
	struct coverage *read;
	const struct coverage **list;
	char **labels;		/* what to call them, short */
	const char *const *paths;
	size_t count;
};

/**
 * documents__read() - read all of them
 * @ret: to be freed by documents__free() in any case
 * @paths: their files
 * @count: how many, from 1
 *
 * Return: 0, or a negative errno, which is told.
 */
int documents__read(struct documents *ret, const char *const *paths, size_t count);
void documents__free(struct documents *d);

#endif
