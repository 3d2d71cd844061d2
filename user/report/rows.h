/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all reports of coverage print: a row for each function, with what each of several documents says of it.
 *
 * A function that a document was asked for and has not is "unseen" there. One that it was not asked for (-a, -d,
 * a module that was not there, init text that was freed before recording began), or that could not be attached to, is
 * neither seen nor unseen, and is no part of that document's share.
 */
#ifndef HYTRACE_REPORT_ROWS_H
#define HYTRACE_REPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "document/coverage.h"
#include "document/universe.h"

/* A bit for each document. */
#define ROWS_MOST_COLUMNS 64

enum row_class {
	ROW_TRACED,		/* can be traced at any time; of a module, while it is loaded */
	ROW_INIT,		/* init text of the kernel's image: freed when boot was done */
	ROW_LATER,		/* not in the universe: of a module that was loaded while it was recorded */
	ROW_UNKNOWN,		/* not in the universe, which has not all functions */
	ROW_CLASSES
};

struct row {
	const struct function *f;
	enum row_class class;
	uint64_t proved;	/* not seen, and ran all the same: see proof.h; 0 unless that was asked for */
	uint64_t possible;	/* not proved, but inlined into a function that ran */
	uint32_t made;		/* the how many-th it was when they were made, from 0 */
	uint64_t unattached;	/* bits of columns that could not attach to it */
	uint64_t asked, seen;	/* bits of columns. Seen and not asked for: of a module that was loaded later */
};

struct rows {
	struct row *list;	/* those of the universe in its order, then the others */
	size_t count;
	size_t all;		/* with those that rows__restrict() left out, which come after @count */
	size_t columns;
	const struct coverage *const *documents;	/* one for each column */
	const struct universe *universe;
	struct universe others;	/* functions that were seen and are not in the universe */
	const struct hit **hits;	/* for each row as it was made, one of each column; NULL: not seen there */
	const char *where;	/* rows__restrict(); NULL: these are all */
};

/**
 * rows__make() - lay documents against a universe
 * @ret: to be freed by rows__free()
 * @u: of the same kernel build as all of @documents, which has to live as long
 * @documents: the columns, which have to live as long
 * @count: how many, at most ROWS_MOST_COLUMNS
 *
 * Return: 0, or -ENOMEM, which is told.
 */
int rows__make(struct rows *ret, const struct universe *u, const struct coverage *const *documents, size_t count);

/* Warns if the universe has not as many functions as a document was asked for. */
void rows__check(const struct rows *r, const char *const *labels);
void rows__free(struct rows *r);

/**
 * rows__restrict() - keep only a part of the rows
 * @r: the rows
 * @where: a directory or a file of the source ("fs/ext4", "fs/ext4/inode.c"), or ":mod:NAME"
 *
 * Return: 0, or -EINVAL, which is told: nothing lies there, or the universe does not know where functions lie.
 */
int rows__restrict(struct rows *r, const char *where);

/* Whether a function lies where the rows were restricted to. */
bool rows__has(const struct rows *r, const struct function *f);
/* The first hit of a row in a column; NULL: that column has not seen it. */
const struct hit *rows__hit(const struct rows *r, const struct row *row, size_t column);

/* What a column has seen of some rows: a share, and what has no share. */
struct tally {
	size_t asked, seen;	/* of ROW_TRACED, what the column was asked for */
	size_t beside;		/* seen as well: init text, and of modules that were loaded later */
	size_t unattached;	/* not seen, as it could not be attached to, and in no share */
	size_t unknown;		/* and what the universe does not have */
};

void tally__add(struct tally *t, const struct row *row, size_t column);
/* All that was seen. */
size_t tally__seen(const struct tally *t);
/* In percent; 0 if nothing was asked for. */
double tally__share(const struct tally *t);

/* Of all rows. */
struct tally rows__total(const struct rows *r, size_t column);

/* Whether that document has seen it; whether it was asked for it. */
bool row__is_seen(const struct row *row, size_t column);
bool row__is_asked_for(const struct row *row, size_t column);

/* The directory of a unit, or the part of @name before its last slash; "" if it has none. Its length. */
size_t unit__directory_length(const char *unit);

#endif
