/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a result goes: to a file that appears complete or not at all (it is written beside its
 * place and renamed), to one that grows and keeps its contents however the run ends, or to standard
 * output. It is opened before tracing begins, so that a bad name costs no run. Every write error is
 * reported. Links are followed if nobody else may have made them (base/place.h). A file that was there
 * before keeps its mode and owner. A name that ends as those of compressed files do is refused.
 */
#ifndef HYTRACE_RUN_OUTPUT_H
#define HYTRACE_RUN_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "run/guard.h"

struct output;

/*
 * If @path is NULL or "-", standard output. Returns -EINVAL after a message if it cannot be
 * written.
 */
int output__open(struct output **ret, const char *path, struct guard *guard);
/* The same for a file that grows. An old file stays until the first output__flush(). */
int output__open_growing(struct output **ret, const char *path, struct guard *guard);
FILE *output__stream(struct output *o);
/* Writes what is in the stream until now. Returns -EIO after a message. */
int output__flush(struct output *o);
/*
 * Puts a file with the stream's present contents in its place, and empties the stream. A later
 * checkpoint or the final result replaces that file. Returns -EOPNOTSUPP without a message if the
 * result is not renamed into its place, because then it can be written only once; or another
 * negative errno after a message.
 */
int output__checkpoint(struct output *o);
/*
 * Two runs may add to one file at the same time. Only one of them may read, join and replace it: as the file is another
 * one then, its directory is locked. Returns a descriptor that holds the lock, or a negative errno without a message;
 * -EAGAIN: somebody else has held the lock for some seconds.
 */
int output__lock(const struct output *o);
/* Opens the file that the result will replace, to read it. Returns a descriptor; -ENOENT: none; or another errno. */
int output__open_old(const struct output *o);
/* Can output__checkpoint() work for this output? */
bool output__can_checkpoint(const struct output *o);
/* Flushes, checks for errors, and puts the file in its place. Frees @o even if it fails. */
int output__commit(struct output *o);
/* Commits @o, or discards it if @err is not 0. Returns @err, or what committing returns. */
int output__finish(struct output *o, int err);
/* Removes the unfinished result. What was flushed to a growing file stays. */
void output__discard(struct output *o);

#endif
