/* SPDX-License-Identifier: GPL-2.0-only */
/* Files: whole as text, what the kernel says of them, their paths and their descriptors. */
#ifndef HYTRACE_BASE_FILES_H
#define HYTRACE_BASE_FILES_H

#include <stddef.h>
#include <stdint.h>

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

/* ---- descriptors */

/*
 * A number that /proc/self/fdinfo has for a descriptor; 0: it has none. "memlock" is the memory that the kernel
 * charges for a BPF map or program, in bytes, which its info structs do not have.
 */
uint64_t fdinfo__number(int fd, const char *name);

/*
 * Raises the limit of this process, so that it can open @more files in addition to the usual ones. To be called after
 * the command is forked, so that the command keeps its limit. Returns 0, or a negative errno without a message.
 */
int descriptors__allow(size_t more);

/* ---- paths, such as those of a kernel's source, which need not exist here */

/* Turns "./a//b/../c" into "a/c". At the top, ".." is dropped: "../x" becomes "x". */
void path__simplify(char *path);
/* "DIRECTORY/NAME", to be freed. */
char *path__join(const char *directory, const char *name);

#endif
