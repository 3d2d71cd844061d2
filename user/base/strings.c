// SPDX-License-Identifier: GPL-2.0-only
/*
 * Strings in an obstack of the C library; see strings.h.
 *
 * Equal strings are found by a hash table of json-c, which is used for all look-ups by name in the
 * loader. Of the hash tables in the libraries, only this one grows by itself, frees all its
 * entries, and keeps their order. (hsearch_r() needs the number of entries in advance, tsearch() is
 * a tree, and libbpf's table is internal.)
 */
#include <obstack.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/memory.h"
#include "base/strings.h"

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
