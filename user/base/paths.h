/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths as text: those of a kernel's source, which need not exist here. */
#ifndef HYTRACE_BASE_PATHS_H
#define HYTRACE_BASE_PATHS_H

/*
 * Turns "./a//b/../c" into "a/c". A path that leads out of the top is cut there: "../x" becomes
 * "x".
 */
void path__simplify(char *path);
/* "DIRECTORY/NAME", to be freed. */
char *path__join(const char *directory, const char *name);

#endif
