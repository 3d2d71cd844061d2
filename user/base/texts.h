/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares texts of which each may be NULL. */
#ifndef HYTRACE_BASE_TEXTS_H
#define HYTRACE_BASE_TEXTS_H

#include <stdbool.h>
#include <string.h>

/* For sorting: NULL is before all texts. */
static inline int text__compare(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !!a - !!b;
}

/* NULL means that there is none, so NULL equals NULL. */
static inline bool text__equals(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* NULL means unknown: are @a and @b known to be equal? */
static inline bool text__is_known_equal(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* NULL means unknown: are @a and @b known to differ? */
static inline bool text__is_known_other(const char *a, const char *b)
{
	return a && b && strcmp(a, b);
}

#endif
