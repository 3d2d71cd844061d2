/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole files as text. */
#ifndef HYTRACE_BASE_FILES_H
#define HYTRACE_BASE_FILES_H

/**
 * file__text() - read a whole file
 * @path: of the file; its text contains no NUL, or the caller needs only what is before the first NUL
 *
 * Return: the text with a NUL after it, to be freed; NULL, with errno and no message, if it cannot be read.
 */
char *file__text(const char *path);
/* The number at the beginning of a file, such as one of /proc/sys; -1: it cannot be read. */
long file__number(const char *path);

#endif
