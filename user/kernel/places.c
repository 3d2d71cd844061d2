// SPDX-License-Identifier: GPL-2.0-only
/* From addresses to names; see places.h. */
#include <string.h>

#include "kernel/places.h"

static bool in_module(const struct symbols *s, struct hit *hit)
{
	const struct module *m = symbols__module(s, hit->module);

	/* Below its base: init text, which has no offset in .text. */
	if (!m || !m->base || hit->addr < m->base || hit->addr - m->base >= m->size)
		return false;
	hit->offset = hit->addr - m->base;
	return true;
}

static bool resolve_by(const struct symbols *s, const struct places *p, struct hits *hits,
		       struct hit *hit)
{
	const struct symbol *sym = symbols__find(s, hit->addr);

	if (!sym || symbol__is_generated(sym))
		return false;
	hit->name = hits__name(hits, sym->name);
	hit->module = sym->module ? strings__intern(hits->names, sym->module) : NULL;
	if (hit->module)
		return in_module(s, hit);
	if (p->kernel->offset_known)
		hit->link = hit->addr - p->kernel->kaslr_offset;
	return true;
}

bool places__resolve(const struct places *p, struct hits *hits, struct hit *hit)
{
	const struct traceable_function *f = NULL;

	if (hit->kind & HIT_FUNCTION)
		f = traceable__find(p->traceable, hit->addr);
	if (f)
		hit->addr = f->entry;
	if (!(p->after && resolve_by(p->after, p, hits, hit)) &&
	    !resolve_by(p->before, p, hits, hit))
		return false;
	/* ftrace's own name for it: of several aliases kallsyms shows no favourite. */
	if (f)
		hit->name = hits__name(hits, f->name);
	return true;
}

static bool resolve_offset_by(const struct symbols *s, struct hits *hits, struct hit *hit)
{
	const struct module *m = symbols__module(s, hit->module);
	const struct symbol *sym;
	struct hit there = *hit;

	if (!m || !m->base)
		return false;
	there.addr = m->base + hit->offset;
	sym = symbols__find(s, there.addr);
	if (!sym || !sym->module || strcmp(sym->module, hit->module))
		return false;
	/* A traced site is its function's; a return address stays where it is. */
	if (hit->kind == HIT_FUNCTION)
		there.addr = sym->addr;
	there.offset = there.addr - m->base;
	there.name = hits__name(hits, sym->name);
	*hit = there;
	return true;
}

void places__resolve_offset(const struct places *p, struct hits *hits, struct hit *hit)
{
	uint64_t start;

	if ((p->after && resolve_offset_by(p->after, hits, hit)) ||
	    resolve_offset_by(p->before, hits, hit) || !p->files)
		return;
	hit->name = hits__name(hits, module_files__find(p->files, hit->module, hit->offset,
							 &start));
	if (hit->name && hit->kind == HIT_FUNCTION)
		hit->offset = start;
}
