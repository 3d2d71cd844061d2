// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds how calls nest; see spans.h.
 *
 * A call has its function and its caller, but nothing says when it returns. So this keeps a stack
 * of running functions. A call by p ends all functions that p had called before, and all that run
 * inside them; then p is on top, and the new function goes above it. The span of a function lasts
 * as long as it is on the stack, which is until the next call that does not come from inside it. So
 * its time may be too long, by what its caller does itself, but never too short.
 *
 *  - A function that calls itself: its next calls are taken for calls of the inner one, which may have returned. Then the
 *    time of the inner one is too long, by the calls of the outer one.
 *  - A tail call: f has called g, which jumps to h. h returns to f, so it ends g, whose frame is indeed gone, and takes
 *    its place.
 *  - Lost calls: all functions on the stack end with the last call before. It is not known which of them still run after
 *    the lost calls.
 *  - An inlined caller does not show; kallsyms gives the function into which it was inlined.
 *  - A caller that is not on the stack, because it cannot be traced (assembly: exceptions; notrace), or because of a
 *    filter. The function that it interrupts, or that has called it, is unknown; it is only known to be running. If a
 *    function on the stack calls something later, before it is itself called again, it has not returned. Functions on
 *    top of the stack that do not are removed, and the new function is put on the rest. So an exception only ends
 *    functions that call nothing any more. And if a filter leaves callers out, functions that returned long ago do not
 *    stay on the stack.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "boot/spans.h"

struct stack {
	uint32_t *calls;		/* indices */
	size_t depth;
	uint32_t *running;		/* how often each function is on the stack */
	const struct early_calls *all;
	uint32_t *ends;			/* for each call, an index */
};

static uint32_t top_function(const struct stack *s)
{
	return s->all->list[s->calls[s->depth - 1]].function;
}

static void push(struct stack *s, size_t call)
{
	s->calls[s->depth++] = call;
	s->running[s->all->list[call].function]++;
}

static void pop(struct stack *s, size_t now)
{
	s->running[top_function(s)]--;
	s->ends[s->calls[--s->depth]] = now;
}

static void pop_all(struct stack *s, size_t now)
{
	while (s->depth)
		pop(s, now);
}

/* For each call, the index of the last call from inside it; its own if there is none. */
static int find_last_uses(const struct early_calls *c, uint32_t *last)
{
	uint32_t *uses = calloc(c->name_count + 1, sizeof(*uses));

	if (!uses)
		return error__no_memory();
	/* 0 is never the index of a call from inside another one. */
	for (size_t i = c->count; i > 0; i--) {
		const struct early_call *call = &c->list[i - 1];

		/*
		 * After a hole, a function may have been called again, so it does not count as used
		 * before.
		 */
		if (early_calls__behind_hole(c, i))
			memset(uses, 0, c->name_count * sizeof(*uses));
		last[i - 1] = uses[call->function] ? uses[call->function] : i - 1;
		uses[call->function] = 0;
		if (!uses[call->parent])
			uses[call->parent] = i - 1;
	}
	free(uses);
	return 0;
}

static void nest(struct stack *s, const uint32_t *last)
{
	const struct early_call *list = s->all->list;
	size_t count = s->all->count;

	for (size_t i = 0; i < count; i++) {
		if (early_calls__behind_hole(s->all, i))
			pop_all(s, i);
		if (s->running[list[i].parent]) {
			while (top_function(s) != list[i].parent)
				pop(s, i);
		} else {
			while (s->depth && last[s->calls[s->depth - 1]] < i)
				pop(s, i);
		}
		push(s, i);
	}
	pop_all(s, count);
}

static int by_length(const void *a, const void *b)
{
	const struct early_span *x = a, *y = b;
	uint64_t length = x->end - x->start, other = y->end - y->start;

	if (length != other)
		return length > other ? -1 : 1;
	return x->call < y->call ? -1 : x->call > y->call;
}

static int by_call(const void *a, const void *b)
{
	const struct early_span *x = a, *y = b;

	return x->call < y->call ? -1 : x->call > y->call;
}

static struct early_span *make_spans(const struct early_calls *c, const uint32_t *ends)
{
	struct early_span *list = calloc(c->count + 1, sizeof(*list));

	for (size_t i = 0; list && i < c->count; i++)
		list[i] = (struct early_span){ i, c->list[i].time,
					       early_calls__end_time(c, ends[i]) };
	return list;
}

int early_calls__ends(const struct early_calls *c, uint32_t **ret)
{
	struct stack s = { .all = c };
	uint32_t *last;
	int err = -ENOMEM;

	s.calls = calloc(c->count + 1, sizeof(*s.calls));
	s.running = calloc(c->name_count + 1, sizeof(*s.running));
	s.ends = calloc(c->count + 1, sizeof(*s.ends));
	last = calloc(c->count + 1, sizeof(*last));
	if (!s.calls || !s.running || !s.ends || !last) {
		error__no_memory();
		goto cleanup;
	}
	err = find_last_uses(c, last);
	if (err)
		goto cleanup;
	nest(&s, last);
	*ret = s.ends;
	s.ends = NULL;
cleanup:
	free(s.calls);
	free(s.running);
	free(s.ends);
	free(last);
	return err;
}

int early_calls__spans(const struct early_calls *c, size_t most, struct early_span **ret,
		       size_t *ret_count)
{
	struct early_span *list;
	size_t count = c->count - c->timeless;
	uint32_t *ends;
	int err;

	err = early_calls__ends(c, &ends);
	if (err)
		return err;
	list = make_spans(c, ends);
	free(ends);
	if (!list)
		return error__no_memory();
	/* The beginning of the first spans may be unknown. */
	memmove(list, list + c->timeless, count * sizeof(*list));
	*ret_count = count < most ? count : most;
	/*
	 * An outer span is at least as long, and begins earlier. So it is not dropped before an
	 * inner one.
	 */
	qsort(list, count, sizeof(*list), by_length);
	qsort(list, *ret_count, sizeof(*list), by_call);
	*ret = list;
	return 0;
}
