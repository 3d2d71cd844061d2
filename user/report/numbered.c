// SPDX-License-Identifier: GPL-2.0-only
/* Texts with numbers; see numbered.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/numbered.h"

static void free_key(struct lh_entry *entry)
{
	free(lh_entry_k(entry));
}

int numbered__init(struct numbered *n)
{
	n->index = lh_kchar_table_new(256, free_key);
	return n->index ? 0 : error__no_memory();
}

void numbered__free(struct numbered *n)
{
	if (n->index)
		lh_table_free(n->index);
	free(n->list);
}

long numbered__add(struct numbered *n, const char *text)
{
	struct lh_entry *entry = lh_table_lookup_entry(n->index, text);
	char *copy;

	if (entry)
		return (uintptr_t)lh_entry_v(entry);
	if (n->count == n->room) {
		size_t room = n->room ? 2 * n->room : 64;
		const char **more = reallocarray(n->list, room, sizeof(*more));

		if (!more)
			return error__no_memory();
		n->list = more;
		n->room = room;
	}
	copy = strdup(text);
	if (!copy || lh_table_insert(n->index, copy, (void *)(uintptr_t)n->count)) {
		free(copy);
		return error__no_memory();
	}
	n->list[n->count] = copy;
	return n->count++;
}
