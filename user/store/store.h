/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A store: one file of SQLite with any number of runs. schema.sql has its tables, which other programs may read;
 * docs/schema/store.md explains them. Each command that takes recordings also takes a store, as
 * "PATH" or "PATH?host=a&since=7d".
 *
 * A run is kept in one transaction with an fsync, in SQLite's rollback journal: after a kill or a
 * crash, the store has what was kept, and nothing of what was not. Processes that keep runs at the same time wait
 * for each other.
 */
#ifndef HYTRACE_STORE_STORE_H
#define HYTRACE_STORE_STORE_H

#include <argp.h>

#include "document/coverage.h"
#include "document/read.h"
#include "document/universe.h"

struct store;

enum store_use {
	STORE_READ,
	STORE_WRITE,
	STORE_CREATE,		/* as STORE_WRITE, and makes a new store if there is none */
};

/* Is it a file of SQLite? */
bool store__is(const char *path);

/**
 * store__open() - open a store
 * @ret: to be closed by store__close()
 * @path: its file; NULL: a new one, which ends with store__close()
 * @use: what for. A store of an older version is upgraded if it is written to. One that cannot be written is refused
 *
 * Return: 0, or a negative errno after a message; -EINVAL: the file is something else.
 */
int store__open(struct store **ret, const char *path, enum store_use use);
void store__close(struct store *s);
/* The connection, for `hytrace sql`. */
struct sql *store__sql(struct store *s);

/* What identifies a document: a hash of its text. */
struct store_hash {
	uint64_t words[2];
};

struct store_hash store__hash(const struct text *t);

/* What a document does not say about its run. */
struct store_note {
	const char *document;		/* the name of the file, which labels the run in reports */
	const char *test, *revision;	/* NULL: unknown */
	bool thin;			/* which functions and call sites, but not when, and by which task */
	struct store_hash hash;
};

/* The options --test, --commit and --thin. Its input is a struct store_note. */
extern const struct argp store_note__argp;

/**
 * store__keep() - keep a run
 * @s: the store
 * @c: the run
 * @note: what else is known of it
 * @ret_is_new: false if the store has it already
 *
 * Return: 0, or a negative errno after a message; then the store is as it was. -EFBIG: because of this run.
 */
int store__keep(struct store *s, const struct coverage *c, const struct store_note *note, bool *ret_is_new);

/* Keeps where the functions of a build are, and which of them can be traced. */
int store__add_functions(struct store *s, const struct universe *u);
/* Does so from the cached function list of @id, if there is one, for the builds of the last kept run that lack them. */
int store__find_functions(struct store *s, const struct kernel_id *id);

/*
 * Returns the selection after the '?' of a store's name, which is cut off there; NULL: all runs. A
 * file may have a '?', too.
 */
const char *store__cut_selection(char *path);

/**
 * store__select() - find the runs of a selection
 * @s: the store
 * @selection: "host=a&test=ltp/\*&since=7d"; also commit, engine, boot, build, document, run and until. Texts are
 *	       patterns, and times an age (12h, 7d, 4w) or a date (2026-11-28). NULL: all runs
 * @ret: the ids, in the order in which the runs were kept; to be freed
 * @ret_count: their number
 *
 * Return: 0, or a negative errno after a message.
 */
int store__select(struct store *s, const char *selection, int64_t **ret, size_t *ret_count);

/**
 * store__read() - read a run
 * @s: the store
 * @run: its id
 * @ret: to be freed by coverage__free(). It is what the document said; of a run that was kept thin, a union
 * of this one run
 * @ret_document: the name of the document, to be freed
 *
 * Return: 0, or a negative errno after a message.
 */
int store__read(struct store *s, int64_t run, struct coverage *ret, char **ret_document);

/* The test that a run was kept with, to be freed; NULL: none was given, or it cannot be read. */
char *store__test(struct store *s, int64_t run);

/* As store__read(), but the hits stay in the store, which must stay open while coverage__open_hits() may be called. */
int store__read_head(struct store *s, int64_t run, struct coverage *ret, char **ret_document);

/**
 * store__dump() - write the tables to files for other engines, and what makes the same tables there
 * @s: the store
 * @selection: as for store__select(): the runs whose rows are written
 * @directory: where; it is made if it is not there
 *
 * It takes no more memory for a thousand runs than for two. Nobody can write into the store meanwhile.
 *
 * Return: 0, or a negative errno after a message.
 */
int store__dump(struct store *s, const char *selection, const char *directory);

/* Removes runs. The file keeps its size, and has room for later runs. */
int store__forget(struct store *s, const int64_t *runs, size_t count);

#endif
