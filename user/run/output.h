/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a result goes: to a file that appears complete or not at all (it is written under another
 * name, and renamed), to a file that grows and keeps its contents however the run ends, or to
 * standard output. It is opened before tracing begins, so that a wrong name fails early. Every
 * write error is reported. Links are followed if nobody else may have made them (base/files.h). An
 * old file keeps its mode and owner. A name that ends like those of compressed files is refused.
 */
#ifndef HYTRACE_RUN_OUTPUT_H
#define HYTRACE_RUN_OUTPUT_H

#include "run/guard.h"

struct output;

/*
 * @path: NULL or "-" is standard output. Returns -EINVAL after a message if it cannot be written.
 */
int output__open(struct output **ret, const char *path, struct guard *guard);
/* As output__open(), for a file that grows. An old file stays until the first output__flush(). */
int output__open_growing(struct output **ret, const char *path, struct guard *guard);
FILE *output__stream(struct output *o);
/* Writes what the stream contains so far. Returns -EIO after a message. */
int output__flush(struct output *o);
/*
 * Puts a file with the stream's current contents in place, and empties the stream. A later
 * checkpoint or the final result replaces this file. Returns -EOPNOTSUPP without a message if the
 * output is not a file that is renamed: then it can be written only once. Other errors have a
 * message.
 */
int output__checkpoint(struct output *o);
/*
 * Two runs may add to one file at the same time. Only one of them may read, join and replace it. Because
 * the file itself is replaced, its directory is locked. Returns a descriptor that holds the lock, or a
 * negative errno without a message; -EAGAIN: another process has held the lock for some seconds.
 */
int output__lock(const struct output *o);
/* Opens the file that the result will replace, for reading. Returns a descriptor; -ENOENT: none; or another errno. */
int output__open_old(const struct output *o);
/* Can output__checkpoint() work for this output? */
bool output__can_checkpoint(const struct output *o);
/* Flushes, checks for errors, and puts the file in its place. Frees @o even if it fails. */
int output__commit(struct output *o);
/* Commits @o, or discards it if @err is not 0. Returns @err, or what committing returns. */
int output__finish(struct output *o, int err);
/* Removes the unfinished result. What was flushed to a growing file stays there. */
void output__discard(struct output *o);

/*
 * ---- a cache in ~/.cache/hytrace for results that take long to compute. If a file cannot be kept, only time
 * is lost
 */

/* "~/.cache/hytrace/NAME", to be freed; NULL: there is no home, or other users can write there. */
char *kept__path(const char *name);

/**
 * kept__open() - begin to write a file that is kept
 * @path: from kept__path(); its directory is made
 *
 * Return: the output, to be ended by output__commit(), which reports errors; NULL: the file cannot be kept.
 */
struct output *kept__open(const char *path);

/**
 * kept__trim() - remove all but the most recently used files
 * @path: of one of them, "DIRECTORY/KIND-NAME"; only files of its kind are removed
 * @most: how many may stay
 */
void kept__trim(const char *path, size_t most);
/* Marks a file as used now. */
void kept__touch(const char *path);

#endif
