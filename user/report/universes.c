// SPDX-License-Identifier: GPL-2.0-only
/* Finds or makes a universe; see universes.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "image/image.h"
#include "image/lines.h"
#include "image/units.h"
#include "kernel/module_files.h"
#include "report/universes.h"
#include "run/output.h"

static int copy_text(char **ret, const char *text)
{
	*ret = text ? strdup(text) : NULL;
	return text && !*ret ? error__no_memory() : 0;
}

/* ---- the universe of a running kernel */

/* -ENODATA is no failure: without DWARF, functions have no places. */
static int open_units(struct units **ret, const char *vmlinux)
{
	int err = vmlinux ? units__open(ret, vmlinux) : -ENODATA;

	if (err == -ENODATA && vmlinux)
		error__warn("%s has no DWARF: grouping by symbol prefix", vmlinux);
	return err == -ENODATA ? 0 : err;
}

static int add_traceable(struct universe *u, const struct traceable_function *t, const struct symbols *s,
			 const struct kernel_id *id, const struct units *units)
{
	const struct module *m = t->module ? symbols__module(s, t->module) : NULL;
	const struct unit *unit;
	struct function f = {
		.addr = t->entry, .name = strings__add(u->names, t->name),
		.module = universe__text(u, t->module),
	};

	if (m) {
		f.init = t->entry < m->base;
		f.addr = t->entry - m->base;
	} else if (id->offset_known) {
		f.addr -= id->kaslr_offset;
		unit = units ? units__find(units, f.addr) : NULL;
		f.unit = unit ? universe__text(u, unit->path) : NULL;
	}
	return universe__add(u, &f);
}

int universe__of_kernel(struct universe *ret, const struct traceable *t, const struct symbols *s,
			const struct kernel_id *id, const char *vmlinux)
{
	struct units *units = NULL;
	int err;

	universe__init(ret);
	ret->linked = id->offset_known;
	err = copy_text(&ret->release, id->release);
	if (!err)
		err = copy_text(&ret->arch, id->arch);
	if (!err)
		err = copy_text(&ret->build_id, id->build_id);
	if (!err && id->offset_known)
		err = open_units(&units, vmlinux);
	ret->placed = units;
	for (size_t i = 0; !err && i < traceable__count(t); i++)
		err = add_traceable(ret, traceable__at(t, i), s, id, units);
	units__free(units);
	if (err)
		universe__free(ret);
	else
		universe__settle(ret);
	return err;
}

/* ---- the universe of files */

/* Sets the places of functions. @list: the image's functions, which @u has from @first on. */
static int place(struct universe *u, size_t first, const struct image *image, const struct image_function *list,
		 size_t count)
{
	uint64_t *addrs = calloc(count + 1, sizeof(*addrs));
	struct line_place *places = calloc(count + 1, sizeof(*places));
	int err = addrs && places ? 0 : error__no_memory();

	for (size_t i = 0; !err && i < count; i++)
		addrs[i] = list[i].addr;
	if (!err)
		err = lines__find(image, addrs, count, places);
	for (size_t i = 0; !err && i < count; i++) {
		struct function *f = &u->list[first + i];

		f->file = universe__text(u, places[i].file);
		f->line = places[i].line;
		/* A file of C may contain assembly, which has no lines. */
		if (list[i].untraced == UNTRACED_NOTRACE && !places[i].begins) {
			f->untraced = untraced__word(UNTRACED_ASSEMBLY);
			f->file = NULL;
			f->line = 0;
		}
	}
	free(addrs);
	free(places);
	return err == -ENODATA ? 0 : err;
}

static int add_image(struct universe *u, const struct image *image)
{
	size_t count, first = u->count;
	const struct image_function *list = image__functions(image, &count);
	const char *module = universe__text(u, image__module(image));
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		const struct unit *unit = image__unit(image, list[i].addr);
		struct function f = {
			.addr = list[i].addr, .name = strings__add(u->names, list[i].name), .module = module,
			.unit = unit ? universe__text(u, unit->path) : NULL, .sympos = list[i].sympos,
			.untraced = untraced__word(list[i].untraced), .init = list[i].init,
		};

		if (module && f.init)
			f.addr -= IMAGE_MODULE_INIT;
		u->placed |= f.unit && !module;
		err = universe__add(u, &f);
	}
	return err ? err : place(u, first, image, list, count);
}

static int add_file(struct universe *u, const char *path, const char *module)
{
	struct image *image;
	int err;

	err = image__open(&image, path, module);
	if (err)
		return err;
	if (!module) {
		err = copy_text(&u->release, image__release(image));
		if (!err)
			err = copy_text(&u->build_id, image__build_id(image));
		if (!err)
			err = copy_text(&u->arch, image__arch(image));
	}
	if (!err)
		err = add_image(u, image);
	image__free(image);
	return err;
}

int universe__of_files(struct universe *ret, const char *vmlinux, const struct module_file *modules, size_t count)
{
	int err;

	universe__init(ret);
	ret->linked = ret->whole = true;
	err = add_file(ret, vmlinux, NULL);
	for (size_t i = 0; !err && i < count; i++)
		err = add_file(ret, modules[i].path, modules[i].name);
	if (err)
		universe__free(ret);
	else
		universe__settle(ret);
	return err;
}

/* ---- the universe for documents */

struct wanted {
	const struct kernel_id *kernel;
	struct module_file *modules;	/* paths are freed with it */
	size_t count;
};

static bool has_module(const struct universe *u, const char *module)
{
	/* The modules come last; all functions of a module are together. */
	for (size_t i = u->count; i-- && u->list[i].module;) {
		if (!strcmp(u->list[i].module, module))
			return true;
	}
	return false;
}

