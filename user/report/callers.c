// SPDX-License-Identifier: GPL-2.0-only
/* Finds the callers and the callees of a function; see callers.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/callers.h"
#include "report/origins.h"

struct callers_answer *question__answers(const struct question *q, size_t number, size_t *ret_count)
{
	const struct edges *e = q->edges;
	const struct edge *from = NULL;
	const size_t *to = NULL;
	struct callers_answer *list;
	size_t count;

	if (q->calls)
		from = edges__from(e, number, &count);
	else
		to = edges__to(e, number, &count);
	list = xcalloc(count, sizeof(*list));
	for (size_t i = 0; i < count; i++) {
		const struct edge *edge = q->calls ? &from[i] : &e->list[to[i]];
		size_t other = q->calls ? edge->to : edge->from;
		struct callers_answer answer = { .edge = edge };

		if (other != EDGES_NONE)
			answer.other = images__function(e->images, other, &answer.of);
		list[i] = answer;
	}
	*ret_count = count;
	return list;
}

static void add_possible(const struct question *q, size_t number, const struct image_of *of, const struct call *call,
			 struct possible **list, size_t *count)
{
	size_t from = images__number(of, edges__whole(of, call->in));
	const struct node *node = &q->edges->nodes[from];

	/* A recursive call cannot be the one that entered the function first. */
	if (from != number)
		*LIST_ADD(*list, *count) = (struct possible){ .of = of, .call = call, .from = from,
							      .ran = node->seen | node->inside | node->called };
}

/* Adds calls from other images to an exported function. Their instructions only have its name. */
static void add_outer(const struct question *q, size_t number, const struct image_of *inner,
		      const struct image_function *f, struct possible **list, size_t *count)
{
	const struct images *images = q->edges->images;

	for (size_t i = 0; f->exported && i < images->count; i++) {
		const struct image_of *of = &images->list[i];
		const struct call *ways;
		size_t all;

		if (of == inner || !of->references)
			continue;
		ways = references__ways(of->references, NULL, &all);
		for (size_t k = 0; k < all; k++) {
			if (ways[k].name && !strcmp(ways[k].name, f->name))
				add_possible(q, number, of, &ways[k], list, count);
		}
	}
}

struct possible *question__possible(const struct question *q, size_t number, size_t *ret_count)
{
	const struct image_of *of;
	const struct image_function *f = images__function(q->edges->images, number, &of);
	struct possible *list = NULL;
	const struct call *ways;
	size_t all;

	*ret_count = 0;
	if (q->calls || edges__ran(q->edges, number) || !of->references)
		return NULL;
	ways = references__ways(of->references, f, &all);
	for (size_t i = 0; i < all; i++)
		add_possible(q, number, of, &ways[i], &list, ret_count);
	add_outer(q, number, of, f, &list, ret_count);
	return list;
}

struct counting {
	const struct images *images;
	size_t count;
};

static void count_call(const struct call *call, void *data)
{
	struct counting *counting = data;

	counting->count += !call->jump && call->kind == CALL_DIRECT && call->callee &&
			   call->callee->untraced == UNTRACED_NOT;
}

size_t question__traceable_calls(const struct question *q, size_t number)
{
	struct counting counting = { .images = q->edges->images };
	const struct image_of *of;
	const struct image_function *f = images__function(q->edges->images, number, &of);

	calls__of(of->calls, f, count_call, &counting);
	return counting.count;
}

static void want_lines_of(struct question *q, size_t number)
{
	const struct image_of *of;
	const struct image_function *f = images__function(q->edges->images, number, &of);
	const struct call *jump;
	size_t count, all;
	struct callers_answer *answers = question__answers(q, number, &count);
	struct possible *possible = question__possible(q, number, &all);

	for (size_t i = 0; i < all; i++)
		source_lines__want(&q->lines, possible[i].of, possible[i].call->returns_to - 1);
	source_lines__want(&q->heads, of, f->addr);
	for (size_t i = 0; i < count; i++)
		source_lines__want(&q->lines, answers[i].edge->of, answers[i].edge->call.returns_to - 1);
	if (!q->calls && (origins__of(q->edges, number, &jump), jump))
		source_lines__want(&q->lines, of, jump->returns_to - 1);
	free(possible);
	free(answers);
}

void question__find_lines(struct question *q)
{
	q->heads.entries = true;
	for (size_t i = 0; i < q->count; i++)
		want_lines_of(q, q->functions[i]);
	source_lines__find(&q->heads);
	source_lines__find(&q->lines);
}
