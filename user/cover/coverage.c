// SPDX-License-Identifier: GPL-2.0-only
/* What one run saw; see coverage.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cover/coverage.h"

int coverage__init(struct coverage *c, const char *engine)
{
	memset(c, 0, sizeof(*c));
	c->engine = strdup(engine);
	c->names = strings__new();
	if (!c->engine || !c->names) {
		coverage__free(c);
		return error__no_memory();
	}
	return 0;
}

static void free_list(char **list)
{
	for (char **item = list; item && *item; item++)
		free(*item);
	free(list);
}

void coverage__free(struct coverage *c)
{
	free(c->engine);
	free(c->boot_id);
	kernel_id__free(&c->kernel);
	free_list(c->command);
	filter__free(&c->filter);
	free(c->hits);
	free_list(c->modules);
	free_list(c->unattached);
	free(c->lost.list);
	free(c->cost.list);
	strings__free(c->names);
	memset(c, 0, sizeof(*c));
}

int counters__add(struct counters *counters, const char *name, uint64_t value)
{
	struct counter *more;

	more = reallocarray(counters->list, counters->count + 1, sizeof(*more));
	if (!more)
		return error__no_memory();
	counters->list = more;
	more[counters->count].name = name;
	more[counters->count].value = value;
	counters->count++;
	return 0;
}

uint64_t counters__get(const struct counters *counters, const char *name)
{
	for (size_t i = 0; i < counters->count; i++) {
		if (!strcmp(counters->list[i].name, name))
			return counters->list[i].value;
	}
	return 0;
}

uint64_t coverage__losses(const struct coverage *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->lost.count; i++)
		sum += c->lost.list[i].value;
	return sum;
}

int coverage__add(struct coverage *c, const struct hit *hit)
{
	if (c->count == c->room) {
		size_t room = c->room ? 2 * c->room : 16384;
		struct hit *more = reallocarray(c->hits, room, sizeof(*more));

		if (!more)
			return error__no_memory();
		c->hits = more;
		c->room = room;
	}
	c->hits[c->count++] = *hit;
	return 0;
}

const char *coverage__name(struct coverage *c, const char *name)
{
	return name ? strings__add(c->names, name) : NULL;
}

static int by_place(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;
	int modules;

	if (!x->module != !y->module)
		return x->module ? 1 : -1;
	if (x->module) {
		modules = strcmp(x->module, y->module);
		if (modules)
			return modules;
		if (x->offset != y->offset)
			return x->offset < y->offset ? -1 : 1;
		return 0;
	}
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int by_time(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	/* One call is one instant: the function before its caller, as the kernel records them. */
	if (x->kind != y->kind)
		return x->kind & HIT_FUNCTION ? -1 : 1;
	return by_place(a, b);
}

/* Of two records of one place, the kinds add up and the earlier hit is the first. */
static void merge(struct hit *into, const struct hit *from)
{
	unsigned int kind = into->kind | from->kind;

	if (from->first_ns < into->first_ns)
		*into = *from;
	into->kind = kind;
}

void coverage__settle(struct coverage *c)
{
	size_t kept = 0;

	if (!c->count)
		return;
	qsort(c->hits, c->count, sizeof(*c->hits), by_place);
	for (size_t i = 1; i < c->count; i++) {
		if (!by_place(&c->hits[kept], &c->hits[i]))
			merge(&c->hits[kept], &c->hits[i]);
		else
			c->hits[++kept] = c->hits[i];
	}
	c->count = kept + 1;
	qsort(c->hits, c->count, sizeof(*c->hits), by_time);
}

static size_t count_kind(const struct coverage *c, unsigned int kind)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		count += !!(c->hits[i].kind & kind);
	return count;
}

size_t coverage__functions(const struct coverage *c)
{
	return count_kind(c, HIT_FUNCTION);
}

size_t coverage__callers(const struct coverage *c)
{
	return count_kind(c, HIT_CALLER);
}

const char *scope__name(enum scope scope)
{
	static const char *const names[] = {
		[SCOPE_SYSTEM] = "system",
		[SCOPE_TASK] = "task",
		[SCOPE_PID] = "pid",
		[SCOPE_BOOT] = "boot",
	};

	return names[scope];
}

static bool in_module(const struct symbols *s, struct hit *hit)
{
	const struct module *m = symbols__module(s, hit->module);

	/* Below its base: init text, which has no offset in .text. */
	if (!m || !m->base || hit->addr < m->base || hit->addr - m->base >= m->size)
		return false;
	hit->offset = hit->addr - m->base;
	return true;
}

static bool resolve_by(const struct symbols *s, const struct places *p, struct coverage *c,
		       struct hit *hit)
{
	const struct symbol *sym = symbols__find(s, hit->addr);

	if (!sym || symbol__is_generated(sym))
		return false;
	hit->name = coverage__name(c, sym->name);
	hit->module = sym->module ? strings__intern(c->names, sym->module) : NULL;
	if (hit->module)
		return in_module(s, hit);
	if (p->kernel->offset_known)
		hit->link = hit->addr - p->kernel->kaslr_offset;
	return true;
}

bool places__resolve(const struct places *p, struct coverage *c, struct hit *hit)
{
	const struct traceable_function *f = NULL;

	if (hit->kind & HIT_FUNCTION)
		f = traceable__find(p->traceable, hit->addr);
	if (f)
		hit->addr = f->entry;
	if (!(p->after && resolve_by(p->after, p, c, hit)) && !resolve_by(p->before, p, c, hit))
		return false;
	/* ftrace's own name for it: of several aliases kallsyms shows no favourite. */
	if (f)
		hit->name = coverage__name(c, f->name);
	return true;
}

static bool resolve_offset_by(const struct symbols *s, struct coverage *c, struct hit *hit)
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
	there.name = coverage__name(c, sym->name);
	*hit = there;
	return true;
}

void places__resolve_offset(const struct places *p, struct coverage *c, struct hit *hit)
{
	uint64_t start;

	if ((p->after && resolve_offset_by(p->after, c, hit)) ||
	    resolve_offset_by(p->before, c, hit) || !p->files)
		return;
	hit->name = coverage__name(c, module_files__find(p->files, hit->module, hit->offset,
							 &start));
	if (hit->name && hit->kind == HIT_FUNCTION)
		hit->offset = start;
}
