// SPDX-License-Identifier: GPL-2.0-only
/* Calls of the early boot and what they tell; see calls.h. */
#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/strings.h"
#include "boot/calls.h"
#include "boot/spans.h"

/* A boot calls some 600 functions before ftrace is there; the table grows by itself. */
#define NAMES_AT_FIRST 4096

/* ---- the calls */

int early_calls__init(struct early_calls *c)
{
	memset(c, 0, sizeof(*c));
	c->ftrace_init = SIZE_MAX;
	c->store = strings__new();
	c->ids = lh_kchar_table_new(NAMES_AT_FIRST, NULL);
	if (!c->ids) {
		early_calls__free(c);
		return error__no_memory();
	}
	return 0;
}

void early_calls__free(struct early_calls *c)
{
	free(c->list);
	free(c->holes);
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
	if (lh_table_insert(c->ids, copy, (void *)(uintptr_t)c->name_count))
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

int early_calls__add_hole(struct early_calls *c, uint64_t lost)
{
	struct early_hole *more;

	if (c->hole_count && c->holes[c->hole_count - 1].before == c->count) {
		c->holes[c->hole_count - 1].lost += lost;
		return 0;
	}
	more = reallocarray(c->holes, c->hole_count + 1, sizeof(*more));
	if (!more)
		return error__no_memory();
	c->holes = more;
	c->holes[c->hole_count++] = (struct early_hole){ c->count, lost };
	return 0;
}

bool early_calls__behind_hole(const struct early_calls *c, size_t index)
{
	for (size_t i = 0; i < c->hole_count; i++) {
		if (c->holes[i].before == index)
			return true;
	}
	return false;
}

uint64_t early_calls__end_time(const struct early_calls *c, size_t end)
{
	return c->list[end < c->count && !early_calls__behind_hole(c, end) ? end : end - 1].time;
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

/* What finding them takes. */
struct search {
	const struct early_calls *calls;
	bool *firsts;
	uint32_t *ends;			/* NULL if it is not known where ftrace_init() begins */
	uint32_t boot, ftrace;		/* names */
	struct early_phases *phases;
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

static void fill_phase(struct early_phase *phase, const struct search *s, struct range range)
{
	const struct early_calls *c = s->calls;

	phase->timeless = range.first < c->timeless;
	if (!phase->timeless) {
		phase->start = c->list[range.first].time;
		phase->time = early_calls__end_time(c, range.end) - phase->start;
	}
	phase->calls = range.end - range.first;
	for (size_t i = range.first; i < range.end; i++) {
		phase->functions += c->list[i].function != NO_NAME;
		phase->callers += c->list[i].parent != NO_NAME;
		phase->seen_first += s->firsts[i];
	}
}

/* That start_kernel() calls ftrace_init() does not show: its phase is one of the outer ones. */
static bool is_ftrace(const struct search *s, size_t call, bool nested)
{
	return !nested && call == s->calls->ftrace_init;
}

/* Where the next phase of @parent begins. */
static size_t next_start(const struct search *s, struct range range, uint32_t parent, bool nested)
{
	for (; range.first < range.end; range.first++) {
		if (parent != NO_NAME && s->calls->list[range.first].parent == parent)
			break;
		if (is_ftrace(s, range.first, nested))
			break;
	}
	return range.first;
}

static size_t end_of(const struct search *s, size_t call, size_t limit)
{
	return s->ends[call] < limit ? s->ends[call] : limit;
}

/*
 * Where ftrace_init() ends, which is not traced either: with the last call that it makes. What comes
 * behind that, from functions that are not traced, sets up tracing, and not more.
 */
static size_t ftrace_end(const struct search *s, struct range range)
{
	for (size_t i = range.end; i > range.first; i--) {
		if (s->calls->list[i - 1].parent == s->ftrace)
			return end_of(s, i - 1, range.end);
	}
	return range.end;
}

static int add_tracer(struct early_phase **list, size_t *count, const struct search *s,
		      struct range range)
{
	struct early_phase *phase = add_phase(list, count);

	if (!phase)
		return error__no_memory();
	phase->kind = PHASE_TRACER;
	fill_phase(phase, s, range);
	return 0;
}

/* Phases of the calls that @parent makes in @range; what comes before its first is none of them. */
static int split(struct early_phase **list, size_t *count, const struct search *s,
		 struct range range, uint32_t parent, bool nested)
{
	int err = 0;

	range.first = next_start(s, range, parent, nested);
	while (!err && range.first < range.end) {
		struct range rest = { range.first + 1, range.end };
		struct range own = { range.first, next_start(s, rest, parent, nested) };
		struct early_phase *phase = add_phase(list, count);
		bool ftrace = is_ftrace(s, own.first, nested);
		size_t next = own.end;

		if (!phase)
			return error__no_memory();
		if (ftrace)
			own.end = ftrace_end(s, own);
		else if (nested && s->ends && parent == s->ftrace)
			own.end = end_of(s, own.first, own.end);
		phase->function = ftrace ? s->ftrace : s->calls->list[own.first].function;
		fill_phase(phase, s, own);
		/* Of ftrace_init there is not its call, but the first one inside. */
		rest = (struct range){ ftrace ? own.first : own.first + 1, own.end };
		if (!nested && phase->function != NO_NAME)
			err = split(&phase->inner, &phase->inner_count, s, rest, phase->function,
				    true);
		if (!err && ftrace && own.end < next)
			err = add_tracer(list, count, s, (struct range){ own.end, next });
		range.first = next;
	}
	return err;
}

/* What comes before the first phase of start_kernel(). */
static int add_head(const struct search *s, struct range range, bool complete)
{
	struct early_phase *phase = add_phase(&s->phases->list, &s->phases->count);

	if (!phase)
		return error__no_memory();
	for (size_t i = range.first; complete && s->boot != NO_NAME && i < range.end; i++) {
		if (s->calls->list[i].function == s->boot)
			phase->kind = PHASE_BEFORE;
	}
	fill_phase(phase, s, range);
	return 0;
}

/* From the last call before it to the first one behind. */
static int add_hole(const struct search *s, const struct early_hole *hole)
{
	struct early_phase *phase = add_phase(&s->phases->list, &s->phases->count);
	const struct early_calls *c = s->calls;

	if (!phase)
		return error__no_memory();
	phase->kind = PHASE_HOLE;
	phase->lost = hole->lost;
	phase->timeless = !hole->before || hole->before == c->count || hole->before <= c->timeless;
	if (!phase->timeless) {
		phase->start = c->list[hole->before - 1].time;
		phase->time = c->list[hole->before].time - phase->start;
	}
	return 0;
}

/* Calls without a hole. */
static int add_stretch(const struct search *s, struct range range, bool complete)
{
	size_t head = next_start(s, range, s->boot, false);
	int err = 0;

	if (head > range.first)
		err = add_head(s, (struct range){ range.first, head }, complete);
	if (!err)
		err = split(&s->phases->list, &s->phases->count, s,
			    (struct range){ head, range.end }, s->boot, false);
	return err;
}

static int add_stretches(const struct search *s, bool complete)
{
	const struct early_calls *c = s->calls;
	size_t first = 0;
	int err = 0;

	for (size_t i = 0; !err && i < c->hole_count; i++) {
		err = add_stretch(s, (struct range){ first, c->holes[i].before }, complete && !i);
		if (!err)
			err = add_hole(s, &c->holes[i]);
		first = c->holes[i].before;
	}
	if (err)
		return err;
	return add_stretch(s, (struct range){ first, c->count }, complete && !c->hole_count);
}

static int begin_search(struct search *s)
{
	s->boot = early_calls__find(s->calls, BOOT_FUNCTION);
	s->ftrace = early_calls__find(s->calls, FTRACE_FUNCTION);
	s->firsts = find_firsts(s->calls);
	if (!s->firsts)
		return error__no_memory();
	return s->calls->ftrace_init == SIZE_MAX ? 0 : early_calls__ends(s->calls, &s->ends);
}

int early_phases__find(struct early_phases *ret, const struct early_calls *c, bool complete)
{
	struct early_phases p = {};
	struct search s = { .calls = c, .phases = &p };
	int err;

	*ret = p;
	if (!c->count)
		return 0;
	err = begin_search(&s);
	if (!err)
		err = add_stretches(&s, complete);
	free(s.firsts);
	free(s.ends);
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
		if (!f->calls++) {
			f->first = c->list[i].time;
			f->timeless = i < c->timeless;
		}
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
