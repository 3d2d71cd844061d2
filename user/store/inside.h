/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this folder share about an open store. */
#ifndef HYTRACE_STORE_INSIDE_H
#define HYTRACE_STORE_INSIDE_H

#include "store/known.h"
#include "store/sql.h"
#include "store/store.h"

struct object_ids {
	int64_t *list;
	size_t count;
};

struct store {
	struct sql sql;
	struct knowns knowns;
	sqlite3_int64 changes;	/* changes when another process has written */
	int64_t run;		/* the last one that store__keep() has kept */
	int64_t newest, runs;	/* of the store, and how many it had, when knowns were read */
	struct object_ids looked_for;	/* objects whose functions were looked for in the cached list */
};

/* Begins to write. Waits while another process writes. */
int store__begin(struct store *s);
/* Reads the numbers that other processes have given since. */
int store__catch_up(struct store *s);
/*
 * Ends what store__begin() began: @err: 0: keeps what was written; otherwise nothing is written.
 * Returns @err, or a new one.
 */
int store__end(struct store *s, int err);

/* Notes a run as the first one of functions that no run has seen before. @bits: those that it has seen */
int store__mark_ran(struct store *s, int64_t run, struct known_object *o, const unsigned char *bits, size_t length);

/* Prints that a run makes no sense, and returns -EINVAL. */
int store__damaged(const struct store *s, int64_t run);

#endif
