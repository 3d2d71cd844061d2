// SPDX-License-Identifier: GPL-2.0-only
/* Finds used objects and options; see evidence.h. */
#include "base/error.h"
#include "base/index.h"
#include "image/imports.h"
#include "image/lines.h"
#include "kernel/elf_file.h"
#include "report/images.h"
#include "tailor/evidence.h"

const char *const seen_words[] = { "used", "boot only", "init only", "never ran", "cannot be seen", NULL };

#define PREFIX "CONFIG_"

struct collector {
	struct evidence *e;
	const struct documents *documents;
	struct images *images;
	const struct owners *owners;
	struct kbuild *k;
	struct conditions *conditions;
	struct source_lines lines;
	struct lh_table *by_unit;	/* struct unit -> struct object_facts; NULL: Kbuild does not know the object */
	struct lh_table *by_name;	/* name of an option -> its index in e->options, plus 1 */
	bool *imported;		/* for each image: its imports are in the evidence */
	bool lossy;
};

/* A recorded address, as it was found in the kernel's files. */
struct spot {
	const struct image_of *of;
	uint64_t addr;		/* for a return address: the byte before it, which is in the call */
	const struct image_function *f;		/* NULL: unknown */
	const struct unit *unit;		/* NULL: unknown */
};

/* ---- options */

/* @name: "CONFIG_X" */
static struct option_facts *get_option(struct collector *c, const char *name)
{
	struct lh_entry *entry;
	struct evidence *e = c->e;
	struct option_facts *o;

	name += strlen(PREFIX);
	entry = lh_table_lookup_entry(c->by_name, name);
	if (entry)
		return &e->options[(uintptr_t)lh_entry_v(entry) - 1];
	o = LIST_ADD(e->options, e->option_count);
	*o = (struct option_facts){ .name = strings__intern(c->k->names, name), .witness.in = SEEN_BLIND };
	index__add(c->by_name, o->name, (void *)e->option_count);
	return o;
}

static void witness(struct witness *has, const struct witness *new)
{
	if (new->in < has->in)
		*has = *new;
}

/* ---- objects */

/*
 * Finds the object of a compiled file: "fs/x.c" is in "fs/x.o". Early boot code that does not run
 * at its linked address is in ".pi.o", with renamed symbols (arch/x86/boot/startup/Makefile).
 */
static const struct owned *owner_of(const struct collector *c, const char *unit, const char *module)
{
	static const char *const suffixes[] = { ".o", ".pi.o" };
	const char *dot = strrchr(unit, '.');
	const struct owned *owned = NULL;
	char path[1024];

	for (size_t i = 0; dot && !owned && i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (snprintf(path, sizeof(path), "%.*s%s", (int)(dot - unit), unit, suffixes[i]) < (int)sizeof(path))
			owned = owners__get(c->owners, path, module);
	}
	return owned;
}

static void add_unit(struct collector *c, const struct image_of *of, const struct unit *unit)
{
	const struct owned *owned = owner_of(c, unit->path, of->module);
	struct object_facts *facts = owned ? &c->e->objects[owned - c->owners->list] : NULL;
	struct evidence *e = c->e;

	conditions__compiled(c->conditions, unit->path);
	if (facts)
		facts->linked = true;
	if (!of->module) {
		e->units++;
		if (!facts)
			*LIST_ADD(e->unowned, e->unowned_count) = unit->path;
	}
	index__add(c->by_unit, unit, facts);
}

static struct object_facts *object_of(const struct collector *c, const struct unit *unit)
{
	struct lh_entry *entry = unit ? lh_table_lookup_entry(c->by_unit, unit) : NULL;

	return entry ? lh_entry_v(entry) : NULL;
}

static void count_functions(struct collector *c, const struct image_of *of)
{
	size_t units, count;
	const struct unit *list = image__units(of->image, &units);
	const struct image_function *functions = image__functions(of->image, &count);

	for (size_t i = 0; i < units; i++)
		add_unit(c, of, &list[i]);
	for (size_t i = 0; i < count; i++) {
		struct object_facts *facts = object_of(c, image__unit(of->image, functions[i].addr));

		if (!facts)
			continue;
		facts->functions++;
		facts->bytes += functions[i].size;
		if (functions[i].untraced == UNTRACED_NOT) {
			facts->traceable++;
			facts->staying += !functions[i].init;
			/* A traceable function would have been recorded if it had run. */
			witness(&facts->witness, &(struct witness){ .in = SEEN_NEVER });
		}
	}
}

/* ---- addresses */

static struct spot spot_of(const struct collector *c, const struct hit *hit)
{
	const struct image_of *of = images__get(c->images, hit->module);
	struct spot s = {};

