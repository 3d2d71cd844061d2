/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Joins recordings of one kernel build: of several machines, boots or runs. One is read after the other, so that a
 * thousand need no more memory than a few.
 */
#ifndef HYTRACE_REPORT_MERGE_H
#define HYTRACE_REPORT_MERGE_H

#include "document/coverage.h"

/* A union that is being made. */
struct merge {
	struct coverage *to;
	size_t count;			/* the recordings so far */
	struct lh_table *places;	/* an index of to->hits, by address or by name */
	bool *by_name;			/* which of to->hits go by name: their module's build is unknown */
	const char **unnamed;		/* modules of which a recording does not know the build */
	size_t unnamed_count;
};

/* @ret: gets the union, to be freed by coverage__free() */
void merge__begin(struct merge *m, struct coverage *ret);

/**
 * merge__add() - add a recording to a union
 * @m: the union
 * @c: the recording, which may be a union itself
 * @path: its name, for messages
 *
 * Each hit counts the runs that have it. First times stay if all are of one boot. Losses are added
 * up, so the union is complete if all recordings are.
 *
 * Return: 0, or a negative errno after a message: -EINVAL if it is of another build of the kernel or
 * of a module, was asked for different functions, or has no linked addresses.
 */
int merge__add(struct merge *m, const struct coverage *c, const char *path);

/* Ends merge__begin(). @err: what merge__add() returned; if it is not 0, there is no union. Returns @err. */
int merge__end(struct merge *m, int err);

/* Joins @count recordings, from 1. @paths: their names. Returns 0, or as merge__add() */
int merge__run(struct coverage *ret, const struct coverage *const *documents, size_t count, const char *const *paths);

#endif
