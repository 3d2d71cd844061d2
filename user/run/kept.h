/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are kept for the next time, because what is in them takes long to find out: in ~/.cache/hytrace. If a file
 * cannot be kept, the answer is the same, so nothing here fails.
 */
#ifndef HYTRACE_RUN_KEPT_H
#define HYTRACE_RUN_KEPT_H

#include "run/output.h"

/* "~/.cache/hytrace/NAME", to be freed; NULL: nowhere, or others may write there. */
char *kept__path(const char *name);

/**
 * kept__open() - begin to write a file that is kept
 * @path: from kept__path(); its directory is made
 *
 * Return: the output, to be ended by output__commit(), which shows errors; NULL: it cannot be kept.
 */
struct output *kept__open(const char *path);

/**
 * kept__trim() - leave only the files that were used last
 * @path: of one of them, "DIRECTORY/KIND-NAME"; only those of the same kind are removed
 * @most: how many may stay
 */
void kept__trim(const char *path, size_t most);
/* The file was used now. */
void kept__touch(const char *path);

#endif
