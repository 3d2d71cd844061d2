/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all reports of coverage print: a row for each function, with what each of several documents says of it.
 *
 * If a document could have seen a function and does not have it, the function is "unseen" there. If it could not
 * (verdict.h: -a, -d, the engine's own helpers, a module that was not there, ...), the function is neither seen nor
 * unseen, and is no part of that document's share.
 */
#ifndef HYTRACE_REPORT_ROWS_H
#define HYTRACE_REPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "document/coverage.h"
#include "document/universe.h"
#include "report/verdict.h"

/* A bit for each document. */
#define ROWS_MOST_COLUMNS 64

enum row_class {
	ROW_TRACED,		/* can be traced at any time; of a module, while it is loaded */
	ROW_EVENT,		/* the code of a trace event, which runs only while that is on: in no share, and not unseen */
	ROW_INIT,		/* init text of the kernel's image: freed when boot was done */
	ROW_LATER,		/* not in the universe: of a module that was loaded while it was recorded */
	ROW_UNKNOWN,		/* not in the universe, which has not all functions */
	ROW_CLASSES
};

struct row {
	const struct function *f;
	enum row_class class;
	uint64_t proved;	/* bits of columns: not seen, but proved to have run (proof.h); 0 without --proved */
	uint64_t possible;	/* not proved, but inlined into a function that ran */
	uint32_t made;		/* its index in the list when that was made */
	uint64_t unattached;	/* bits of columns that could not attach to it */
	uint64_t own;		/* bits of columns whose engine calls it while it records, and so leaves it out */
	uint64_t asked, seen;	/* bits of columns that could see it, and that have. Only the latter: of a module that was loaded later */
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
 * rows__make() - find out what documents say about each function of a universe
 * @ret: to be freed by rows__free()
 * @u: of the same kernel build as all of @documents; it must live as long as @ret
 * @documents: the columns, which must live as long as @ret
 * @count: their number, at most ROWS_MOST_COLUMNS
 */
void rows__make(struct rows *ret, const struct universe *u, const struct coverage *const *documents, size_t count);

/* Warns if the number of functions in the universe is not that which a document was asked for. */
void rows__check(const struct rows *r, const char *const *labels);
void rows__free(struct rows *r);

/**
 * rows__restrict() - keep only a part of the rows
 * @r: the rows
 * @where: a directory or a file of the source ("fs/ext4", "fs/ext4/inode.c"), or ":mod:NAME"
 *
 * Return: 0, or -EINVAL after a message: nothing lies there, or the universe does not know where functions lie.
 */
int rows__restrict(struct rows *r, const char *where);

/* Whether a function lies where the rows were restricted to. */
bool rows__has(const struct rows *r, const struct function *f);
/* The first hit of a row in a column; NULL: that column has not seen it. */
const struct hit *rows__hit(const struct rows *r, const struct row *row, size_t column);

/* How many functions of some rows a column has seen: those that a share counts, and others. */
struct tally {
	size_t asked, seen;	/* of ROW_TRACED: how many the column was asked for, and how many of these it has */
	size_t beside;		/* functions seen in init text, in modules that were loaded later, and of trace events */
	size_t unattached;	/* functions not seen because they could not be attached to; they are in no share */
	size_t own;		/* helpers of the engine, which were left out; they are in no share */
	size_t events;		/* functions of trace events that could have been seen; they are in no share */
	size_t unknown;		/* functions seen that the universe does not have */
};

void tally__add(struct tally *t, const struct row *row, size_t column);
/* All that was seen. */
size_t tally__seen(const struct tally *t);
/* In percent; 0 if nothing was asked for. */
double tally__share(const struct tally *t);

/* Of all rows. */
struct tally rows__total(const struct rows *r, size_t column);

/* What a document says of a function: also what recorded calls prove, after proof__mark(). */
enum verdict rows__verdict(const struct rows *r, const struct row *row, size_t column);

/* Whether that document has seen it; whether it could have. */
bool row__is_seen(const struct row *row, size_t column);
bool row__is_asked_for(const struct row *row, size_t column);
/* Did it run without having been seen? Is it not known whether it did? Both need proof__mark(). */
bool row__is_proved(const struct row *row, size_t column);
bool row__is_possible(const struct row *row, size_t column);

/* The length of a unit's directory, which is the part before the last slash; 0 if there is no slash. */
size_t unit__directory_length(const char *unit);

#endif
