// SPDX-License-Identifier: GPL-2.0-only
/* Finds and reads the files of a kernel; see images.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/elf_file.h"
#include "report/images.h"

static bool is_of_another_build(const char *build_id, const char *wanted)
{
	return wanted && !text__equals(build_id, wanted);
}

static int add(struct images *images, struct image *image, const char *module)
{
	struct image_of *of = LIST_ADD(images->list, images->count);
	size_t count;

	*of = (struct image_of){ .module = module, .image = image, .first = images->functions };
	if (!image)
		return 0;
	image__functions(image, &count);
	images->functions += count;
	return calls__open(&of->calls, image);
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

static int add_module(struct images *images, const struct covered_module *m, const char *vmlinux)
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
	return add(images, image, m->name);
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
	return add(images, image, NULL);
}

static int add_modules(struct images *images, const struct coverage *c, const char *vmlinux)
{
	int err = 0;

	for (size_t i = 0; !err && i < c->modules.count; i++) {
		if (!images__get(images, c->modules.list[i].name))
			err = add_module(images, &c->modules.list[i], vmlinux);
	}
	/* A module that came and went is in no list of modules. */
	for (size_t i = 0; !err && i < c->hits.count; i++) {
		const struct covered_module one = { .name = (char *)c->hits.list[i].module };

		if (one.name && !images__get(images, one.name))
			err = add_module(images, &one, vmlinux);
	}
	return err;
}

static int add_all(struct images *images, const struct coverage *const *documents, size_t count, const char *vmlinux)
{
	int err;

	err = add_vmlinux(images, &documents[0]->kernel, vmlinux);
	for (size_t d = 0; !err && d < count; d++)
		err = add_modules(images, documents[d], vmlinux);
	return err;
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
	err = add_all(ret, documents, count, path);
	free(path);
	return err;
}

int images__of_vmlinux(struct images *ret, struct image *image)
{
	memset(ret, 0, sizeof(*ret));
	return add(ret, image, NULL);
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
		const char *has = images->list[i].module;

		if (module ? has && !strcmp(has, module) : !has)
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
