// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adds up the times of functions; see spans.h.
 *
 * The recorder reads the clock at the entry and at the return of a call, each time in the middle of
 * its own work. Work between the two readings counts for the call, other work for the caller.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "boot/spans.h"

/* Is the call inside another call of its function? */
static bool is_recursion(const struct early_calls *c, const struct early_nesting *n, size_t call)
{
	uint32_t function = c->list[call].function, outer = n->outer[call];

	while (outer != NO_CALL && c->list[outer].function != function)
		outer = n->outer[outer];
	return outer != NO_CALL;
}

static void add_call(const struct early_calls *c, const struct early_nesting *n, size_t i,
		     struct early_function **by_name)
{
	uint64_t took = n->times[i] - c->list[i].time;
	struct early_function *f = by_name[c->list[i].function];

	f->self += took;
	f->jumps += n->jumps[i + 1] - n->jumps[i];
	f->open += c->list[i].end == END_OPEN;
	f->unknown += c->list[i].end == END_UNKNOWN;
	if (n->outer[i] != NO_CALL) {
		struct early_function *outer = by_name[c->list[n->outer[i]].function];

		/* May become negative for a while. Only the final sum counts. */
		outer->self -= took;
		outer->direct++;
	}
	if (!is_recursion(c, n, i)) {
		f->inclusive += took;
		f->outermost++;
		f->inside += n->ends[i] - i - 1;
		f->jumps_inside += n->jumps[n->ends[i]] - n->jumps[i];
	}
}

void early_times__find(const struct early_calls *c, struct early_function *functions, size_t count)
{
	struct early_function **by_name = xcalloc(c->name_count, sizeof(*by_name));
	struct early_nesting n;

	early_calls__nest(c, &n);
	for (size_t i = 0; i < count; i++)
		by_name[functions[i].name] = &functions[i];
	for (size_t i = 0; i < c->count; i++)
		add_call(c, &n, i, by_name);
	/* Calls of an exception inside the recorder overlap with the call being recorded. */
	for (size_t i = 0; i < count; i++) {
		if ((int64_t)functions[i].self < 0)
			functions[i].self = 0;
	}
	early_nesting__free(&n);
	free(by_name);
}

uint64_t early_times__cost_inclusive(const struct early_function *f, const struct early_cost *cost)
{
	return (f->outermost * cost->inside + f->inside * cost->calls + f->jumps_inside * cost->jumps) / 1000;
}

uint64_t early_times__cost_self(const struct early_function *f, const struct early_cost *cost)
{
	return (f->calls * cost->inside + f->direct * (cost->calls - cost->inside) + f->jumps * cost->jumps) / 1000;
}
