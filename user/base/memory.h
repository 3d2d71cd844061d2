/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory and lists for a program that ends: if there is no memory, a message is printed and the program exits, as git's
 * xmalloc() does. So no caller has a path for that. What the program has put into the kernel is removed by its watchdog, if it
 * has one; a command that it has started goes on, and its temporary files stay.
 *
 * The C library's functions are for what must not exit: the watchdog itself (run/guard.c), retiring, and reading events.
 */
#ifndef HYTRACE_BASE_MEMORY_H
#define HYTRACE_BASE_MEMORY_H

#include <stddef.h>
#include <stdio.h>

void memory__fail(void) __attribute__((noreturn));

/* As malloc(), calloc() and reallocarray(), but never NULL, not even for no bytes. */
void *xmalloc(size_t size) __attribute__((malloc));
void *xcalloc(size_t count, size_t size) __attribute__((malloc));
void *xreallocarray(void *list, size_t count, size_t size);

/* As strdup(), strndup() and asprintf(). The copy of NULL is NULL. */
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* As open_memstream(), and the fclose() of its stream, which has no other errors. */
FILE *xopen_memstream(char **text, size_t *size);
void xclose_memstream(FILE *f);

/**
 * LIST_ADD() - add an element to a list
 * @list: a variable with the address of the list, NULL at first; it may be shortened, but its room comes from this macro alone
 * @count: a variable with the number of its elements, of type size_t
 *
 * The room is doubled when the count is a power of two, so it needs not be kept. Pointers to elements change then.
 *
 * Return: the address of the new element, which is zero
 */
#define LIST_ADD(list, count) ({ (list) = list__grow(list, count, sizeof(*(list))); &(list)[(count)++]; })

void *list__grow(void *list, size_t count, size_t size);

#endif
