/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths as text, such as those of a kernel's source, which need not exist here. */
#ifndef HYTRACE_BASE_PATHS_H
#define HYTRACE_BASE_PATHS_H

#include <stdbool.h>

/* Turns "./a//b/../c" into "a/c". At the top, ".." is dropped: "../x" becomes "x". */
void path__simplify(char *path);
/* "DIRECTORY/NAME", to be freed. */
char *path__join(const char *directory, const char *name);
/* Does the path end with a suffix such as ".json"? NULL does not. */
bool path__has_suffix(const char *path, const char *suffix);

#endif