static bool is_wanted(const struct wanted *w, const char *module)
{
	for (size_t i = 0; i < w->count; i++) {
		if (!strcmp(w->modules[i].name, module))
			return true;
	}
	return false;
}

static int want_module(struct wanted *w, const char *name)
{
	struct module_file *more;

	if (is_wanted(w, name))
		return 0;
	more = reallocarray(w->modules, w->count + 1, sizeof(*more));
	if (!more)
		return error__no_memory();
	w->modules = more;
	more[w->count++] = (struct module_file){ .name = name };
	return 0;
}

static int want_modules(struct wanted *w, const struct coverage *c)
{
	int err = 0;

	for (size_t i = 0; !err && i < c->modules.count; i++)
		err = want_module(w, c->modules.list[i].name);
	return err;
}

static int want(struct wanted *w, const struct coverage *const *documents, size_t count)
{
	int err = 0;

	w->kernel = &documents[0]->kernel;
	for (size_t i = 0; !err && i < count; i++) {
		const struct kernel_id *k = &documents[i]->kernel;

		if (k->build_id && w->kernel->build_id && strcmp(k->build_id, w->kernel->build_id))
			return error__return(-EINVAL, "the documents are of two builds of the kernel, %s and %s: one "
					     "report is about one build; `hytrace diff` tells two builds apart",
					     w->kernel->build_id, k->build_id);
		err = want_modules(w, documents[i]);
	}
	return err;
}

static int check_build(const struct universe *u, const struct wanted *w, const char *path)
{
	if (!u->build_id || !w->kernel->build_id || !strcmp(u->build_id, w->kernel->build_id))
		return 0;
	return error__return(-EINVAL, "%s: is of another build of the kernel, %s; the documents are of %s", path,
			     u->build_id, w->kernel->build_id);
}

/* Finds modules' files. Their builds are not checked, because few files have a build id. */
static void find_modules(struct wanted *w)
{
	char *directory;
	size_t kept = 0;

	if (asprintf(&directory, "/lib/modules/%s", w->kernel->release ?: "") < 0)
		return;
	for (size_t i = 0; i < w->count; i++) {
		w->modules[i].path = module_files__path(directory, w->modules[i].name);
		if (w->modules[i].path)
			w->modules[kept++] = w->modules[i];
	}
	w->count = kept;
	free(directory);
}

/* "~/.cache/hytrace/functions-BUILD_ID.json", to be freed; NULL: there is no such place. */
static char *kept_path(const struct wanted *w)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *directory, *path = NULL;

	if (!w->kernel->build_id || (!cache && !home))
		return NULL;
	if (asprintf(&directory, "%s%s/hytrace", cache && *cache ? cache : home, cache && *cache ? "" : "/.cache") < 0)
		return NULL;
	if ((mkdir(directory, 0755) && errno != EEXIST) ||
	    asprintf(&path, "%s/functions-%s.json", directory, w->kernel->build_id) < 0)
		path = NULL;
	free(directory);
	return path;
}

static bool read_kept(struct universe *ret, const struct wanted *w, const char *path)
{
	if (!path || access(path, R_OK) || universe__read_json(ret, path))
		return false;
	for (size_t i = 0; i < w->count; i++) {
		if (!has_module(ret, w->modules[i].name)) {
			universe__free(ret);
			return false;
		}
	}
	return true;
}

/* Keeps the universe for later. If that fails, the answer is the same. */
static void keep(const struct universe *u, const char *path)
{
	struct output *output;

	if (!path || output__open(&output, path, NULL))
		return;
	if (universe__write_json(u, output__stream(output)))
		output__discard(output);
	else
		output__commit(output);
}

static int find_files(struct universe *ret, struct wanted *w, const char *given)
{
	char *kept = given ? NULL : kept_path(w), *vmlinux = NULL;
	int err = 0;

	find_modules(w);
	if (read_kept(ret, w, kept)) {
		free(kept);
		return 0;
	}
	vmlinux = kernel_id__find_vmlinux(w->kernel, given);
	if (vmlinux) {
		err = universe__of_files(ret, vmlinux, w->modules, w->count);
		if (!err)
			err = check_build(ret, w, vmlinux);
		if (!err)
			keep(ret, kept);
	} else {
		universe__init(ret);
	}
	free(kept);
	free(vmlinux);
	return err;
}

static void free_wanted(struct wanted *w)
{
	for (size_t i = 0; i < w->count; i++)
		free((char *)w->modules[i].path);
	free(w->modules);
}

int universe__of_build(struct universe *ret, const struct kernel_id *id, const char *const *modules, size_t count,
		       const char *vmlinux)
{
	struct wanted w = { .kernel = id };
	int err = 0;

	for (size_t i = 0; !err && i < count; i++)
		err = want_module(&w, modules[i]);
	if (!err)
		err = find_files(ret, &w, vmlinux);
	free_wanted(&w);
	return err;
}

int universe__find_for(struct universe *ret, const struct coverage *const *documents, size_t count,
		       const struct universe_source *source)
{
	struct wanted w = {};
	int err;

	err = want(&w, documents, count);
	if (!err && source->universe) {
		err = universe__read_json(ret, source->universe);
		if (!err)
			err = check_build(ret, &w, source->universe);
		if (!err && ret->some)
			err = error__return(-EINVAL, "%s: has some functions of that kernel: make it again by "
					    "`hytrace functions -f json` without names", source->universe);
	} else if (!err) {
		err = find_files(ret, &w, source->vmlinux);
		if (!err && !ret->count)
			error__warn("the functions of %s are not known, and so are shares: give --vmlinux FILE, or "
				    "--universe FILE, made by `hytrace functions -f json` where it runs",
				    w.kernel->release ?: "that kernel");
	}
	free_wanted(&w);
	return err;
}
