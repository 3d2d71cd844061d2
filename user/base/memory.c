// SPDX-License-Identifier: GPL-2.0-only
/* Memory and lists for a program that ends; see memory.h. */
#include <argp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* If the user gave a command, main.c has set argp_err_exit_status to EXIT_SELF. */
void memory__fail(void)
{
	exit(error__status(error__no_memory(), argp_err_exit_status == EXIT_SELF));
}

static void *check(void *memory)
{
	if (!memory)
		memory__fail();
	return memory;
}

void *xmalloc(size_t size)
{
	return check(malloc(size ?: 1));
}

void *xcalloc(size_t count, size_t size)
{
	return check(calloc(count ?: 1, size ?: 1));
}

void *xreallocarray(void *list, size_t count, size_t size)
{
	return check(reallocarray(list, count ?: 1, size ?: 1));
}

char *xstrdup(const char *text)
{
	return text ? check(strdup(text)) : NULL;
}

char *xstrndup(const char *text, size_t length)
{
	return text ? check(strndup(text, length)) : NULL;
}

char *xasprintf(const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		memory__fail();
	va_end(args);
	return text;
}

FILE *xopen_memstream(char **text, size_t *size)
{
	return check(open_memstream(text, size));
}

void xclose_memstream(FILE *f)
{
	if (fclose(f))
		memory__fail();
}

void *list__grow(void *list, size_t count, size_t size)
{
	if (!(count & (count - 1)))
		list = xreallocarray(list, count ? 2 * count : 1, size);
	memset((char *)list + count * size, 0, size);
	return list;
}
