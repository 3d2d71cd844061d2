// SPDX-License-Identifier: GPL-2.0-only
/* Finds direct calls and their lines; see source_calls.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sorted.h"
#include "report/source_calls.h"
#include "report/source_lines.h"

struct finding {
	struct source_calls *calls;
	const struct universe *universe;
	const struct function *in;
};

/* A jump at the end of a function has no return address, so nothing records whether it was made. */
static void add_call(const struct call *call, void *data)
{
	struct finding *f = data;
	const struct function *callee;

	if (call->kind != CALL_DIRECT || call->jump || !call->callee)
		return;
	callee = universe__at(f->universe, NULL, call->callee->addr);
	if (callee)
		*LIST_ADD(f->calls->list, f->calls->count) = (struct source_call){
			.returns_to = call->returns_to, .in = f->in, .callee = callee,
		};
}

static int by_address(const void *a, const void *b)
{
	const struct source_call *x = a, *y = b;

	return ORDER(x->returns_to, y->returns_to);
}

static void find_calls(struct finding *f, const struct image_of *of)
{
	const struct image_function *list;
	size_t count;

	list = image__functions(of->image, &count);
	for (size_t i = 0; i < count; i++) {
		f->in = universe__at(f->universe, NULL, list[i].addr);
		if (f->in)
			calls__of(of->calls, &list[i], add_call, f);
	}
	if (f->calls->count)
		qsort(f->calls->list, f->calls->count, sizeof(*f->calls->list), by_address);
}

static void find_lines(struct source_calls *c, const struct image_of *of)
{
	struct source_lines lines = {};
	size_t kept = 0;

	/* The return address may be of another line, so take the last byte of the call. */
	for (size_t i = 0; i < c->count; i++)
		source_lines__want(&lines, of, c->list[i].returns_to - 1);
	source_lines__find(&lines);
	for (size_t i = 0; i < c->count; i++) {
		const struct line_place *place = source_lines__get(&lines, of, c->list[i].returns_to - 1);

		if (!place || !place->line)
			continue;
		c->list[kept] = c->list[i];
		c->list[kept].file = place->file;
		c->list[kept++].line = place->line;
	}
	c->count = kept;
	source_lines__free(&lines);
}

void source_calls__read(struct source_calls *ret, const struct image_of *of, const struct universe *u)
{
	struct finding f = { .calls = ret, .universe = u };

	memset(ret, 0, sizeof(*ret));
	find_calls(&f, of);
	find_lines(ret, of);
}

void source_calls__free(struct source_calls *c)
{
	free(c->list);
	memset(c, 0, sizeof(*c));
}
