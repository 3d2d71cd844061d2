/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that ran without having been recorded: a recorded call is in them or names them. With
 * debug information, also functions that were inlined around recorded calls.
 */
#ifndef HYTRACE_REPORT_PROOF_H
#define HYTRACE_REPORT_PROOF_H

#include "report/edges.h"
#include "report/rows.h"

/*
 * What recordings show of a function of the source. The compiler has inlined half of these functions, and a tracer does
 * not see them run. Each kind of mark is a set of recordings.
 */
enum source_mark {
	MARK_OF_RECORD,		/* its own code was entered, and recorded */
	MARK_OF_PROOF,		/* a recorded call is in its code or inlined copy, or leads to it */
	MARK_OF_COPY,		/* it was inlined into a function that ran */
	MARK_OF_SILENCE,	/* its code, or an inlined copy, may run without a record */
	SOURCE_MARKS
};

struct sources {
	const struct inlines *inlines;
	struct sets marks;		/* SOURCE_MARKS of each source function, by its index */
	bool *counted;			/* it can be traced, or was inlined somewhere */
	size_t count;
};

/* Each function is counted once, under the first member that holds. */
struct source_totals {
	size_t all, recorded, proved, possible, unknown;
};

struct proof {
	struct images images;
	struct edges edges;
	struct sources *sources;	/* one for each image; all 0: no debug information */
};

/**
 * proof__make() - find out what recordings prove
 * @ret: to be freed by proof__free() in any case
 * @documents: the recordings, which must outlive @ret
 * @count: their number
 * @vmlinux: as images__open() takes it
 *
 * Return: 0, or a negative errno after a message: -EINVAL as images__open(), or if callers are
 * missing.
 */
int proof__make(struct proof *ret, const struct coverage *const *documents, size_t count, const char *vmlinux);
void proof__free(struct proof *p);

/* Marks the rows of functions that ran or may have run, though their own code was not recorded. */
void proof__mark(const struct proof *p, struct rows *rows);

/* A function of the source that ran without having a row: it was inlined, or cannot be traced. */
struct proved_source {
	const struct source_function *f;
	const char *module;	/* NULL: vmlinux */
	const uint64_t *proved, *recorded;	/* sets of recordings */
};

/* Does the recording prove that the function ran, without having a record of it? */
static inline bool proved_source__has(const struct proved_source *p, size_t document)
{
	return set__has(p->proved, document) && !set__has(p->recorded, document);
}

/**
 * proof__sources() - list proved functions that no row stands for
 * @p: the proof
 * @rows: the rows; after rows__restrict(), only functions in that part are listed, by the file of their definition
 * @ret_count: their number
 *
 * Return: a list sorted by module, file and line, to be freed; NULL: there is none.
 */
struct proved_source *proof__sources(const struct proof *p, const struct rows *rows, size_t *ret_count);

struct proof_totals {
	struct proved functions;
	struct source_totals sources;	/* all 0 without debug information */
};

struct proof_totals proof__totals(const struct proof *p, size_t document);

#endif