	if (!of || !of->image || (!hit->module && !hit->link))
		return s;
	s.of = of;
	s.addr = (hit->module ? hit->offset : hit->link) - (hit->kind == HIT_CALLER);
	s.f = image__function_at(of->image, s.addr);
	s.unit = image__unit(of->image, s.addr);
	return s;
}

static struct witness make_witness(const struct collector *c, size_t document, const struct spot *s)
{
	const struct coverage *d = c->documents->list[document];
	bool init = s->f && s->f->init;

	return (struct witness){
		.in = init ? SEEN_INIT : d->scope.kind == SCOPE_BOOT ? SEEN_BOOT : SEEN_RUN,
		.function = s->f ? s->f->name : NULL, .document = c->documents->labels[document],
	};
}

static void see_objects(struct collector *c)
{
	for (size_t d = 0; d < c->documents->count; d++) {
		const struct hits *hits = &c->documents->list[d]->hits;

		for (size_t i = 0; i < hits->count; i++) {
			struct spot s = spot_of(c, &hits->list[i]);
			struct object_facts *facts = object_of(c, s.unit);
			struct witness w = make_witness(c, d, &s);

			c->e->addresses++;
			if (!facts) {
				if (!c->e->unattributed++)
					c->e->an_unattributed = xasprintf("%s in %s",
									  hits->list[i].name ?: "an address",
									  hits->list[i].module ?: "vmlinux");
				continue;
			}
			w.place = facts->owned->path;
			witness(&facts->witness, &w);
			source_lines__want(&c->lines, s.of, s.addr);
		}
	}
}

static void see_line(struct collector *c, const char *unit, const char *file, unsigned int line, struct witness w)
{
	const struct condition *needs = conditions__at(c->conditions, unit, file, line);

	w.place = file;
	w.line = line;
	for (; needs; needs = needs->outer) {
		for (size_t i = 0; i < needs->count; i++) {
			if (kbuild__value(c->k, needs->options[i]))
				witness(&get_option(c, needs->options[i])->witness, &w);
		}
	}
}

static void see_lines_of(struct collector *c, size_t document, const struct hit *hit)
{
	struct spot s = spot_of(c, hit);
	struct witness w = make_witness(c, document, &s);
	const struct line_place *place;
	const struct inlined *pieces = NULL;
	size_t count = 0;

	if (!object_of(c, s.unit))
		return;
	place = source_lines__get(&c->lines, s.of, s.addr);
	if (place)
		see_line(c, s.unit->path, place->file, place->line, w);
	if (s.f && s.of->inlines)
		pieces = inlines__inside(s.of->inlines, s.f, &count);
	for (size_t i = 0; i < count; i++) {
		if (pieces[i].file && s.addr - pieces[i].start < pieces[i].end - pieces[i].start)
			see_line(c, s.unit->path, pieces[i].file, pieces[i].line, w);
	}
}

static void see_lines(struct collector *c)
{
	source_lines__find(&c->lines);
	for (size_t d = 0; d < c->documents->count; d++) {
		const struct hits *hits = &c->documents->list[d]->hits;

		for (size_t i = 0; i < hits->count; i++)
			see_lines_of(c, d, &hits->list[i]);
	}
}

/* ---- modules that were loaded */

static void see_import(struct collector *c, const struct import *i, struct witness w)
{
	const struct owned *owned = i->unit ? owner_of(c, i->unit, NULL) : NULL;
	struct object_facts *facts = owned ? &c->e->objects[owned - c->owners->list] : NULL;

	if (!facts)
		return;
	w.function = i->name;
	w.place = owned->path;
	witness(&facts->witness, &w);
	if (i->file)
		see_line(c, i->unit, i->file, i->line, w);
}

/* An out-of-tree module cannot be loaded without the symbols it imports, so they count as used. */
static int see_imports(struct collector *c, const struct witness *w)
{
	const struct image_of *of = images__get(c->images, w->module);
	struct imports imports = {};

	if (!of || !of->image)
		return c->lossy ? 0 :
		       error__return(-EINVAL, "%s: names module %s, which Kbuild does not know and whose file "
				     "was not found, so what it imports may go: install it in /lib/modules/%s, "
				     "or go on with --lossy", w->document, w->module, c->images->release);
	if (c->imported[of - c->images->list])
		return 0;
	c->imported[of - c->images->list] = true;
	imports__find(&imports, of->image, c->images->list[0].image);
	for (size_t i = 0; i < imports.count; i++)
		see_import(c, &imports.list[i], *w);
	imports__free(&imports);
	return 0;
}

