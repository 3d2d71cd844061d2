/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that an object needs: "A and (B or C)" is a list of two needs. */
#ifndef HYTRACE_TAILOR_NEEDS_H
#define HYTRACE_TAILOR_NEEDS_H

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

/* Owns the needs; lists share them. */
struct need_store {
	struct need **list;
	size_t count;
};

/* An empty need, which lives as long as the store. */
struct need *need_store__add(struct need_store *store);
void need_store__free(struct need_store *store);
void need__add(struct need *need, const char *option);

/* Adds @need, unless a need of the list implies @need. Removes needs that @need implies. */
void needs__add(struct needs *needs, const struct need *need);
void needs__add_all(struct needs *needs, const struct needs *more);
void needs__free(struct needs *needs);

/**
 * needs__either() - find the needs of an object that is built in two ways
 * @needs: the needs of one way; afterwards those of either way
 * @other: the needs of the other way
 * @store: for new needs
 *
 * "(A and B) or (A and C)" is "A and (B or C)".
 */
void needs__either(struct needs *needs, const struct needs *other, struct need_store *store);

#endif
