// SPDX-License-Identifier: GPL-2.0-only
/* Finds and reads the files of a kernel; see images.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "kernel/elf_file.h"
#include "report/images.h"

static bool is_of_another_build(const char *build_id, const char *wanted)
{
	return wanted && !text__equals(build_id, wanted);
}

static void add(struct images *images, struct image *image, const char *module)
{
	struct image_of *of = LIST_ADD(images->list, images->count);
	size_t count;

	*of = (struct image_of){ .module = module, .image = image, .first = images->functions };
	if (!image)
		return;
	image__functions(image, &count);
	images->functions += count;
	of->calls = calls__open(image);
}

/*
 * Looks beside vmlinux, and then, if a build id can tell that a file is of another build, in
 * /lib/modules.
 */
static char *find_module(const struct images *images, const struct covered_module *m, const char *vmlinux)
{
	char *path = NULL;

	for (int i = 0; !path && i < (m->build_id ? 2 : 1); i++) {
		char *directory = module_files__directory(i ? NULL : vmlinux, images->release);

		path = module_files__path(directory, m->name);
		free(directory);
	}
	return path;
}

static void add_module(struct images *images, const struct covered_module *m, const char *vmlinux)
{
	char *path = find_module(images, m, vmlinux);
	struct image *image = NULL;

	if (!path || access(path, R_OK)) {
		error__warn("the file of module %s was not found: its calls are not known", m->name);
	} else if (!image__open(&image, path, m->name) && is_of_another_build(image__build_id(image), m->build_id)) {
		error__warn("%s: is of another build than the module that was loaded: its calls are not known", path);
		image__free(image);
		image = NULL;
	}
	free(path);
	add(images, image, m->name);
}

static int add_vmlinux(struct images *images, const struct kernel_id *id, const char *path)
{
	struct image *image;
	int err;

	err = image__open(&image, path, NULL);
	if (err)
		return err;
	if (is_of_another_build(image__build_id(image), id->build_id)) {
		err = error__return(-EINVAL, "%s: is of another build of the kernel, %s; the recording is of %s", path,
				    image__build_id(image) ?: "unknown", id->build_id);
		image__free(image);
		return err;
	}
	if (!id->build_id)
		error__warn("%s: the recording has no build id of its kernel, so it cannot be checked whether "
			    "this is its vmlinux; if it is another one, the answers are wrong", path);
	add(images, image, NULL);
	return 0;
}

static void add_modules(struct images *images, const struct coverage *c, const char *vmlinux)
{
	for (size_t i = 0; i < c->modules.count; i++) {
		if (!images__get(images, c->modules.list[i].name))
			add_module(images, &c->modules.list[i], vmlinux);
	}
	/* A module that came and went is in no list of modules. */
	for (size_t i = 0; i < c->hits.count; i++) {
		const struct covered_module one = { .name = (char *)c->hits.list[i].module };

		if (one.name && !images__get(images, one.name))
			add_module(images, &one, vmlinux);
	}
}

int images__open(struct images *ret, const struct coverage *const *documents, size_t count, const char *vmlinux)
{
	const struct kernel_id *id = &documents[0]->kernel;
	char *path;
	int err;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 1; i < count; i++) {
		if (is_of_another_build(documents[i]->kernel.build_id, id->build_id))
			return error__return(-EINVAL, "the recordings are of two builds of the kernel, %s and %s: one "
					     "answer is about one build", id->build_id,
					     documents[i]->kernel.build_id ?: "unknown");
	}
	path = kernel_id__find_vmlinux(id, vmlinux);
	if (!path)
		return error__return(-EINVAL, "the vmlinux of %s (build id %s) was not found, and only it says "
				     "what a call calls: give --vmlinux FILE", id->release ?: "that kernel",
				     id->build_id ?: "unknown");
	ret->release = xstrdup(id->release ?: "");
	err = add_vmlinux(ret, id, path);
	for (size_t d = 0; !err && d < count; d++)
		add_modules(ret, documents[d], path);
	free(path);
	return err;
}

void images__of_vmlinux(struct images *ret, struct image *image)
{
	memset(ret, 0, sizeof(*ret));
	add(ret, image, NULL);
}

void images__free(struct images *images)
{
	for (size_t i = 0; i < images->count; i++) {
		inlines__free(images->list[i].inlines);
		references__free(images->list[i].references);
		calls__free(images->list[i].calls);
		image__free(images->list[i].image);
	}
	free(images->list);
	free(images->release);
}

struct image_of *images__get(const struct images *images, const char *module)
{
	for (size_t i = 0; i < images->count; i++) {
		if (text__equals(images->list[i].module, module))
			return &images->list[i];
	}
	return NULL;
}

int images__inlines(const struct images *images)
{
	int err = 0;

	for (size_t i = 0; !err && i < images->count; i++) {
		struct image_of *of = &images->list[i];

		if (!of->image || of->inlines)
			continue;
		err = inlines__read(&of->inlines, of->image);
		if (err == -ENODATA)
			err = 0;
	}
	return err;
}

size_t images__number(const struct image_of *of, const struct image_function *f)
{
	size_t count;

	return of->first + (f - image__functions(of->image, &count));
}

const struct image_function *images__function(const struct images *images, size_t number,
					      const struct image_of **ret_of)
{
	for (size_t i = images->count; i--;) {
		const struct image_of *of = &images->list[i];
		size_t count;

		if (!of->image || number < of->first)
			continue;
		*ret_of = of;
		return image__functions(of->image, &count) + (number - of->first);
	}
	return NULL;
}

/* ---- places in the source */

void source_lines__want(struct source_lines *s, const struct image_of *of, uint64_t addr)
{
	*LIST_ADD(s->list, s->count) = (struct source_line){ .of = of, .addr = addr };
}

static int by_place(const void *a, const void *b)
{
	const struct source_line *x = a, *y = b;

	return ORDER(x->of, y->of) ?: ORDER(x->addr, y->addr);
}

/* Finds the lines for addresses in one file. */
static void find_in(const struct source_lines *s, struct source_line *list, size_t count)
{
	uint64_t *addrs = xcalloc(count, sizeof(*addrs));
	struct line_place *places = xcalloc(count, sizeof(*places));

	for (size_t i = 0; i < count; i++)
		addrs[i] = list[i].addr;
	/* Without debug information, no place is known. */
	(s->entries ? lines__defined : lines__find)(list[0].of->image, addrs, count, places);
	for (size_t i = 0; i < count; i++)
		list[i].place = places[i];
	free(addrs);
	free(places);
}

void source_lines__find(struct source_lines *s)
{
	if (s->count)
		qsort(s->list, s->count, sizeof(*s->list), by_place);
	for (size_t first = 0, end; first < s->count; first = end) {
		for (end = first + 1; end < s->count && s->list[end].of == s->list[first].of; end++)
			;
		find_in(s, &s->list[first], end - first);
	}
}

const struct line_place *source_lines__get(const struct source_lines *s, const struct image_of *of, uint64_t addr)
{
	struct source_line key = { .of = of, .addr = addr }, *found;

	found = s->count ? bsearch(&key, s->list, s->count, sizeof(key), by_place) : NULL;
	return found && found->place.file ? &found->place : NULL;
}

void source_lines__free(struct source_lines *s)
{
	free(s->list);
}
