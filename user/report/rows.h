/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows that all reports print: one for each function, with the verdict of each recording.
 *
 * If a recording could have seen a function and does not have it, the function is "unseen" there.
 * If it could not see the function (documents.h: -a, -d, helpers of the engine, a module that was not
 * there, ...), the function is neither seen nor unseen, and is in no share.
 */
#ifndef HYTRACE_REPORT_ROWS_H
#define HYTRACE_REPORT_ROWS_H

#include "document/coverage.h"
#include "document/universe.h"
#include "report/documents.h"

enum row_class {
	ROW_TRACED,		/* can be traced at any time; of a module, while it is loaded */
	ROW_EVENT,		/* code of a trace event: in no share, and never listed as unseen */
	ROW_INIT,		/* init text of vmlinux, which is freed when the boot is done */
	ROW_LATER,		/* not in the universe: its module was loaded while recording */
	ROW_UNKNOWN,		/* not in the universe, which may be incomplete */
	ROW_CLASSES
};

struct row {
	const struct function *f;
	enum row_class class;
	bool other;		/* it is not in the universe */
	uint32_t made;		/* its index in the list before rows__restrict() */
	unsigned char *marks;	/* of each column: enum verdict, and the bits MARK_ */
	/* The number of columns that could see it, have seen it, or could not attach to it. */
	uint32_t asked, seen, unattached;
	/* The number of columns that prove that it ran unseen (proof.h), or in which it may have run inlined. */
	uint32_t proved, possible;
};

#define MARK_VERDICT 0x0f
#define MARK_ASKED 0x10		/* the column could see it; also if it is seen though not asked for */
#define MARK_PROVED 0x20
#define MARK_POSSIBLE 0x40

struct rows {
	struct row *list;	/* rows of the universe, in its order, then of @others */
	size_t count;
	size_t all;		/* @count, and the rows after it, which rows__restrict() left out */
	size_t columns;
	const struct coverage *const *documents;	/* the columns */
	const struct universe *universe;
	struct universe others;	/* functions that were seen, but are not in @universe */
	struct lh_table *other_rows;	/* their @made, by a text that identifies them */
	size_t *of_universe;	/* @made of each function of the universe, from 1; 0: it has no row */
	unsigned char *marks;	/* of all rows, in the order of @made */
	uint32_t *runs;		/* as @marks: how many runs of a union have seen it; NULL: no document is a union */
	bool has_unions;
	size_t *alike;		/* as documents__alike() */
	struct maintainers *owners;	/* for BY_OWNER; not freed by rows__free() */
	struct tally *totals;	/* of each column */
	const char *where;	/* the part that rows__restrict() kept; NULL: all */
};

/**
 * rows__make() - find out what recordings say about each function of a universe
 * @ret: to be freed by rows__free()
 * @u: the functions of the build of all @documents; must outlive @ret
 * @documents: the recordings, one for each column; must outlive @ret
 * @count: their number
 *
 * Return: 0, or a negative errno after a message: hits cannot be read from a store.
 */
int rows__make(struct rows *ret, const struct universe *u, const struct coverage *const *documents, size_t count);

/* Warns if a recording could trace another number of functions than are known. */
void rows__check(const struct rows *r, const char *const *labels);
void rows__free(struct rows *r);

/* Keeps only the rows in a part of the kernel. Returns -EINVAL after a message if no function is known to lie there. */
int rows__restrict(struct rows *r, const char *where);

/* Does a function lie in the part that rows__restrict() kept? */
bool rows__has(const struct rows *r, const struct function *f);
#define ROWS_NONE SIZE_MAX
/* The index before rows__restrict() of the row of a function that was hit; ROWS_NONE: it has none. */
size_t rows__find(const struct rows *r, const struct hit *hit);
/* How many runs of a column have seen the function of a row? */
size_t rows__runs(const struct rows *r, const struct row *row, size_t column);
/* Could a column see a function of the universe? */
bool rows__asks_for(const struct rows *r, const struct function *f, size_t column);

/* How many functions a column has seen, of some rows. */
struct tally {
	size_t asked, seen;	/* ROW_TRACED functions that the column could see; has seen */
	size_t beside;		/* seen in init text, later modules, and code of trace events */
	size_t unattached;	/* not seen, because they could not be attached to; in no share */
	size_t own;		/* the engine's own helpers, which were excluded; in no share */
	size_t events;		/* ROW_EVENT functions that the column could see; in no share */
	size_t unknown;		/* seen, but not in the universe */
};

/* All functions that were seen. */
size_t tally__seen(const struct tally *t);
/* The share of seen functions, in percent; 0 if nothing was asked for. */
double tally__share(const struct tally *t);

/*
 * The tally of all rows. Behind the columns, at index r->columns, is a tally of the functions that any column could
 * see, or has seen. In the tally after it, a function is seen if each column that could see it has seen it. Groups have
 * these two tallies as well.
 */
struct tally rows__total(const struct rows *r, size_t column);

/* The verdict of a recording on a function; after proof__mark(), also from recorded calls. */
enum verdict row__verdict(const struct row *row, size_t column);

/* Has the column seen the function? Could it see the function? */
static inline bool row__is_seen(const struct row *row, size_t column)
{
	return (row->marks[column] & MARK_VERDICT) == VERDICT_SEEN;
}

static inline bool row__is_asked_for(const struct row *row, size_t column)
{
	return row->marks[column] & MARK_ASKED;
}

/* Did the function run unseen? May it have run inlined? To be called after proof__mark(). */
static inline bool row__is_proved(const struct row *row, size_t column)
{
	return row->marks[column] & MARK_PROVED;
}

static inline bool row__is_possible(const struct row *row, size_t column)
{
	return row->marks[column] & MARK_POSSIBLE;
}

enum group_by { BY_DIRECTORY, BY_FILE, BY_OWNER };

struct group {
	char *name;
	struct tally *tallies;	/* one for each column, and the two of rows__total() */
};

struct groups {
	struct group *list;
	size_t count, columns;
	bool by_prefix;		/* by beginning of the name, as the function list has no files */
};

enum group_sort { SORT_NAME, SORT_SEEN, SORT_UNSEEN, SORT_SHARE };

/**
 * groups__make() - sort rows into groups
 * @r: the rows
 * @by: what a group is: a directory, a file, or what has one owner
 * @sort: the order: by name, or the largest number first: that of the first column, or of DOCUMENTS_MANY together
 *
 * A module is a group of its own, unless the universe knows its source files. Rare beginnings of
 * names go into one group.
 *
 * Return: the groups, to be freed by groups__free().
 */
struct groups groups__make(const struct rows *r, enum group_by by, enum group_sort sort);
void groups__free(struct groups *g);

/*
 * @where is a part of a kernel, as --in names it: a directory ("fs/ext4", with all below it) or a file
 * ("fs/ext4/inode.c") of the source, or a module (":mod:dummy").
 */

/* Does a function lie in @where? @module: NULL: it is in vmlinux. @unit: its source file, from the top of the source */
bool where__has(const char *where, const char *module, const char *unit);

/* Returns -EINVAL after a message if a universe does not know which functions lie in @where. */
int where__check(const char *where, const struct universe *u);

/* Prints that no function lies in @where, and what to do. Returns -EINVAL. */
int where__is_empty(const char *where);

#endif
