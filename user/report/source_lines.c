// SPDX-License-Identifier: GPL-2.0-only
/* Finds source lines for addresses; see source_lines.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sorted.h"
#include "report/source_lines.h"

void source_lines__want(struct source_lines *s, const struct image_of *of, uint64_t addr)
{
	*LIST_ADD(s->list, s->count) = (struct source_line){ .of = of, .addr = addr };
}

static int by_place(const void *a, const void *b)
{
	const struct source_line *x = a, *y = b;

	return ORDER(x->of, y->of) ?: ORDER(x->addr, y->addr);
}

/* Finds the lines for addresses in one file. */
static void find_in(const struct source_lines *s, struct source_line *list, size_t count)
{
	uint64_t *addrs = xcalloc(count, sizeof(*addrs));
	struct line_place *places = xcalloc(count, sizeof(*places));

	for (size_t i = 0; i < count; i++)
		addrs[i] = list[i].addr;
	/* Without debug information, no place is known. */
	(s->entries ? lines__defined : lines__find)(list[0].of->image, addrs, count, places);
	for (size_t i = 0; i < count; i++)
		list[i].place = places[i];
	free(addrs);
	free(places);
}

void source_lines__find(struct source_lines *s)
{
	if (s->count)
		qsort(s->list, s->count, sizeof(*s->list), by_place);
	for (size_t first = 0, end; first < s->count; first = end) {
		for (end = first + 1; end < s->count && s->list[end].of == s->list[first].of; end++)
			;
		find_in(s, &s->list[first], end - first);
	}
}

const struct line_place *source_lines__get(const struct source_lines *s, const struct image_of *of, uint64_t addr)
{
	struct source_line key = { .of = of, .addr = addr }, *found;

	found = s->count ? bsearch(&key, s->list, s->count, sizeof(key), by_place) : NULL;
	return found && found->place.file ? &found->place : NULL;
}

void source_lines__free(struct source_lines *s)
{
	free(s->list);
}
