/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cache in ~/.cache/hytrace, for results that take long to compute. If a file cannot be kept,
 * only time is lost, so nothing here fails.
 */
#ifndef HYTRACE_RUN_KEPT_H
#define HYTRACE_RUN_KEPT_H

#include "run/output.h"

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
