/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths as text, such as those of a kernel's source, which need not exist here. */
#ifndef HYTRACE_BASE_PATHS_H
#define HYTRACE_BASE_PATHS_H

/* Turns "./a//b/../c" into "a/c". At the top, ".." is dropped: "../x" becomes "x". */
void path__simplify(char *path);
/* "DIRECTORY/NAME", to be freed. */
char *path__join(const char *directory, const char *name);

#endif
