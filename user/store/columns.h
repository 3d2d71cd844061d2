/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hits of a run with all that is known of each: the column "hits" of the table "first".
 *
 * A row for each hit would take 40 times the place. So each field is a column of small numbers, mostly
 * differences to the hit before, and zstd compresses all columns together. Most functions were first called from
 * the call site whose hit comes next, and so they take one byte.
 */
#ifndef HYTRACE_STORE_COLUMNS_H
#define HYTRACE_STORE_COLUMNS_H

#include "store/known.h"

/* A hit in terms of a store. */
struct kept_hit {
	struct number place;
	struct number other;	/* of a function: the call site; of a site: the function that was entered */
	bool has_other;
};

/**
 * columns__write() - make the value of a run
 * @ret: the length and the bytes, to be freed
 * @c: the run
 * @list: its hits in terms of the store, in the order of @c->hits
 * @k: the numbers
 *
 * Return: 0; -EFBIG without a message: no kernel has so many hits.
 */
int columns__write(struct sql_blob *ret, const struct coverage *c, const struct kept_hit *list, const struct knowns *k);

/**
 * columns__read() - read the hits of a run
 * @hits: gets the hits, in the order in which they were written
 * @k: the numbers; objects that are not known yet are read
 * @blob: the value
 *
 * Return: 0; -EINVAL without a message if the value is damaged; another negative errno after a message.
 */
int columns__read(struct hits *hits, struct knowns *k, const struct sql_blob *blob);

/*
 * Makes a hit of a number. Its strings live as long as the hits, or if these have no names of their own, as long as @k.
 * Returns -EINVAL if there is no such number.
 */
int columns__hit(struct hit *ret, struct hits *hits, const struct knowns *k, enum hit_kind kind, struct number n);

#endif
