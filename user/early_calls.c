// SPDX-License-Identifier: GPL-2.0-only
/* Calls of the early boot and what they tell; see early_calls.h. */
#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "early_calls.h"
#include "error.h"
#include "strstore.h"

/* A boot calls some 600 functions before ftrace is there; the table grows by itself. */
#define NAMES_AT_FIRST 4096

/* ---- the calls */

int early_calls__init(struct early_calls *c)
{
	memset(c, 0, sizeof(*c));
	c->ftrace_init = SIZE_MAX;
	c->store = strings__new();
	c->ids = lh_kchar_table_new(NAMES_AT_FIRST, NULL);
	if (!c->store || !c->ids) {
		early_calls__free(c);
		return error__no_memory();
	}
	return 0;
}

void early_calls__free(struct early_calls *c)
{
	free(c->list);
	free(c->names);
	if (c->ids)
		lh_table_free(c->ids);
	strings__free(c->store);
	memset(c, 0, sizeof(*c));
}

uint32_t early_calls__find(const struct early_calls *c, const char *name)
{
	struct lh_entry *entry = lh_table_lookup_entry(c->ids, name);

	return entry ? (uintptr_t)lh_entry_v(entry) : NO_NAME;
}

static int add_name(struct early_calls *c, const char *name)
{
	const char *copy;

	if (c->name_count == c->name_room) {
		size_t room = c->name_room ? 2 * c->name_room : NAMES_AT_FIRST;
		const char **more = reallocarray(c->names, room, sizeof(*more));

		if (!more)
			return error__no_memory();
		c->names = more;
		c->name_room = room;
	}
	copy = strings__add(c->store, name);
	if (!copy || lh_table_insert(c->ids, copy, (void *)(uintptr_t)c->name_count))
		return error__no_memory();
	c->names[c->name_count++] = copy;
	return 0;
}

int early_calls__intern(struct early_calls *c, const char *name, uint32_t *ret)
{
	int err = 0;

	*ret = early_calls__find(c, name);
	if (*ret == NO_NAME) {
		*ret = c->name_count;
		err = add_name(c, name);
	}
	return err;
}

int early_calls__add(struct early_calls *c, uint64_t time, uint32_t function, uint32_t parent)
{
	if (c->count == c->room) {
		size_t room = c->room ? 2 * c->room : 65536;
		struct early_call *more = reallocarray(c->list, room, sizeof(*more));

		if (!more)
			return error__no_memory();
		c->list = more;
		c->room = room;
	}
	c->list[c->count++] = (struct early_call){ time, function, parent };
	return 0;
}

int early_calls__mark_ftrace(struct early_calls *c, size_t index)
{
	uint32_t function;
	int err;

	/* Zero is what the kernel says when it does not know. */
	if (!index || index >= c->count)
		return 0;
	/* Its phase wants the name, which may be that of no call and no caller. */
	err = early_calls__intern(c, FTRACE_FUNCTION, &function);
	if (!err)
		c->ftrace_init = index;
	return err;
}

size_t early_calls__functions(const struct early_calls *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		count += c->list[i].function != NO_NAME;
	return count;
}

size_t early_calls__callers(const struct early_calls *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		count += c->list[i].parent != NO_NAME;
	return count;
}

/* For each call, whether no earlier one was of its function; to be freed. */
static bool *find_firsts(const struct early_calls *c)
{
	bool *firsts = calloc(c->count + 1, sizeof(*firsts));
	bool *seen = calloc(c->name_count + 1, sizeof(*seen));

	for (size_t i = 0; firsts && seen && i < c->count; i++) {
		uint32_t function = c->list[i].function;

		if (function == NO_NAME)
			continue;
		firsts[i] = !seen[function];
		seen[function] = true;
	}
	if (!seen) {
		free(firsts);
		firsts = NULL;
	}
	free(seen);
	return firsts;
}

/* ---- phases */

/* A stretch of calls. */
struct range {
	size_t first, end;
};

static struct early_phase *add_phase(struct early_phase **list, size_t *count)
{
	struct early_phase *more = reallocarray(*list, *count + 1, sizeof(*more));

	if (!more)
		return NULL;
	*list = more;
	more += (*count)++;
	memset(more, 0, sizeof(*more));
	more->function = NO_NAME;
	return more;
}

static void fill_phase(struct early_phase *phase, const struct early_calls *c, const bool *firsts,
		       struct range range, uint64_t end)
{
	phase->start = c->list[range.first].time;
	phase->time = end - phase->start;
	phase->calls = range.end - range.first;
	for (size_t i = range.first; i < range.end; i++) {
		phase->functions += c->list[i].function != NO_NAME;
		phase->callers += c->list[i].parent != NO_NAME;
		phase->seen_first += firsts[i];
	}
}

