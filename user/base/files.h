/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole files as text. */
#ifndef HYTRACE_BASE_FILES_H
#define HYTRACE_BASE_FILES_H

/**
 * file__text() - read a whole file
 * @path: the file; the text ends for the caller at the first NUL, if there is one
 *
 * Return: the text with a NUL after it, to be freed; NULL, with errno and no message, if it cannot be read.
 */
char *file__text(const char *path);
/* The number at the beginning of a file, such as one of /proc/sys; -1: it cannot be read. */
long file__number(const char *path);

/**
 * text__value() - find a value in lines "name: value", such as those of the kernel's files of statistics
 * @text: the lines; NULL: there are none
 * @name: the name
 *
 * Return: the text behind "name:" of the first such line; NULL: there is none.
 */
const char *text__value(const char *text, const char *name);

#endif
