// SPDX-License-Identifier: GPL-2.0-only
/* Finds names for addresses; see places.h. */
#include <string.h>

#include "kernel/places.h"

/* A site is at most this far after its function's symbol: after an ENDBR64. */
#define ENDBR_SIZE 4

/* A return address may be the beginning of the next function. The byte before it is in the call. */
static uint64_t inside(const struct hit *hit, uint64_t addr)
{
	return hit->kind == HIT_CALLER ? addr - 1 : addr;
}

/*
 * Is the hit in the module's text? An address below the module's base is in init text, which has no
 * offset in .text. An address behind the last function may be of a module that is gone.
 */
static bool in_module(const struct symbols *s, const struct places *p, struct hit *hit, const struct symbol *sym)
{
	const struct module *m = symbols__module(s, hit->module);
	uint64_t addr = inside(hit, hit->addr);

	if (!m || !m->base || addr < m->base || addr - m->base >= m->size)
		return false;
	hit->offset = hit->addr - m->base;
	return symbols__is_inside(s, sym, addr) ||
	       (p->kernel->files && addr - sym->addr < module_files__size(p->kernel->files, hit->module, sym->name));
}

/*
 * Finds a function by its site. Names come from ftrace's list if possible: if a function has
 * several aliases, kallsyms does not show which one ftrace uses. ftrace's list does not have init
 * code that was freed.
 */
static void resolve_function(const struct places *p, struct hits *hits, struct hit *hit,
			     const struct symbol *sym)
{
	const struct traceable_function *f = traceable__find_in(p->kernel->traceable, hit->addr, hit->module);

	if (f) {
		hit->addr = f->entry;
		hit->name = hits__name(hits, f->name);
	} else if (hit->addr - sym->addr <= ENDBR_SIZE) {
		hit->addr = sym->addr;
	}
}

static bool resolve_by(const struct symbols *s, const struct places *p, struct hits *hits,
		       struct hit *hit)
{
	const struct symbol *sym = symbols__find(s, inside(hit, hit->addr));

	if (!sym || symbol__is_generated(sym))
		return false;
	hit->name = hits__name(hits, sym->name);
	hit->module = sym->module ? strings__intern(hits->names, sym->module) : NULL;
	if (hit->kind == HIT_FUNCTION)
		resolve_function(p, hits, hit, sym);
	if (!hit->module && p->kernel->id.offset_known)
		hit->link = hit->addr - p->kernel->id.kaslr_offset;
	if (hit->link && hit->kind == HIT_CALLER) {
		hit->link = call_sites__linked(p->kernel->sites, hit->link);
		hit->addr = hit->link + p->kernel->id.kaslr_offset;
	}
	if (hit->kind == HIT_CALLER)
		hit->into = hit->addr - sym->addr;
	return hit->module ? in_module(s, p, hit, sym) : true;
}

bool places__resolve(const struct places *p, struct hits *hits, struct hit *hit)
{
	struct hit now = *hit, then = *hit;
	bool is_now = p->after && resolve_by(p->after, p, hits, &now);
	bool was_then = !(is_now && !now.module) && resolve_by(p->kernel->symbols, p, hits, &then);

	*hit = is_now ? now : then;
	/* If two modules were at the address, one after the other, nothing says which was hit. */
	return is_now && was_then ? then.module && !strcmp(now.module, then.module) : is_now || was_then;
}

static bool resolve_offset_by(const struct symbols *s, const struct places *p, struct hits *hits,
			      struct hit *hit)
{
	const struct module *m = symbols__module(s, hit->module);
	const struct symbol *sym;
	struct hit there = *hit;

	if (!m || !m->base)
		return false;
	there.addr = m->base + hit->offset;
	sym = symbols__find(s, inside(hit, there.addr));
	if (!sym || !sym->module || strcmp(sym->module, hit->module))
		return false;
	there.name = hits__name(hits, sym->name);
	if (hit->kind == HIT_FUNCTION)
		resolve_function(p, hits, &there, sym);
	else
		there.into = there.addr - sym->addr;
	there.offset = there.addr - m->base;
	*hit = there;
	return true;
}

void places__resolve_offset(const struct places *p, struct hits *hits, struct hit *hit)
{
	uint64_t start;

	if ((p->after && resolve_offset_by(p->after, p, hits, hit)) ||
	    resolve_offset_by(p->kernel->symbols, p, hits, hit) || !p->kernel->files)
		return;
	hit->name = hits__name(hits, module_files__find(p->kernel->files, hit->module,
							 inside(hit, hit->offset), &start));
	if (hit->name && hit->kind == HIT_FUNCTION)
		hit->offset = start;
	else if (hit->name)
		hit->into = hit->offset - start;
}

void places__resolve_other(const struct places *p, struct hits *hits, struct hit *hit, struct hit *other)
{
	other->kind = hit->kind == HIT_CALLER ? HIT_FUNCTION : HIT_CALLER;
	if (other->module)
		places__resolve_offset(p, hits, other);
	else if (!places__resolve(p, hits, other))
		return;
	hit->other = (struct other){
		.link = other->link,
		.offset = other->offset,
		.name = other->name,
		.module = other->module,
		.into = other->into,
	};
}
