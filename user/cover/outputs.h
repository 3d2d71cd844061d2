/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The results of a run of `hytrace cover`, and where they go: one for each -o, or one on standard
 * output. With two engines, NAME.EXT becomes NAME.ENGINE.EXT for each engine, and their comparison
 * goes to standard output. With --keep, each result also goes into a store.
 */
#ifndef HYTRACE_COVER_OUTPUTS_H
#define HYTRACE_COVER_OUTPUTS_H

#include "cover/engines.h"
#include "cover/options.h"
#include "document/coverage.h"
#include "report/documents.h"
#include "run/guard.h"

struct outputs;

/*
 * Opens all outputs. @plan: what is known of the result before the run. Returns -EINVAL after a message if an
 * output cannot be written, its format is not possible, or with --append, if it cannot be merged with the file.
 * @o must outlive @ret.
 */
int outputs__open(struct outputs **ret, const struct cover_options *o, const struct engines *engines,
		  const struct kernel_id *kernel, const struct coverage *plan, struct guard *guard);
/* @kernel: the kernel that was recorded */
int outputs__write(struct outputs *outputs, const struct coverage *const *coverages, size_t count,
		   const struct kernel *kernel);
/*
 * Writes the results so far. They replace the contents of files; later results replace them.
 * Outputs that are no files get only the final result. If there are no files, a message says so.
 */
void outputs__write_so_far(struct outputs *outputs, const struct coverage *const *coverages,
			   const struct kernel *kernel);
void outputs__free(struct outputs *outputs);

/**
 * outputs__keep() - put a run into a store, or if that fails, into a file of its own
 * @s: the store
 * @o: the options; the file is beside the store that they name
 * @note: what else is known, but for the name of the document
 * @c: the run
 *
 * Return: 0, or a negative errno after a message.
 */
int outputs__keep(struct store *s, const struct cover_options *o, const struct store_note *note,
		  const struct coverage *c);

/* Turns "run.json" and "bpf" into "run.bpf.json"; to be freed. */
char *outputs__engine_path(const char *path, const char *engine);

#endif
