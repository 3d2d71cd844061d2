// SPDX-License-Identifier: GPL-2.0-only
/* Finds the calls of a function, or to it; see callers.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/callers.h"
#include "report/origins.h"

int question__answers(const struct question *q, size_t number, struct answer **ret, size_t *ret_count)
{
	const struct edges *e = q->edges;
	const struct edge *from = NULL;
	const size_t *to = NULL;
	size_t count;

	if (q->calls)
		from = edges__from(e, number, &count);
	else
		to = edges__to(e, number, &count);
	*ret = calloc(count + 1, sizeof(**ret));
	if (!*ret)
		return error__no_memory();
	for (size_t i = 0; i < count; i++) {
		const struct edge *edge = q->calls ? &from[i] : &e->list[to[i]];
		size_t other = q->calls ? edge->to : edge->from;
		struct answer answer = { .edge = edge };

		if (other != EDGES_NONE)
			answer.other = images__function(e->images, other, &answer.of);
		(*ret)[i] = answer;
	}
	*ret_count = count;
	return 0;
}

static int add_possible(const struct question *q, size_t number, const struct image_of *of, const struct call *call,
			struct possible **list, size_t *count)
{
	size_t from = images__number(of, edges__whole(of, call->in));
	const struct node *node = &q->edges->nodes[from];
	struct possible *more;

	/* A function that calls itself has been entered before. */
	if (from == number)
		return 0;
	/* Grows by powers of two. */
	if (!(*count & (*count - 1))) {
		more = reallocarray(*list, *count ? 2 * *count : 1, sizeof(**list));
		if (!more)
			return error__no_memory();
		*list = more;
	}
	(*list)[(*count)++] = (struct possible){ .of = of, .call = call, .from = from,
						 .ran = node->seen | node->inside | node->called };
	return 0;
}

/* Calls of an exported function in the other files of the kernel, which have its name. */
static int add_outer(const struct question *q, size_t number, const struct image_of *inner,
		     const struct image_function *f, struct possible **list, size_t *count)
{
	const struct images *images = q->edges->images;
	int err = 0;

	for (size_t i = 0; f->exported && i < images->count; i++) {
		const struct image_of *of = &images->list[i];
		const struct call *ways;
		size_t all;

		if (of == inner || !of->references)
			continue;
		ways = references__ways(of->references, NULL, &all);
		for (size_t k = 0; !err && k < all; k++) {
			if (ways[k].name && !strcmp(ways[k].name, f->name))
				err = add_possible(q, number, of, &ways[k], list, count);
		}
	}
	return err;
}

int question__possible(const struct question *q, size_t number, struct possible **ret, size_t *ret_count)
{
	const struct image_of *of;
	const struct image_function *f = images__function(q->edges->images, number, &of);
	const struct call *ways;
	size_t all;
	int err = 0;

	*ret = NULL;
	*ret_count = 0;
	if (q->calls || edges__ran(q->edges, number) || !of->references)
		return 0;
	ways = references__ways(of->references, f, &all);
	for (size_t i = 0; !err && i < all; i++)
		err = add_possible(q, number, of, &ways[i], ret, ret_count);
	return err ? err : add_outer(q, number, of, f, ret, ret_count);
}

struct counting {
	const struct images *images;
	size_t count;
};

static int count_call(const struct call *call, void *data)
{
	struct counting *counting = data;

	counting->count += !call->jump && call->kind == CALL_DIRECT && call->callee &&
			   call->callee->untraced == UNTRACED_NOT;
	return 0;
}

size_t question__traceable_calls(const struct question *q, size_t number)
{
	struct counting counting = { .images = q->edges->images };
	const struct image_of *of;
	const struct image_function *f = images__function(q->edges->images, number, &of);

	calls__of(of->calls, f, count_call, &counting);
	return counting.count;
}

static int want_lines_of(struct question *q, size_t number)
{
	const struct image_of *of;
	const struct image_function *f = images__function(q->edges->images, number, &of);
	struct possible *possible;
	struct answer *answers;
	const struct call *jump;
	size_t count, all;
	int err;

	err = question__answers(q, number, &answers, &count);
	if (err)
		return err;
	err = question__possible(q, number, &possible, &all);
	for (size_t i = 0; !err && i < all; i++)
		err = source_lines__want(&q->lines, possible[i].of, possible[i].call->returns_to - 1);
	if (!err)
		err = source_lines__want(&q->heads, of, f->addr);
	for (size_t i = 0; !err && i < count; i++)
		err = source_lines__want(&q->lines, answers[i].edge->of, answers[i].edge->call.returns_to - 1);
	if (!err && !q->calls && (origins__of(q->edges, number, &jump), jump))
		err = source_lines__want(&q->lines, of, jump->returns_to - 1);
	free(possible);
	free(answers);
	return err;
}

int question__find_lines(struct question *q)
{
	int err = 0;

	q->heads.entries = true;
	for (size_t i = 0; !err && i < q->count; i++)
		err = want_lines_of(q, q->functions[i]);
	if (!err)
		err = source_lines__find(&q->heads);
	return err ? err : source_lines__find(&q->lines);
}
