/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an object needs: all of several needs, of which each is one of several options, "A and (B or C)".
 */
#ifndef HYTRACE_TAILOR_NEEDS_H
#define HYTRACE_TAILOR_NEEDS_H

#include <stddef.h>

/* One of the options is needed. Most needs have only one. */
struct need {
	const char **options;	/* "CONFIG_X"; interned, so pointers are compared */
	size_t count;
};

/* All needs in the list have to be met. */
struct needs {
	const struct need **list;
	size_t count;
};

/* Owns the needs, which lists share. */
struct need_store {
	struct need **list;
	size_t count;
};

/* An empty need, which lives as long as the store. */
struct need *need_store__add(struct need_store *store);
void need_store__free(struct need_store *store);
void need__add(struct need *need, const char *option);

/* Adds a need, unless another one in the list implies it. Removes the needs that it implies. */
void needs__add(struct needs *needs, const struct need *need);
void needs__add_all(struct needs *needs, const struct needs *more);
void needs__free(struct needs *needs);

/**
 * needs__either() - find what is needed if there are two ways
 * @needs: those of one way; afterwards those of either way
 * @other: those of the other way
 * @store: for new needs
 *
 * "(A and B) or (A and C)" is "A and (B or C)".
 */
void needs__either(struct needs *needs, const struct needs *other, struct need_store *store);

#endif
