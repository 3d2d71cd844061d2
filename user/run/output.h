/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a result goes: a file that appears whole or not at all (written beside its place and renamed),
 * one that grows as its contents come and keeps what it has however that ends, or standard output. It
 * is opened before tracing starts, so that a bad name costs no run, and every write error is told. A
 * link is followed; a file that was there keeps its mode and owner.
 */
#ifndef HYTRACE_RUN_OUTPUT_H
#define HYTRACE_RUN_OUTPUT_H

#include <stdio.h>

#include "run/guard.h"

struct output;

/* @path NULL or "-": standard output. -EINVAL, and says why, when it cannot be written. */
int output__open(struct output **ret, const char *path, struct guard *guard);
/* The same for one that grows: it has what output__flush() wrote, an old one until the first of these. */
int output__open_growing(struct output **ret, const char *path);
FILE *output__stream(struct output *o);
/* Writes out what is in the stream so far, for results that come bit by bit; -EIO, said. */
int output__flush(struct output *o);
/* Flushes, checks and puts the file in place; frees @o in any case. */
int output__commit(struct output *o);
/* Leaves nothing behind, but for what has been flushed to a growing one. */
void output__discard(struct output *o);

#endif
