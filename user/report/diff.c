// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the functions that only one of two recordings has seen; see diff.h.
 *
 * Each side has two lists: the functions that it has seen, and all functions of its build. Both are
 * sorted by module, then by address, or by name and file. If only one side has seen a function, its
 * absence is explained by looking it up in the build of the other side.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "kernel/symbols.h"
#include "report/diff.h"
#include "report/where.h"

/* A function and its key: members that are not used for matching are 0 or NULL. */
struct item {
	const char *module, *name, *unit;
	uint64_t place;
	const struct function *f;	/* NULL: not in the function list */
	const char *full_name;
	bool taken;
};

struct items {
	struct item *list;
	size_t count;
};

struct side {
	const struct coverage *c, *other;
	const struct universe *u;
	struct items seen, has;
	bool is_empty;		/* no function lies in the part of the kernel that --in names */
};

/* ---- the lists */

/* Offsets in a module can be compared only if both sides are known to have had one build of it. */
static bool goes_by_place(const struct side *s, enum diff_identity identity, const char *module)
{
	return identity == IDENTITY_ADDRESS && (!module || coverage__same_build(s->c, s->other, module));
}

static void set_key(struct item *item, struct strings *names, bool by_place, uint64_t place, const char *unit)
{
	item->unit = unit;
	if (by_place) {
		item->place = place;
		item->name = item->full_name;
	} else {
		item->name = function__base_name(names, item->full_name);
	}
}

static int by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = text__compare(x->module, y->module);

	if (order)
		return order;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	/* One address is one function, even if two recordings have different names for it. */
	return x->place ? 0 : text__compare(x->name, y->name);
}

static int by_key_and_unit(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return by_key(x, y) ?: text__compare(x->unit, y->unit);
}

static bool is_place_known(const struct hit *hit)
{
	return hit->module || hit->link;
}

/* Returns the place plus 1, because 0 stands for no place, and an offset may be 0. */
static uint64_t place_of(const struct hit *hit)
{
	return (hit->module ? hit->offset : hit->link) + 1;
}

static void list_seen(struct side *s, struct strings *names, enum diff_identity identity)
{
	s->seen.list = xcalloc(s->c->hits.count, sizeof(*s->seen.list));
	for (size_t i = 0; i < s->c->hits.count; i++) {
		const struct hit *hit = &s->c->hits.list[i];
		struct item *item = &s->seen.list[s->seen.count];

		/* A function without a name can only be matched by its address. */
		if (hit->kind != HIT_FUNCTION || (!hit->name && !goes_by_place(s, identity, hit->module)))
			continue;
		*item = (struct item){
			.module = hit->module, .full_name = hit->name ?: "?", .f = universe__find(s->u, hit),
		};
		/* The function list may be of another build of the module. */
		if (item->f && hit->module && hit->name && !goes_by_place(s, identity, hit->module) &&
		    strcmp(item->f->name, hit->name))
			item->f = NULL;
		set_key(item, names, goes_by_place(s, identity, hit->module), place_of(hit),
			item->f ? item->f->unit : NULL);
		s->seen.count++;
	}
	qsort(s->seen.list, s->seen.count, sizeof(*s->seen.list), by_key_and_unit);
}

static void list_has(struct side *s, struct strings *names, enum diff_identity identity)
{
	s->has.list = xcalloc(s->u->count, sizeof(*s->has.list));
	for (size_t i = 0; i < s->u->count; i++) {
		const struct function *f = &s->u->list[i];
		struct item *item = &s->has.list[s->has.count];

		/* No recording has modules' init text, whose offsets count from another address. */
		if (f->module && f->init)
			continue;
		*item = (struct item){ .module = f->module, .full_name = f->name, .f = f };
		set_key(item, names, goes_by_place(s, identity, f->module), f->addr + 1, f->unit);
		s->has.count++;
	}
	qsort(s->has.list, s->has.count, sizeof(*s->has.list), by_key_and_unit);
}

/* Joins functions with equal keys. @folded: adds the number that disappear. */
static void fold(struct items *items, size_t *folded)
{
	size_t kept = 0;

	for (size_t i = 0; i < items->count; i++) {
		if (kept && !by_key_and_unit(&items->list[kept - 1], &items->list[i]))
			++*folded;
		else
			items->list[kept++] = items->list[i];
	}
	items->count = kept;
}

/* ---- why the other has not seen it */

/* Prefers a traceable function: other matches may be parts that the compiler has split off. */
static const struct function *find_in(const struct side *s, const struct item *item)
{
	size_t count, first = sorted__equals(s->has.list, s->has.count, sizeof(*item), item, by_key, &count);
	const struct function *found = NULL;

	for (const struct item *other = s->has.list + first; other < s->has.list + first + count; other++) {
		if (item->unit && other->unit && strcmp(item->unit, other->unit))
			continue;
		if (!found || found->untraced)
			found = other->f;
	}
	return found;
}

/* The verdict on a function that is not in @s's function list. @v: the verdict of the run */
static enum verdict of_build(const struct side *s, const struct side *other, const struct item *item, enum verdict v)
{
	bool same_build = coverage__same_build(s->c, other->c, item->module);

	if (item->module && !covered_modules__find(&s->u->modules, item->module))
		return same_build ? v : VERDICT_UNKNOWN;
	if (s->u->count && !same_build)
		return s->u->whole ? VERDICT_NO_FUNCTION : VERDICT_UNKNOWN;
	/* Maybe init text, which only @other saw. A running kernel does not list it. */
	if (s->c->scope.kind != SCOPE_BOOT && other->c->scope.kind == SCOPE_BOOT)
		return s->u->count && !s->u->whole ? VERDICT_FREED : VERDICT_UNKNOWN;
	return same_build ? v : VERDICT_UNKNOWN;
}

