// SPDX-License-Identifier: GPL-2.0-only
/* Direct calls by line; see source_calls.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "image/lines.h"
#include "report/source_calls.h"

struct finding {
	struct source_calls *calls;
	const struct universe *universe;
	const struct function *in;
	size_t room;
};

/* A jump at the end of a function has no return address, so nothing records whether it was made. */
static int add_call(const struct call *call, void *data)
{
	struct finding *f = data;
	struct source_calls *calls = f->calls;
	const struct function *callee;

	if (call->kind != CALL_DIRECT || call->jump || !call->callee)
		return 0;
	callee = universe__at(f->universe, NULL, call->callee->addr);
	if (!callee)
		return 0;
	if (calls->count == f->room) {
		size_t room = f->room ? 2 * f->room : 65536;
		struct source_call *more = reallocarray(calls->list, room, sizeof(*more));

		if (!more)
			return error__no_memory();
		calls->list = more;
		f->room = room;
	}
	calls->list[calls->count++] = (struct source_call){
		.returns_to = call->returns_to, .in = f->in, .callee = callee,
	};
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct source_call *x = a, *y = b;

	return x->returns_to < y->returns_to ? -1 : x->returns_to > y->returns_to;
}

static int find_calls(struct finding *f, const struct image_of *of)
{
	const struct image_function *list;
	size_t count;
	int err = 0;

	list = image__functions(of->image, &count);
	for (size_t i = 0; !err && i < count; i++) {
		f->in = universe__at(f->universe, NULL, list[i].addr);
		if (f->in)
			err = calls__of(of->calls, &list[i], add_call, f);
	}
	if (f->calls->count)
		qsort(f->calls->list, f->calls->count, sizeof(*f->calls->list), by_address);
	return err;
}

static int find_lines(struct source_calls *c, const struct image *image)
{
	struct line_place *places = calloc(c->count + 1, sizeof(*places));
	uint64_t *addrs = calloc(c->count + 1, sizeof(*addrs));
	size_t kept = 0;
	int err = places && addrs ? 0 : error__no_memory();

	/* The address after a call may be of another line. */
	for (size_t i = 0; !err && i < c->count; i++)
		addrs[i] = c->list[i].returns_to - 1;
	if (!err)
		err = lines__find(image, addrs, c->count, places);
	for (size_t i = 0; !err && i < c->count; i++) {
		if (!places[i].file || !places[i].line)
			continue;
		c->list[kept] = c->list[i];
		c->list[kept].file = places[i].file;
		c->list[kept++].line = places[i].line;
	}
	c->count = err ? 0 : kept;
	free(places);
	free(addrs);
	return err;
}

int source_calls__read(struct source_calls *ret, const struct image_of *of, const struct universe *u)
{
	struct finding f = { .calls = ret, .universe = u };
	int err;

	memset(ret, 0, sizeof(*ret));
	err = find_calls(&f, of);
	return err ? err : find_lines(ret, of->image);
}

void source_calls__free(struct source_calls *c)
{
	free(c->list);
	memset(c, 0, sizeof(*c));
}
