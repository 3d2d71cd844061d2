// SPDX-License-Identifier: GPL-2.0-only
/* Functions of the source; see sources.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/sources.h"

/* Marks functions of which the own code was recorded or proved to have run. */
static void mark_own(struct sources *s, const struct edges *e, const struct image_of *of)
{
	size_t count;
	const struct image_function *list = image__functions(of->image, &count);

	for (size_t i = 0; i < count; i++) {
		const struct node *node = &e->nodes[images__number(of, &list[i])];
		uint32_t source = inlines__source_of(s->inlines, &list[i]);

		if (source == INLINES_NONE)
			continue;
		s->counted[source] |= !list[i].untraced && !list[i].init;
		s->marks[source].recorded |= node->seen;
		s->marks[source].proved |= node->inside | node->called;
	}
}

/* Marks all bodies that contain a recorded call; one body may be in another. */
static void mark_bodies(struct sources *s, const struct edges *e, const struct image_of *of)
{
	for (size_t i = 0; i < e->count; i++) {
		const struct edge *edge = &e->list[i];
		const struct inlined *inside;
		size_t count;

		if (edge->of != of || !edge->call.in)
			continue;
		inside = inlines__inside(s->inlines, edge->call.in, &count);
		for (size_t k = 0; k < count && inside[k].start <= edge->call.site; k++) {
			if (edge->call.site < inside[k].end)
				s->marks[inside[k].source].proved |= edge->seen;
		}
	}
}

static void mark_possible(struct sources *s, const struct edges *e, const struct image_of *of)
{
	size_t count;
	const struct image_function *list = image__functions(of->image, &count);

	for (size_t i = 0; i < count; i++) {
		const struct node *node = &e->nodes[images__number(of, edges__whole(of, &list[i]))];
		uint64_t ran = node->seen | node->inside | node->called;
		const struct inlined *inside;
		size_t pieces;

		if (!ran)
			continue;
		inside = inlines__inside(s->inlines, &list[i], &pieces);
		for (size_t k = 0; k < pieces; k++)
			s->marks[inside[k].source].possible |= ran;
	}
}

int sources__make(struct sources *ret, const struct edges *e, const struct image_of *of)
{
	const struct source_function *list;

	memset(ret, 0, sizeof(*ret));
	if (!of->inlines)
		return -ENODATA;
	ret->inlines = of->inlines;
	list = inlines__sources(of->inlines, &ret->count);
	ret->marks = calloc(ret->count + 1, sizeof(*ret->marks));
	ret->counted = calloc(ret->count + 1, sizeof(*ret->counted));
	if (!ret->marks || !ret->counted) {
		sources__free(ret);
		return error__no_memory();
	}
	for (size_t i = 0; i < ret->count; i++)
		ret->counted[i] = list[i].inlined;
	mark_own(ret, e, of);
	mark_bodies(ret, e, of);
	mark_possible(ret, e, of);
	return 0;
}

void sources__free(struct sources *s)
{
	free(s->marks);
	free(s->counted);
	memset(s, 0, sizeof(*s));
}

struct source_marks sources__of(const struct sources *s, const struct image_function *f)
{
	uint32_t source = s->inlines ? inlines__source_of(s->inlines, f) : INLINES_NONE;

	return source == INLINES_NONE ? (struct source_marks){} : s->marks[source];
}

void sources__count(const struct sources *s, size_t document, struct source_totals *t)
{
	uint64_t bit = 1ull << document;

	for (size_t i = 0; i < s->count; i++) {
		const struct source_marks *marks = &s->marks[i];

		if (!s->counted[i])
			continue;
		t->all++;
		if (marks->recorded & bit)
			t->recorded++;
		else if (marks->proved & bit)
			t->proved++;
		else if (marks->possible & bit)
			t->possible++;
	}
}
