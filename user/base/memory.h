/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory and lists for programs that may exit: if memory is lacking, they print a message and exit,
 * as git's xmalloc() does. So callers need no error paths. The watchdog, if any, removes what was
 * put into the kernel; the program's command goes on, and its temporary files stay.
 *
 * Code that must not exit uses the functions of the C library: the watchdog itself (run/guard.c),
 * retiring, and reading events.
 */
#ifndef HYTRACE_BASE_MEMORY_H
#define HYTRACE_BASE_MEMORY_H

#include <stddef.h>
#include <stdio.h>

void memory__fail(void) __attribute__((noreturn));

/* As malloc(), calloc() and reallocarray(), but never return NULL, not even for a size of 0. */
void *xmalloc(size_t size) __attribute__((malloc));
void *xcalloc(size_t count, size_t size) __attribute__((malloc));
void *xreallocarray(void *list, size_t count, size_t size);

/* As strdup(), strndup() and asprintf(). The copy of NULL is NULL. */
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* As open_memstream(), and as fclose() for its stream. Other errors than lack of memory cannot occur. */
FILE *xopen_memstream(char **text, size_t *size);
void xclose_memstream(FILE *f);

/**
 * LIST_ADD() - add an element to a list
 * @list: a variable with the address of the list, NULL at first; it may be shortened, but only this macro allocates it
 * @count: a variable with the number of its elements, of type size_t
 *
 * The room is doubled when the count is a power of two, so it is not stored. Then pointers to elements become invalid.
 *
 * Return: the address of the new element, which is zero
 */
#define LIST_ADD(list, count) ({ (list) = list__grow(list, count, sizeof(*(list))); &(list)[(count)++]; })

void *list__grow(void *list, size_t count, size_t size);

#endif
