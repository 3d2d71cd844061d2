/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ran without having been recorded: functions that recorded calls lie in or name, and, with debug information,
 * functions of the source that were inlined where recorded calls are.
 */
#ifndef HYTRACE_REPORT_PROOF_H
#define HYTRACE_REPORT_PROOF_H

#include "report/edges.h"
#include "report/rows.h"
#include "report/sources.h"

struct proof {
	struct images images;
	struct edges edges;
	struct sources *sources;	/* one for each image; all zero where it has no debug information */
};

/**
 * proof__make() - find out what documents prove
 * @ret: to be freed by proof__free() in any case
 * @documents: the documents, which must live as long as @ret
 * @count: their number, at most EDGES_MOST_DOCUMENTS
 * @vmlinux: as images__open() takes it
 *
 * Return: 0, or a negative errno after a message: -EINVAL as images__open(), or if a document has no callers.
 */
int proof__make(struct proof *ret, const struct coverage *const *documents, size_t count, const char *vmlinux);
void proof__free(struct proof *p);

/* Marks the rows of functions that ran or may have run, though their own code was not recorded. */
void proof__mark(const struct proof *p, struct rows *rows);

struct proof_totals {
	struct proved functions;
	struct source_totals sources;	/* all 0 without debug information */
};

struct proof_totals proof__totals(const struct proof *p, size_t document);

#endif
