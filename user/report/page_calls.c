// SPDX-License-Identifier: GPL-2.0-only
/* The calls on the page, by numbers; see page.h. */
#include <errno.h>

#include "report/page.h"

long page__caller(struct page *p, const struct hit *hit)
{
	const struct universe *u = p->rows->universe;
	struct hit entry = *hit;
	const struct function *f;

	entry.link -= hit->link ? hit->into : 0;
	entry.offset -= hit->into;
	entry.addr = 0;
	f = universe__find(u, &entry);
	if (f && p->of_universe[f - u->list])
		return p->of_universe[f - u->list] - 1;
	if (!hit->name || p->rows->where)
		return -ENOENT;
	return page__add_other(p, hit->name, hit->module, NULL);
}

static const struct function *only_one(const struct universe *u, const char *name)
{
	size_t count = 0;
	const struct function *const *named = name ? universe__named(u, name, &count) : NULL;

	return count == 1 ? named[0] : NULL;
}

/* How a call is made if the called function is not known, by enum call_kind. */
static const char *const ways[CALL_KINDS] = {
	[CALL_UNKNOWN] = "", [CALL_DIRECT] = "", [CALL_INDIRECT] = "by a pointer", [CALL_THUNK] = "by a pointer",
	[CALL_STATIC] = "a static call", [CALL_REPLACED] = "the kernel may have replaced it",
};

const char *page__way(enum call_kind kind)
{
	return ways[kind];
}

static long way(enum call_kind kind)
{
	return -1 - (long)kind;
}

static long number_of(const struct page *p, const struct function *f)
{
	return f ? (long)p->of_universe[f - p->rows->universe->list] - 1 : -1;
}

/*
 * The number of the function that a call names or is known to have entered, or way() of the call.
 * For a call into another file of the kernel, only the function's name is known.
 */
static long callee_of(struct page *p, const struct hit *hit)
{
	struct image_of *of = p->images ? images__get(p->images, hit->module) : NULL;
	const struct other *entered = &hit->other;
	const struct universe *u = p->rows->universe;
	struct call call = { .kind = CALL_UNKNOWN };
	const struct function *f = NULL;

	if (of && of->calls && (hit->module || hit->link))
		calls__before(of->calls, hit->module ? hit->offset : hit->link, &call);
	if (call.kind == CALL_DIRECT)
		f = call.callee ? universe__at(u, hit->module, call.callee->addr) : only_one(u, call.name);
	if (number_of(p, f) < 0 && entered->name && (entered->module || entered->link))
		f = universe__at(u, entered->module, entered->module ? entered->offset : entered->link);
	return number_of(p, f) < 0 ? way(call.kind) : number_of(p, f);
}

bool page__site(struct page *p, const struct hit *hit, struct hit *site, long *callee)
{
	const struct other *other = &hit->other;

	*site = *hit;
	if (hit->kind == HIT_CALLER) {
		*callee = callee_of(p, hit);
		return true;
	}
	*callee = number_of(p, universe__find(p->rows->universe, hit));
	if (!other->name || *callee < 0)
		return false;
	site->kind = HIT_CALLER;
	site->link = other->link;
	site->module = other->module;
	site->offset = other->offset;
	site->name = other->name;
	site->into = other->into;
	site->other.name = NULL;
	return callee_of(p, site) != *callee;
}