/* That start_kernel() calls ftrace_init() does not show: its phase is one of the outer ones. */
static bool is_ftrace(const struct early_calls *c, size_t call, bool nested)
{
	return !nested && call == c->ftrace_init;
}

/* Where the next phase of @parent begins. */
static size_t next_start(const struct early_calls *c, struct range range, uint32_t parent,
			 bool nested)
{
	for (; range.first < range.end; range.first++) {
		if (parent != NO_NAME && c->list[range.first].parent == parent)
			break;
		if (is_ftrace(c, range.first, nested))
			break;
	}
	return range.first;
}

/* Phases of the calls that @parent makes in @range; what comes before its first is none of them. */
static int split(struct early_phase **list, size_t *count, const struct early_calls *c,
		 const bool *firsts, struct range range, uint32_t parent, uint64_t end, bool nested)
{
	range.first = next_start(c, range, parent, nested);
	while (range.first < range.end) {
		struct range own = { range.first, range.end };
		struct range rest = { range.first + 1, range.end };
		struct early_phase *phase = add_phase(list, count);
		uint32_t function = c->list[own.first].function;
		uint64_t own_end = end;
		int err = 0;

		if (!phase)
			return error__no_memory();
		own.end = next_start(c, rest, parent, nested);
		if (own.end < range.end)
			own_end = c->list[own.end].time;
		if (is_ftrace(c, own.first, nested)) {
			function = early_calls__find(c, FTRACE_FUNCTION);
			/* Not the call of it, but the first one inside. */
			rest.first = own.first;
		}
		phase->function = function;
		fill_phase(phase, c, firsts, own, own_end);
		rest.end = own.end;
		if (!nested && function != NO_NAME)
			err = split(&phase->inner, &phase->inner_count, c, firsts, rest, function,
				    own_end, true);
		if (err)
			return err;
		range.first = own.end;
	}
	return 0;
}

/* What comes before the first phase of start_kernel(). */
static int add_head(struct early_phases *p, const struct early_calls *c, const bool *firsts,
		    size_t count, uint32_t boot, bool complete)
{
	struct early_phase *phase = add_phase(&p->list, &p->count);

	if (!phase)
		return error__no_memory();
	for (size_t i = 0; complete && boot != NO_NAME && i < count; i++)
		phase->before |= c->list[i].function == boot;
	fill_phase(phase, c, firsts, (struct range){ 0, count },
		   c->list[count < c->count ? count : count - 1].time);
	return 0;
}

int early_phases__find(struct early_phases *ret, const struct early_calls *c, bool complete)
{
	uint32_t boot = early_calls__find(c, BOOT_FUNCTION);
	struct early_phases p = {};
	bool *firsts;
	size_t head;
	int err = 0;

	*ret = p;
	if (!c->count)
		return 0;
	firsts = find_firsts(c);
	if (!firsts)
		return error__no_memory();
	head = next_start(c, (struct range){ 0, c->count }, boot, false);
	if (head)
		err = add_head(&p, c, firsts, head, boot, complete);
	if (!err)
		err = split(&p.list, &p.count, c, firsts, (struct range){ head, c->count }, boot,
			    c->list[c->count - 1].time, false);
	free(firsts);
	if (err)
		early_phases__free(&p);
	else
		*ret = p;
	return err;
}

void early_phases__free(struct early_phases *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->list[i].inner);
	free(p->list);
	memset(p, 0, sizeof(*p));
}

/* ---- functions */

static int by_calls(const void *a, const void *b)
{
	const struct early_function *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

int early_calls__by_calls(const struct early_calls *c, struct early_function **ret,
			  size_t *ret_count)
{
	struct early_function *list = calloc(c->name_count + 1, sizeof(*list));
	size_t count = 0;

	if (!list)
		return error__no_memory();
	for (size_t i = 0; i < c->count; i++) {
		struct early_function *f;

		if (c->list[i].function == NO_NAME)
			continue;
		f = &list[c->list[i].function];
		if (!f->calls++)
			f->first = c->list[i].time;
	}
	/* Names of callers only go. */
	for (size_t i = 0; i < c->name_count; i++) {
		if (!list[i].calls)
			continue;
		list[count] = list[i];
		list[count++].name = i;
	}
	qsort(list, count, sizeof(*list), by_calls);
	*ret = list;
	*ret_count = count;
	return 0;
}
