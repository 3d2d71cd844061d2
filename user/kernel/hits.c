// SPDX-License-Identifier: GPL-2.0-only
/* A list of hits, each address once; see hits.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/texts.h"
#include "kernel/hits.h"

void hits__init(struct hits *h)
{
	memset(h, 0, sizeof(*h));
	h->names = strings__new();
}

void hits__free(struct hits *h)
{
	free(h->list);
	strings__free(h->names);
	memset(h, 0, sizeof(*h));
}

void hits__add(struct hits *h, const struct hit *hit)
{
	*LIST_ADD(h->list, h->count) = *hit;
}

const char *hits__name(struct hits *h, const char *name)
{
	return name ? strings__add(h->names, name) : NULL;
}

static int by_place(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;
	int modules = text__compare(x->module, y->module);

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (modules)
		return modules;
	if (x->module)
		return x->offset < y->offset ? -1 : x->offset > y->offset;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int by_time(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	/* The two hits of a call have one time. The function comes first, as in the kernel. */
	return by_place(a, b);
}

void hits__settle(struct hits *h)
{
	size_t kept = 0;

	if (!h->count)
		return;
	qsort(h->list, h->count, sizeof(*h->list), by_place);
	for (size_t i = 1; i < h->count; i++) {
		if (by_place(&h->list[kept], &h->list[i]))
			h->list[++kept] = h->list[i];
		else if (h->list[i].first_ns < h->list[kept].first_ns)
			h->list[kept] = h->list[i];
	}
	h->count = kept + 1;
	hits__order(h);
}

void hits__order(struct hits *h)
{
	if (h->count)
		qsort(h->list, h->count, sizeof(*h->list), by_time);
}

size_t hits__count(const struct hits *h, enum hit_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < h->count; i++)
		count += h->list[i].kind == kind;
	return count;
}
