// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory, lists, strings and counters for a program that ends; see memory.h.
 *
 * Equal strings are found by a hash table of json-c, which is used for all look-ups by name in the
 * loader. Of the hash tables in the libraries, only this one grows by itself, frees all its
 * entries, and keeps their order. (hsearch_r() needs the number of entries in advance, tsearch() is
 * a tree, and libbpf's table is internal.)
 */
#include <argp.h>
#include <obstack.h>
#include <stdarg.h>

#include "base/error.h"
#include "base/index.h"
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

/* ---- strings, in an obstack of the C library */

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

#define BLOCK_SIZE (256 * 1024)
/* The initial size of the table of shared strings. */
#define SHARED_AT_FIRST 64

struct strings {
	struct obstack text;
	struct lh_table *shared;
};

struct strings *strings__new(void)
{
	struct strings *s = xcalloc(1, sizeof(*s));

	obstack_alloc_failed_handler = memory__fail;
	obstack_begin(&s->text, BLOCK_SIZE);
	/* Text needs no alignment. */
	obstack_alignment_mask(&s->text) = 0;
	s->shared = index__new(SHARED_AT_FIRST, NULL);
	return s;
}

void strings__free(struct strings *s)
{
	if (!s)
		return;
	lh_table_free(s->shared);
	obstack_free(&s->text, NULL);
	free(s);
}

const char *strings__add(struct strings *s, const char *text)
{
	return obstack_copy0(&s->text, text, strlen(text));
}

const char *strings__intern(struct strings *s, const char *text)
{
	struct lh_entry *entry = lh_table_lookup_entry(s->shared, text);
	const char *copy;

	if (entry)
		return lh_entry_k(entry);
	copy = strings__add(s, text);
	index__add(s->shared, copy, NULL);
	return copy;
}

/* ---- counters */

void counters__add(struct counters *counters, const char *name, uint64_t value)
{
	*LIST_ADD(counters->list, counters->count) = (struct counter){ name, value };
}

void counter__raise(struct counter *c, uint64_t by)
{
	c->value = by > UINT64_MAX - c->value ? UINT64_MAX : c->value + by;
}

struct counter *counters__find(const struct counters *counters, const char *name)
{
	for (size_t i = 0; i < counters->count; i++) {
		if (!strcmp(counters->list[i].name, name))
			return &counters->list[i];
	}
	return NULL;
}

uint64_t counters__get(const struct counters *counters, const char *name)
{
	const struct counter *c = counters__find(counters, name);

	return c ? c->value : 0;
}

uint64_t counters__sum(const struct counters *counters)
{
	struct counter sum = {};

	for (size_t i = 0; i < counters->count; i++)
		counter__raise(&sum, counters->list[i].value);
	return sum.value;
}

void counters__free(struct counters *counters)
{
	free(counters->list);
	memset(counters, 0, sizeof(*counters));
}
