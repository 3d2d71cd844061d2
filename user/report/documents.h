/* SPDX-License-Identifier: GPL-2.0-only */
/* The recordings on a command line. */
#ifndef HYTRACE_REPORT_DOCUMENTS_H
#define HYTRACE_REPORT_DOCUMENTS_H

#include "document/coverage.h"

struct documents {
	struct coverage *read;
	const struct coverage **list;
	char **labels;		/* their short names */
	const char *const *paths;
	size_t count;
};

/**
 * documents__read() - read all recordings
 * @ret: to be freed by documents__free(), even after a failure
 * @paths: their files
 * @count: their number, at least 1
 *
 * Return: 0, or a negative errno after a message.
 */
int documents__read(struct documents *ret, const char *const *paths, size_t count);
void documents__free(struct documents *d);

#endif
