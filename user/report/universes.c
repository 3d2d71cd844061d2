// SPDX-License-Identifier: GPL-2.0-only
/* Makes universes; see universes.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "image/image.h"
#include "image/lines.h"
#include "image/units.h"
#include "report/universes.h"

static void add_module(struct universe *u, const char *name, const char *build_id)
{
	covered_modules__add(&u->modules, name)->build_id = xstrdup(build_id);
}

/* ---- of the running kernel */

/* -ENODATA is no failure: without DWARF, source files stay unknown. */
static int open_units(struct units **ret, const char *vmlinux)
{
	int err = vmlinux ? units__open(ret, vmlinux) : -ENODATA;

	if (err == -ENODATA && vmlinux)
		error__warn("%s has no debug information: source files are not known", vmlinux);
	return err == -ENODATA ? 0 : err;
}

static void add_traceable(struct universe *u, const struct traceable_function *t, const struct kernel *k,
			  const struct units *units)
{
	const struct module *m = t->module ? symbols__module(k->symbols, t->module) : NULL;
	const struct unit *unit;
	struct function f = {
		.addr = t->entry, .name = strings__add(u->names, t->name),
		.module = universe__text(u, t->module),
	};

	if (m) {
		f.init = t->entry < m->base;
		f.addr = t->entry - m->base;
	} else if (k->id.offset_known) {
		f.addr -= k->id.kaslr_offset;
		unit = units ? units__find(units, f.addr) : NULL;
		f.unit = unit ? universe__text(u, unit->path) : NULL;
	}
	universe__add(u, &f);
}

/* @u has no kernel before. */
static void set_kernel(struct universe *u, const char *release, const char *arch, const char *build_id)
{
	u->release = xstrdup(release);
	u->arch = xstrdup(arch);
	u->build_id = xstrdup(build_id);
}

bool universe__has_module(const struct universe *u, const char *module)
{
	return covered_modules__find(&u->modules, module);
}

/* Adds functions of the running kernel: of modules that @u lacks, and, if @vmlinux, of vmlinux. */
static void add_running(struct universe *u, const struct kernel *k, bool vmlinux, const struct units *units)
{
	struct covered_modules loaded = {};
	struct universe had = { .modules = u->modules };

	u->modules = (struct covered_modules){};
	covered_modules__read(&loaded, k->symbols, NULL);
	for (size_t i = 0; i < had.modules.count; i++)
		add_module(u, had.modules.list[i].name, had.modules.list[i].build_id);
	for (size_t i = 0; i < loaded.count; i++) {
		if (!universe__has_module(&had, loaded.list[i].name))
			add_module(u, loaded.list[i].name, loaded.list[i].build_id);
	}
	for (size_t i = 0; i < traceable__count(k->traceable); i++) {
		const struct traceable_function *t = traceable__at(k->traceable, i);

		if (t->module ? !universe__has_module(&had, t->module) : vmlinux)
			add_traceable(u, t, k, units);
	}
	covered_modules__free(&loaded);
	covered_modules__free(&had.modules);
}

void universe__add_modules_of_running(struct universe *u, const struct kernel *k)
{
	add_running(u, k, false, NULL);
	universe__settle(u);
}

int universe__of_kernel(struct universe *ret, const struct kernel *k, const char *vmlinux)
{
	const struct kernel_id *id = &k->id;
	struct units *units = NULL;
	int err = id->offset_known ? open_units(&units, vmlinux) : 0;

	if (err)
		return err;
	universe__init(ret);
	set_kernel(ret, id->release, id->arch, id->build_id);
	ret->linked = id->offset_known;
	ret->placed = units;
	add_running(ret, k, true, units);
	units__free(units);
	universe__settle(ret);
	return 0;
}

/* ---- of files */

/* Finds source lines. @list: the image's functions, which are in @u from index @first on. */
static void place(struct universe *u, size_t first, const struct image *image, const struct image_function *list,
		  size_t count)
{
	uint64_t *addrs = xcalloc(count, sizeof(*addrs));
	struct line_place *places = xcalloc(count, sizeof(*places));
	int err;

	for (size_t i = 0; i < count; i++)
		addrs[i] = list[i].addr;
	err = lines__defined(image, addrs, count, places);
	for (size_t i = 0; !err && i < count; i++) {
		struct function *f = &u->list[first + i];

		f->file = universe__text(u, places[i].file);
		f->line = places[i].line;
		/* No line begins at a function that is written in assembly in a C file. */
		if (!places[i].begins &&
		    (list[i].untraced == UNTRACED_NOTRACE || list[i].untraced == UNTRACED_NO_CALL ||
		     list[i].untraced == UNTRACED_FILE))
			f->untraced = untraced__word(UNTRACED_ASSEMBLY);
	}
	free(addrs);
	free(places);
}

static void add_image(struct universe *u, const struct image *image)
{
	size_t count, first = u->count;
	const struct image_function *list = image__functions(image, &count);
	const char *module = universe__text(u, image__module(image));

	for (size_t i = 0; i < count; i++) {
		const struct unit *unit = image__unit(image, list[i].addr);
		struct function f = {
			.addr = list[i].addr, .name = strings__add(u->names, list[i].name), .module = module,
			.unit = unit ? universe__text(u, unit->path) : NULL, .sympos = list[i].sympos,
			.untraced = untraced__word(list[i].untraced), .init = list[i].init,
		};

		if (module && f.init)
			f.addr -= IMAGE_MODULE_INIT;
		u->placed |= f.unit && !module;
		universe__add(u, &f);
	}
	place(u, first, image, list, count);
}

static int add_vmlinux(struct universe *u, const char *path)
{
	struct image *image;
	int err;

	err = image__open(&image, path, NULL);
	if (err)
		return err;
	set_kernel(u, image__release(image), image__arch(image), image__build_id(image));
	add_image(u, image);
	image__free(image);
	return 0;
}

/* Leaves out a file of another build, in which the same offsets are other functions. */
int universe__add_module_file(struct universe *u, const struct module_file *m)
{
	const char *build_id;
	struct image *image;
	int err;

	err = image__open(&image, m->path, m->name);
	if (err)
		return err;
	build_id = image__build_id(image);
	if (u->release && image__release(image) && strcmp(u->release, image__release(image)))
		error__warn("%s: is a module of the kernel %s, and not of %s",
			    m->path, image__release(image), u->release);
	if (text__is_known_other(m->build_id, build_id)) {
		error__warn("%s: is another build of the module %s than the recorded one (%s): its functions are not "
			    "known", m->path, m->name, m->build_id);
	} else {
		add_module(u, m->name, build_id);
		add_image(u, image);
	}
	image__free(image);
	return 0;
}

int universe__of_files(struct universe *ret, const char *vmlinux, const struct module_file *modules, size_t count)
{
	int err;

	universe__init(ret);
	ret->linked = ret->whole = true;
	err = add_vmlinux(ret, vmlinux);
	for (size_t i = 0; !err && i < count; i++) {
		if (modules[i].path)
			err = universe__add_module_file(ret, &modules[i]);
	}
	if (err) {
		universe__free(ret);
		return err;
	}
	if (!ret->placed)
		error__warn("%s has no debug information: source files are not known", vmlinux);
	universe__settle(ret);
	return 0;
}
