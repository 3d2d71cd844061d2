/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options that the Makefiles of the kernel's source name for a file. hytrace tailor asks make itself, in a
 * directory in which the kernel was built; but a Makefile of a repository may be anybody's, so it is only read. The
 * answer tells where to look: make may know of more conditions.
 */
#ifndef HYTRACE_AFFECTED_MAKEFILES_H
#define HYTRACE_AFFECTED_MAKEFILES_H

#include <json-c/linkhash.h>

#include "base/memory.h"

/* The directory of a file or directory, to be freed; "": the top. */
char *path__directory(const char *path);

/**
 * makefiles__options() - find the options that a file is built with
 * @m: texts of Makefiles and Kbuilds, by their paths
 * @path: the file
 * @names: gets the options
 * @ret_count: their number
 *
 * Return: "CONFIG_X" of its line, of the lines of what it is a part of, and of its directories, each once; to be freed.
 */
const char **makefiles__options(struct lh_table *m, const char *path, struct strings *names, size_t *ret_count);

#endif
