// SPDX-License-Identifier: GPL-2.0-only
/* Stores and counts the calls of the early boot; see calls.h. */
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/memory.h"
#include "boot/calls.h"

/* A boot calls about 600 functions before ftrace is ready. The table grows by itself. */
#define NAMES_AT_FIRST 4096

/* ---- the calls */

void early_calls__init(struct early_calls *c)
{
	memset(c, 0, sizeof(*c));
	c->ftrace_init = SIZE_MAX;
	c->store = strings__new();
	c->ids = index__new(NAMES_AT_FIRST, NULL);
}

void early_calls__free(struct early_calls *c)
{
	free(c->list);
	free(c->holes);
	free(c->names);
	if (c->ids)
		lh_table_free(c->ids);
	strings__free(c->store);
	memset(c, 0, sizeof(*c));
}

uint32_t early_calls__find(const struct early_calls *c, const char *name)
{
	struct lh_entry *entry = lh_table_lookup_entry(c->ids, name);

	return entry ? (uintptr_t)lh_entry_v(entry) : NO_NAME;
}

uint32_t early_calls__intern(struct early_calls *c, const char *name)
{
	uint32_t id = early_calls__find(c, name);

	if (id != NO_NAME)
		return id;
	id = c->name_count;
	name = strings__add(c->store, name);
	*LIST_ADD(c->names, c->name_count) = name;
	index__add(c->ids, name, (void *)(uintptr_t)id);
	return id;
}

void early_calls__add(struct early_calls *c, uint64_t time, uint32_t function, uint32_t parent)
{
	*LIST_ADD(c->list, c->count) = (struct early_call){ time, END_UNKNOWN, function, parent, false };
	if (time > c->until)
		c->until = time;
}

void early_calls__set_end(struct early_calls *c, uint64_t end, bool rounded)
{
	struct early_call *last = &c->list[c->count - 1];

	c->timed = true;
	last->end = end;
	last->rounded = rounded;
	if (end == END_OPEN)
		c->open++;
	else if (end == END_UNKNOWN)
		c->unknown++;
	else if (end > c->until)
		c->until = end;
}

void early_calls__add_hole(struct early_calls *c, size_t before, uint64_t lost)
{
	if (c->hole_count && c->holes[c->hole_count - 1].before == before)
		c->holes[c->hole_count - 1].lost += lost;
	else
		*LIST_ADD(c->holes, c->hole_count) = (struct early_hole){ before, lost };
}

bool early_calls__behind_hole(const struct early_calls *c, size_t index)
{
	for (size_t i = 0; i < c->hole_count; i++) {
		if (c->holes[i].before == index)
			return true;
	}
	return false;
}

uint64_t early_calls__end_time(const struct early_calls *c, size_t end)
{
	return c->list[end < c->count && !early_calls__behind_hole(c, end) ? end : end - 1].time;
}

void early_calls__mark_ftrace(struct early_calls *c, size_t index)
{
	/* 0 means that the kernel does not know the index. */
	if (!index || index >= c->count)
		return;
	/* The phase of this function needs the name, which may not occur in any call. */
	early_calls__intern(c, FTRACE_FUNCTION);
	c->ftrace_init = index;
}

size_t early_calls__functions(const struct early_calls *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		count += c->list[i].function != NO_NAME;
	return count;
}

size_t early_calls__callers(const struct early_calls *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		count += c->list[i].parent != NO_NAME;
	return count;
}

/* ---- functions */

static int by_calls(const void *a, const void *b)
{
	const struct early_function *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

struct early_function *early_calls__by_calls(const struct early_calls *c, size_t *ret_count)
{
	struct early_function *list = xcalloc(c->name_count, sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++) {
		struct early_function *f;

		if (c->list[i].function == NO_NAME)
			continue;
		f = &list[c->list[i].function];
		if (!f->calls++) {
			f->first = c->list[i].time;
			f->timeless = i < c->timeless;
		}
	}
	/* Removes functions that were only callers. */
	for (size_t i = 0; i < c->name_count; i++) {
		if (!list[i].calls)
			continue;
		list[count] = list[i];
		list[count++].name = i;
	}
	qsort(list, count, sizeof(*list), by_calls);
	*ret_count = count;
	return list;
}
