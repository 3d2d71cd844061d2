/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's long lists of text: /proc/kallsyms and ftrace's list of functions. They have a line
 * for each of a hundred thousand addresses, and most lines are in order of address. Each run reads
 * them, which is most of the loader's own cost. So these functions are faster for such lists than
 * those of the C library, which take any text in any order.
 */
#ifndef HYTRACE_KERNEL_TEXT_LIST_H
#define HYTRACE_KERNEL_TEXT_LIST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Opens a list like fopen(); each read takes as much as the kernel returns at once. */
FILE *text_list__open(const char *path);

/**
 * text_list__read() - pass each line of a list to a function
 * @f: the list
 * @use: gets the line, which it may change; if it does not return 0, the reading ends
 * @context: for @use
 *
 * Return: 0, what @use returned, or -EIO if the list could not be read to its end.
 */
int text_list__read(FILE *f, int (*use)(void *context, char *line), void *context);

/**
 * text_list__address() - read the address at the beginning of a line
 * @line: hexadecimal digits, without 0x
 * @ret_end: the first character that is no digit; @line: there is no address
 *
 * Return: the address; its lowest 64 bits if there are more digits.
 */
uint64_t text_list__address(const char *line, char **ret_end);

/**
 * text_list__sort() - sort an array like qsort(), but quickly if few neighbours are out of order
 * @list: the array
 * @count: the number of its elements
 * @size: the size of an element, at most 64 bytes
 * @compare: as for qsort(); the order of equal elements must not matter
 */
void text_list__sort(void *list, size_t count, size_t size,
		     int (*compare)(const void *a, const void *b));

#endif
