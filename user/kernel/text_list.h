/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's long lists of text: /proc/kallsyms, and ftrace's list of functions. They have a line for each
 * of a hundred thousand addresses, and most lines are in order of address. Each run reads them, so that what
 * they cost is most of what the loader itself costs. Hence what the C library does for any text and any
 * order is done here for these.
 */
#ifndef HYTRACE_KERNEL_TEXT_LIST_H
#define HYTRACE_KERNEL_TEXT_LIST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Opens one of them, as fopen(); a read takes as much as the kernel gives at once. */
FILE *text_list__open(const char *path);

/**
 * text_list__read() - hand on each line of a list
 * @f: the list
 * @use: is given the line, which it may change; what is not 0 ends the reading
 * @context: for @use
 *
 * Return: 0, what @use returned, or -EIO if the list could not be read to its end.
 */
int text_list__read(FILE *f, int (*use)(void *context, char *line), void *context);

/**
 * text_list__address() - read the address that a line begins with
 * @line: hexadecimal digits, without 0x
 * @ret_end: the first character that is no digit; @line: there is no address
 *
 * Return: the address; its lowest 64 bits if there are more digits.
 */
uint64_t text_list__address(const char *line, char **ret_end);

/**
 * text_list__sort() - sort an array as qsort(), at once where it is in order but for a few neighbours
 * @list: the array
 * @count: its elements
 * @size: of an element, 64 bytes at most
 * @compare: as qsort() takes it; no two elements are equal, or their order is of no interest
 */
void text_list__sort(void *list, size_t count, size_t size,
		     int (*compare)(const void *a, const void *b));

#endif
