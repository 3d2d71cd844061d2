// SPDX-License-Identifier: GPL-2.0-only
/* Texts with numbers; see numbered.h. */
#include <stdint.h>

#include "base/index.h"
#include "report/numbered.h"

void numbered__init(struct numbered *n)
{
	n->index = index__new(256, index__free_key);
}

void numbered__free(struct numbered *n)
{
	lh_table_free(n->index);
	free(n->list);
}

size_t numbered__add(struct numbered *n, const char *text)
{
	struct lh_entry *entry = lh_table_lookup_entry(n->index, text);
	char *copy;

	if (entry)
		return (uintptr_t)lh_entry_v(entry);
	copy = xstrdup(text);
	index__add(n->index, copy, (void *)(uintptr_t)n->count);
	*LIST_ADD(n->list, n->count) = copy;
	return n->count - 1;
}