/* @s: the side that has not seen the function; @other: the side that has seen it. */
static enum verdict why_of(const struct side *s, const struct side *other, const struct item *item)
{
	const struct function by_name = { .name = item->full_name, .module = item->module }, *f = find_in(s, item);
	enum verdict v = verdict__of(s->c, f ?: &by_name);

	return f || !verdict__could_see(v) ? v : of_build(s, other, item, v);
}

/* ---- the walk */

/* Matches functions of one key if their files are equal or, with @unknown, if a file is unknown. */
static bool take(struct item *x, struct item *y, bool unknown)
{
	if (x->taken || y->taken)
		return false;
	if (x->unit && y->unit ? strcmp(x->unit, y->unit) : !unknown && x->unit != y->unit)
		return false;
	x->taken = y->taken = true;
	return true;
}

static size_t end_of_key(const struct items *items, size_t first)
{
	size_t end = first;

	while (end < items->count && !by_key(&items->list[first], &items->list[end]))
		end++;
	return end;
}

/* A function without a known file must not take the partner of a function with one. */
static size_t match_key(struct items *a, size_t i, size_t end_a, struct items *b, size_t j, size_t end_b)
{
	size_t both = 0;

	for (int unknown = 0; unknown < 2; unknown++) {
		for (size_t x = i; x < end_a; x++) {
			for (size_t y = j; y < end_b; y++)
				both += take(&a->list[x], &b->list[y], unknown);
		}
	}
	return both;
}

static size_t match(struct items *a, struct items *b)
{
	size_t both = 0;

	for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
		int order = by_key(&a->list[i], &b->list[j]);
		size_t end_a = end_of_key(a, i), end_b = end_of_key(b, j);

		if (!order)
			both += match_key(a, i, end_a, b, j, end_b);
		i = order <= 0 ? end_a : i;
		j = order >= 0 ? end_b : j;
	}
	return both;
}

static void add_entries(struct diff_entries *ret, const struct side *from, const struct side *other)
{
	struct diff_entry *blind = xcalloc(from->seen.count, sizeof(*blind));

	ret->list = xcalloc(from->seen.count, sizeof(*ret->list));
	for (size_t i = 0; i < from->seen.count; i++) {
		const struct item *item = &from->seen.list[i];
		enum verdict v = item->taken ? VERDICT_SEEN : why_of(other, from, item);
		struct diff_entry entry = {
			.name = item->name, .module = item->module, .unit = item->unit, .why = v,
			.possibly = !verdict__is_certain(v, other->c, item->module),
		};

		if (verdict__is_blind(v))
			blind[ret->blind++] = entry;
		else if (!item->taken)
			ret->list[ret->count++] = entry;
	}
	memcpy(&ret->list[ret->count], blind, ret->blind * sizeof(*blind));
	free(blind);
}

static bool has_places(const struct coverage *c)
{
	for (size_t i = 0; i < c->hits.count; i++) {
		if (c->hits.list[i].kind == HIT_FUNCTION && !is_place_known(&c->hits.list[i]))
			return false;
	}
	return true;
}

static enum diff_identity identity_of(const struct diff_side *a, const struct diff_side *b)
{
	if (coverage__same_builds(a->c, b->c) && has_places(a->c) && has_places(b->c))
		return IDENTITY_ADDRESS;
	return a->u->placed && b->u->placed ? IDENTITY_FILE : IDENTITY_NAME;
}

/*
 * Removes seen functions that do not lie in @where; the build's list stays complete. Returns
 * whether the side has seen a function in @where, or its build has a traceable one there.
 */
static bool restrict_to(struct side *s, const char *where)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->seen.count; i++) {
		const struct item *item = &s->seen.list[i];

		if (where__has(where, item->module, item->unit))
			s->seen.list[kept++] = *item;
	}
	s->seen.count = kept;
	for (size_t i = 0; !kept && i < s->u->count; i++)
		kept = !s->u->list[i].untraced && where__has(where, s->u->list[i].module, s->u->list[i].unit);
	return kept;
}

static void fill(struct side *s, struct strings *names, enum diff_identity identity, const char *where, size_t *folded)
{
	list_seen(s, names, identity);
	list_has(s, names, identity);
	if (where)
		s->is_empty = !restrict_to(s, where);
	for (size_t i = 0; identity == IDENTITY_NAME && i < s->seen.count; i++)
		s->seen.list[i].unit = NULL;
	fold(&s->seen, folded);
}

int diff__run(struct diff *ret, const struct diff_side *a, const struct diff_side *b, const char *where)
{
	struct side x = { a->c, b->c, a->u }, y = { b->c, a->c, b->u };
	struct diff d = { .a = *a, .b = *b, .identity = identity_of(a, b) };
	int err = where ? where__check(where, x.u) ?: where__check(where, y.u) : 0;

	if (err)
		return err;
	d.names = strings__new();
	fill(&x, d.names, d.identity, where, &d.folded);
	fill(&y, d.names, d.identity, where, &d.folded);
	if (x.is_empty && y.is_empty)
		err = where__is_empty(where);
	d.both = match(&x.seen, &y.seen);
	add_entries(&d.gone, &x, &y);
	add_entries(&d.new, &y, &x);
	free(x.seen.list);
	free(x.has.list);
	free(y.seen.list);
	free(y.has.list);
	if (err)
		diff__free(&d);
	else
		*ret = d;
	return err;
}

void diff__free(struct diff *d)
{
	free(d->gone.list);
	free(d->new.list);
	strings__free(d->names);
	memset(d, 0, sizeof(*d));
}
