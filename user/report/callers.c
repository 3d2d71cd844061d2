// SPDX-License-Identifier: GPL-2.0-only
/* Finds the calls of a function, or to it; see callers.h. */
#include <stdlib.h>

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
	struct answer *answers;
	const struct call *jump;
	size_t count;
	int err;

	err = question__answers(q, number, &answers, &count);
	if (err)
		return err;
	err = source_lines__want(&q->lines, of, f->addr);
	for (size_t i = 0; !err && i < count; i++)
		err = source_lines__want(&q->lines, answers[i].edge->of, answers[i].edge->call.site);
	if (!err && !q->calls && (origins__of(q->edges, number, &jump), jump))
		err = source_lines__want(&q->lines, of, jump->site);
	free(answers);
	return err;
}

int question__find_lines(struct question *q)
{
	int err = 0;

	for (size_t i = 0; !err && i < q->count; i++)
		err = want_lines_of(q, q->functions[i]);
	return err ? err : source_lines__find(&q->lines);
}