/*
 * A module that was loaded counts as used, even if none of its functions was recorded: no recording
 * lists its init text, and the module may have run before the recording began.
 */
static int see_module(struct collector *c, size_t document, const char *name)
{
	struct witness w = { .in = SEEN_RUN, .document = c->documents->labels[document], .module = name };
	bool known = false;

	for (size_t i = 0; i < c->owners->count; i++) {
		const struct owned *o = &c->owners->list[i];

		if (o->module && module_file__is(o->module, strlen(o->module), name, ".o")) {
			witness(&c->e->objects[i].witness, &w);
			known = true;
		}
	}
	return known ? 0 : see_imports(c, &w);
}

static int see_modules(struct collector *c)
{
	int err = 0;

	for (size_t d = 0; !err && d < c->documents->count; d++) {
		const struct covered_modules *modules = &c->documents->list[d]->modules;
		const struct hits *hits = &c->documents->list[d]->hits;
		const char *last = NULL;

		for (size_t m = 0; !err && m < modules->count; m++)
			err = see_module(c, d, modules->list[m].name);
		/* A module that was removed meanwhile is in no list of modules, but its functions are in the hits. */
		for (size_t i = 0; !err && i < hits->count; i++) {
			const char *module = hits->list[i].module;

			if (module && (!last || strcmp(module, last)))
				err = see_module(c, d, last = module);
		}
	}
	return err;
}

/* A module that no recording names was not loaded, so nothing in it can have run. */
static void miss_modules(struct collector *c)
{
	for (size_t i = 0; i < c->owners->count; i++) {
		if (c->owners->list[i].module)
			witness(&c->e->objects[i].witness, &(struct witness){ .in = SEEN_NEVER });
	}
}

/* ---- all */

static void add_object(struct option_facts *o, const struct object_facts *facts)
{
	o->objects++;
	o->functions += facts->functions;
	o->traceable += facts->traceable;
	o->staying += facts->staying;
	o->bytes += facts->bytes;
}

static void pass_to_options(struct collector *c)
{
	for (size_t i = 0; i < c->owners->count; i++) {
		const struct object_facts *facts = &c->e->objects[i];

		for (size_t n = 0; n < facts->owned->needs.count; n++) {
			const struct need *need = facts->owned->needs.list[n];

			/* An object that needs A or B proves A and B, and counts for neither. */
			for (size_t j = 0; j < need->count; j++) {
				struct option_facts *o = get_option(c, need->options[j]);

				witness(&o->witness, &facts->witness);
				if (need->count == 1 && facts->linked)
					add_object(o, facts);
			}
		}
	}
}

static int by_name(const void *a, const void *b)
{
	const struct option_facts *x = a, *y = b;

	return strcmp(x->name, y->name);
}

int evidence__collect(struct evidence *ret, const struct documents *documents, struct images *images,
		      const struct owners *owners, struct kbuild *k, bool lossy)
{
	struct collector c = {
		.e = ret, .documents = documents, .images = images, .owners = owners, .k = k, .lossy = lossy
	};
	int err;

	*ret = (struct evidence){};
	ret->objects = xcalloc(owners->count, sizeof(*ret->objects));
	c.by_unit = index__of_addresses(4096);
	c.by_name = index__new(4096, NULL);
	c.conditions = conditions__new(k->source);
	c.imported = xcalloc(images->count, sizeof(*c.imported));
	for (size_t i = 0; i < owners->count; i++) {
		ret->objects[i].owned = &owners->list[i];
		ret->objects[i].witness.in = SEEN_BLIND;
		ret->objects[i].linked = !owned__needs_unit(&owners->list[i], k->source);
	}
	err = images__inlines(images);
	for (size_t i = 0; !err && i < images->count; i++) {
		if (images->list[i].image)
			count_functions(&c, &images->list[i]);
	}
	if (!err) {
		see_objects(&c);
		see_lines(&c);
		err = see_modules(&c);
	}
	miss_modules(&c);
	pass_to_options(&c);
	if (ret->option_count)
		qsort(ret->options, ret->option_count, sizeof(*ret->options), by_name);
	source_lines__free(&c.lines);
	conditions__free(c.conditions);
	free(c.imported);
	lh_table_free(c.by_unit);
	lh_table_free(c.by_name);
	return err;
}

void evidence__free(struct evidence *e)
{
	free(e->objects);
	free(e->options);
	free(e->an_unattributed);
	free(e->unowned);
}

const struct option_facts *evidence__option(const struct evidence *e, const char *name)
{
	struct option_facts key = { .name = name };

	return e->option_count ? bsearch(&key, e->options, e->option_count, sizeof(key), by_name) : NULL;
}
