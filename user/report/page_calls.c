// SPDX-License-Identifier: GPL-2.0-only
/* The calls on the page; see page.h. */
#include "report/page.h"
#include "report/where.h"

static const struct function *only_one(const struct universe *u, const char *name)
{
	size_t count = 0;
	const struct function *const *named = name ? universe__named(u, name, &count) : NULL;

	return count == 1 ? named[0] : NULL;
}

const char *const page__ways[CALL_KINDS] = {
	[CALL_UNKNOWN] = "", [CALL_DIRECT] = "", [CALL_INDIRECT] = "by a pointer", [CALL_THUNK] = "by a pointer",
	[CALL_STATIC] = "a static call", [CALL_REPLACED] = "the kernel may have replaced it",
};

static long number_of(struct page *p, const struct function *f)
{
	long number = f ? (long)p->of_universe[f - p->rows->universe->list] - 1 : -1;

	if (!f || number >= 0 || rows__has(p->rows, f))
		return number;
	return page__add_other(p, f->name, f->module, f->untraced ? f->untraced : PAGE_OUTSIDE);
}

/* Returns the function that contains a call site. */
static const struct function *function_with(const struct page *p, const struct hit *site)
{
	struct hit entry = *site;

	entry.link -= site->link ? site->into : 0;
	entry.offset -= site->into;
	entry.addr = 0;
	return universe__find(p->rows->universe, &entry);
}

static struct call read_call(const struct page *p, const struct hit *site)
{
	const struct image_of *of = p->images ? images__get(p->images, site->module) : NULL;
	uint64_t returns_to = site->module ? site->offset : site->link;
	struct call call = { .kind = CALL_UNKNOWN, .site = returns_to };

	if (of && of->calls && returns_to)
		calls__before(of->calls, returns_to, &call);
	/* No call has one byte: no instruction was found, and only the return address is known. */
	if (call.kind == CALL_UNKNOWN && call.site == returns_to - 1)
		call.site = returns_to;
	return call;
}

/*
 * Returns the callee that the instruction names, or else the record. A call into another image only
 * has a name.
 */
static const struct function *callee_of(const struct page *p, const struct hit *site, const struct call *call)
{
	const struct other *entered = &site->other;
	const struct universe *u = p->rows->universe;
	const struct function *f = NULL;

	if (call->kind == CALL_DIRECT)
		f = call->callee ? universe__at(u, site->module, call->callee->addr) : only_one(u, call->name);
	if (!f && entered->name && (entered->module || entered->link))
		f = universe__at(u, entered->module, entered->module ? entered->offset : entered->link);
	return f;
}

static bool is_on_page(const struct page *p, const struct function *f, const char *module)
{
	return f ? rows__has(p->rows, f) : !p->rows->where || where__has(p->rows->where, module, NULL);
}

/* Returns the function of a HIT_FUNCTION hit; @site: gets its record's call site. NULL: unknown. */
static const struct function *first_call(const struct page *p, const struct hit *hit, struct hit *site)
{
	const struct other *other = &hit->other;

	site->kind = HIT_CALLER;
	site->link = other->link;
	site->module = other->module;
	site->offset = other->offset;
	site->name = other->name;
	site->into = other->into;
	site->other.name = NULL;
	return other->name ? universe__find(p->rows->universe, hit) : NULL;
}

bool page__call(struct page *p, const struct hit *hit, struct page_call *ret)
{
	const struct function *from, *to, *entered = NULL;
	struct hit *site = &ret->site;
	struct call call;

	*site = *hit;
	if (hit->kind == HIT_FUNCTION) {
		entered = first_call(p, hit, site);
		if (!entered)
			return false;
	}
	call = read_call(p, site);
	to = callee_of(p, site, &call);
	/* This call site's own HIT_CALLER already shows the call. */
	if (entered && to == entered)
		return false;
	to = entered ? entered : to;
	from = function_with(p, site);
	if (!is_on_page(p, from, site->module) && !(to && is_on_page(p, to, NULL)))
		return false;
	ret->offset = site->into + call.site - (site->module ? site->offset : site->link);
	ret->callee = number_of(p, to);
	if (entered && ret->callee == -1)
		return false;
	if (ret->callee == -1)
		ret->callee = -1 - (long)call.kind;
	ret->caller = number_of(p, from);
	if (ret->caller == -1 && !site->name)
		return false;
	if (ret->caller == -1)
		ret->caller = page__add_other(p, site->name, site->module, NULL);
	return true;
}
