// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locates the functions of ftrace's list if it has no addresses (before Linux 6.5). The list has
 * names in order of address: first the kernel's, then each module's. Several symbols may have one
 * name. But the order tells more: a name that only one symbol has is located by that symbol, and a
 * name between two such names can only mean a symbol between their symbols. If a name has as many
 * lines there as symbols, the lines are located. If it has more symbols, nothing says which of them
 * can be traced, and the lines are left out.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sorted.h"
#include "base/texts.h"
#include "kernel/traceable_names.h"

/* The symbols in order of module and name; those with the same name are in order of address. */
struct index {
	const struct symbol **list;
	size_t count;
};

static int by_name(const void *a, const void *b)
{
	const struct symbol *x = *(const struct symbol *const *)a, *y = *(const struct symbol *const *)b;
	int order = text__compare(x->module, y->module);

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void make_index(struct index *index, const struct symbols *symbols)
{
	index->count = symbols__count(symbols);
	index->list = xcalloc(index->count, sizeof(*index->list));
	for (size_t i = 0; i < index->count; i++)
		index->list[i] = symbols__at(symbols, i);
	qsort(index->list, index->count, sizeof(*index->list), by_name);
}

/*
 * The symbols that a line can mean, with addresses above @low and below @high: returns their
 * number, and the first one.
 */
static size_t candidates(const struct index *index, const struct traceable_name *n, uint64_t low,
			 uint64_t high, size_t *ret_first)
{
	const struct symbol key = { .addr = low + 1, .name = n->name, .module = n->module };
	const struct symbol *wanted = &key;
	size_t same, end;

	*ret_first = sorted__equals(index->list, index->count, sizeof(*index->list), &wanted, by_name, &same);
	for (end = *ret_first; end < index->count; end++) {
		const struct symbol *sym = index->list[end];

		if (sym->addr >= high || strcmp(sym->name, n->name) || !text__equals(sym->module, n->module))
			break;
	}
	return end - *ret_first;
}

static bool same_module(const struct traceable_name *a, const struct traceable_name *b)
{
	return text__equals(a->module, b->module);
}

/*
 * Locates list[first..end-1], the lines between two located lines, or between one and the end of
 * its module.
 */
static void locate_between(const struct index *index, struct traceable_name *list, size_t first, size_t end,
			   uint64_t low, uint64_t high)
{
	for (size_t i = first; i < end; i++) {
		size_t same = 0, before = 0, at;

		for (size_t j = first; j < end; j++) {
			if (strcmp(list[j].name, list[i].name))
				continue;
			same++;
			before += j < i;
		}
		if (candidates(index, &list[i], low, high, &at) == same)
			list[i].addr = index->list[at + before]->addr;
	}
}

void traceable_names__locate(struct traceable_name *list, size_t count, const struct symbols *symbols)
{
	struct index index;
	size_t first = 0, at;
	uint64_t low = 0, last = 0;

	make_index(&index, symbols);
	for (size_t i = 0; i < count; i++) {
		if (candidates(&index, &list[i], 0, UINT64_MAX, &at) == 1)
			list[i].addr = index.list[at]->addr;
		/* Lines are in order of address: a symbol at or before @last is not meant. */
		if (i && same_module(&list[i], &list[i - 1]) && list[i].addr && list[i].addr <= last)
			list[i].addr = 0;
		if (list[i].addr || (i && !same_module(&list[i], &list[i - 1])))
			last = list[i].addr;
	}
	for (size_t i = 0; i <= count; i++) {
		bool new_module = i == count || (i && !same_module(&list[i], &list[i - 1]));

		if (new_module) {
			locate_between(&index, list, first, i, low, UINT64_MAX);
			first = i;
			low = 0;
		}
		if (i < count && list[i].addr) {
			locate_between(&index, list, first, i, low, list[i].addr);
			first = i + 1;
			low = list[i].addr;
		}
	}
	free(index.list);
}
