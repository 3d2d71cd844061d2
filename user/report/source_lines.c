// SPDX-License-Identifier: GPL-2.0-only
/* Finds source lines for addresses; see source_lines.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/source_lines.h"

int source_lines__want(struct source_lines *s, const struct image_of *of, uint64_t addr)
{
	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 256;
		struct source_line *more = reallocarray(s->list, room, sizeof(*more));

		if (!more)
			return error__no_memory();
		s->list = more;
		s->room = room;
	}
	s->list[s->count++] = (struct source_line){ .of = of, .addr = addr };
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct source_line *x = a, *y = b;

	if (x->of != y->of)
		return x->of < y->of ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Finds the lines for addresses in one file. */
static int find_in(const struct source_lines *s, struct source_line *list, size_t count)
{
	uint64_t *addrs = calloc(count, sizeof(*addrs));
	struct line_place *places = calloc(count, sizeof(*places));
	int err = addrs && places ? 0 : error__no_memory();

	for (size_t i = 0; !err && i < count; i++)
		addrs[i] = list[i].addr;
	if (!err)
		err = (s->entries ? lines__defined : lines__find)(list[0].of->image, addrs, count, places);
	for (size_t i = 0; !err && i < count; i++)
		list[i].place = places[i];
	free(addrs);
	free(places);
	return err == -ENODATA ? 0 : err;
}

int source_lines__find(struct source_lines *s)
{
	int err = 0;

	if (!s->count)
		return 0;
	qsort(s->list, s->count, sizeof(*s->list), by_place);
	for (size_t first = 0, end; !err && first < s->count; first = end) {
		for (end = first + 1; end < s->count && s->list[end].of == s->list[first].of; end++)
			;
		err = find_in(s, &s->list[first], end - first);
	}
	return err;
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
