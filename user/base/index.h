/* SPDX-License-Identifier: GPL-2.0-only */
/* Hash tables of json-c. They can fail only for lack of memory, and then the program ends (base/memory.h). */
#ifndef HYTRACE_BASE_INDEX_H
#define HYTRACE_BASE_INDEX_H

#include <json-c/linkhash.h>

#include "base/memory.h"

static inline void index__free_key(struct lh_entry *entry)
{
	free(lh_entry_k(entry));
}

/* @free_entry: index__free_key() if the table owns its keys; or NULL */
static inline struct lh_table *index__new(int size, lh_entry_free_fn *free_entry)
{
	return lh_kchar_table_new(size, free_entry) ?: (memory__fail(), NULL);
}

/* As index__new(), with addresses as keys. */
static inline struct lh_table *index__of_addresses(int size)
{
	return lh_kptr_table_new(size, NULL) ?: (memory__fail(), NULL);
}

static inline void index__add(struct lh_table *index, const void *key, const void *value)
{
	if (lh_table_insert(index, key, value))
		memory__fail();
}

#endif
