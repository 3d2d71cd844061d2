// SPDX-License-Identifier: GPL-2.0-only
/* Reads the files of a build; see build.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "affected/build.h"
#include "affected/patch.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "kernel/elf_file.h"

static int by_place(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	return strcmp(x->file, y->file) ?: ORDER(x->line, y->line) ?: strcmp(x->name, y->name);
}

static int by_file(const void *a, const void *b)
{
	return strcmp(((const struct spot *)a)->file, ((const struct spot *)b)->file);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct wanted_file *)a)->path, ((const struct wanted_file *)b)->path);
}

const struct wanted_file *build__file(const struct build *b, const char *path)
{
	struct wanted_file key = { .path = path };

	return path && b->file_count ? bsearch(&key, b->files, b->file_count, sizeof(key), by_path) : NULL;
}

const struct spot *wanted_file__before(const struct wanted_file *f, unsigned int line)
{
	size_t low = 0, high = f->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->spots[middle].line <= line)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &f->spots[low - 1] : NULL;
}

const struct spot *wanted_file__named(const struct wanted_file *f, const char *name)
{
	for (size_t i = 0; i < f->count; i++) {
		if (!strcmp(f->spots[i].name, name))
			return &f->spots[i];
	}
	return NULL;
}

static void add_spots(struct build *b, size_t image)
{
	const struct inlines *in = b->proof.images.list[image].inlines;
	size_t count = 0;
	const struct source_function *list = in ? inlines__sources(in, &count) : NULL;

	for (size_t i = 0; i < count; i++) {
		struct spot s = { list[i].file, list[i].name, list[i].line, list[i].line, image, i };

		if (s.file && build__file(b, s.file))
			*LIST_ADD(b->spots, b->count) = s;
	}
}

static void sort_spots(struct build *b)
{
	if (b->count)
		qsort(b->spots, b->count, sizeof(*b->spots), by_place);
	for (size_t i = 0; i < b->file_count; i++) {
		struct wanted_file *f = &b->files[i];
		const struct spot key = { .file = f->path };

		f->spots = b->spots + sorted__equals(b->spots, b->count, sizeof(key), &key, by_file, &f->count);
	}
}

struct reading {
	struct build *b;
	const char *path;		/* the last one */
	struct wanted_file *file;	/* NULL: it does not matter */
};

/* Several spots may begin at a line: of vmlinux and modules, and those that a macro has made. */
static bool take_row(const char *path, unsigned int line, void *data)
{
	struct reading *r = data;
	struct spot *s;

	if (path != r->path) {
		r->path = path;
		r->file = (struct wanted_file *)build__file(r->b, path);
	}
	if (!r->file)
		return false;
	r->file->units += !line;
	s = line ? (struct spot *)wanted_file__before(r->file, line) : NULL;
	for (unsigned int begins = s ? s->line : 0; s && s >= r->file->spots && s->line == begins && s->end < line; s--)
		s->end = line;
	return true;
}

/* ---- modules that no run had, and that may be built from a file of the patch */

struct module_paths {
	char **list;			/* "kernel/fs/ext4/ext4.ko", from the directory of modules on */
	size_t count, skip;
};

static int add_path(const char *path, void *data)
{
	struct module_paths *m = data;

	*LIST_ADD(m->list, m->count) = xstrdup(path + m->skip);
	return 0;
}

/* Modules may be in a directory above their sources, or in one below it. */
#define MOST_BELOW 32

static bool is_near(const char *path, const char *directory, size_t length, bool below)
{
	static const char top[] = "kernel/";

	path += !strncmp(path, top, strlen(top)) ? strlen(top) : 0;
	return !strncmp(path, directory, length) && path[length] == '/' &&
	       (below || !strchr(path + length + 1, '/'));
}

static size_t count_near(const struct module_paths *m, const char *directory, size_t length, bool below)
{
	size_t count = 0;

	for (size_t i = 0; i < m->count; i++)
		count += is_near(m->list[i], directory, length, below);
	return count;
}

static void want_near(const struct module_paths *m, const char *file, struct coverage *c)
{
	size_t length = strlen(file), all;
	bool below;

	/* The directory of the file, or the next one above that has modules, but not a whole part of the kernel. */
	do {
		while (length && file[--length] != '/')
			;
		all = count_near(m, file, length, true);
		below = all <= MOST_BELOW;
	} while (length && !(below ? all : count_near(m, file, length, false)));
	if (!length || (!memchr(file, '/', length) && below && !count_near(m, file, length, false)))
		return;
	for (size_t i = 0; i < m->count; i++) {
		char *name = is_near(m->list[i], file, length, below) ? module_file__name(m->list[i]) : NULL;

		if (name && !covered_modules__find(&c->modules, name))
			covered_modules__add(&c->modules, name);
		free(name);
	}
}

static bool is_unit(const struct image *image, const char *path)
{
	size_t count;
	const struct unit *units = image__units(image, &count);

	/* Only a compiled file can be that of a module. */
	if (!path__is_compiled(path))
		return true;
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(units[i].path, path))
			return true;
	}
	return false;
}

static void want_modules(struct build *b, const struct image *vmlinux, struct coverage *c)
{
	char *directory = module_files__directory(b->vmlinux, b->release);
	struct module_paths m = { .skip = strlen(directory) + 1 };

	if (!access(directory, R_OK))
		module_files__each(directory, add_path, &m);
	for (size_t i = 0; m.count && i < b->file_count; i++) {
		if (!is_unit(vmlinux, b->files[i].path))
			want_near(&m, b->files[i].path, c);
	}
	for (size_t i = 0; i < m.count; i++)
		free(m.list[i]);
	free(m.list);
	free(directory);
}

/* @runs: gets modules that no run had. */
static int open_images(struct build *b, struct coverage *runs)
{
	struct image *image;
	int err;

	err = image__open(&image, b->vmlinux, NULL);
	if (err)
		return err;
	b->build_id = xstrdup(image__build_id(image));
	b->release = xstrdup(image__release(image));
	runs->kernel.build_id = runs->kernel.build_id ?: xstrdup(b->build_id);
	runs->kernel.release = runs->kernel.release ?: xstrdup(b->release);
	if (b->release)
		want_modules(b, image, runs);
	image__free(image);
	b->runs = runs;
	return proof__make(&b->proof, &b->runs, 1, b->vmlinux);
}

int build__open(struct build *b, const char *vmlinux, struct coverage *runs, const char *const *paths, size_t count)
{
	struct reading r = { .b = b };
	const struct images *images = &b->proof.images;
	int err;

	*b = (struct build){ .vmlinux = xstrdup(vmlinux) };
	for (size_t i = 0; i < count; i++)
		*LIST_ADD(b->files, b->file_count) = (struct wanted_file){ .path = paths[i] };
	if (!runs) {
		coverage__init(&b->none, "none");
		b->none.how.callers = true;
	}
	err = open_images(b, runs ?: &b->none);
	if (err)
		return err;
	for (size_t i = 0; i < images->count; i++)
		add_spots(b, i);
	sort_spots(b);
	for (size_t i = 0; i < images->count; i++) {
		b->modules += i && images->list[i].image;
		r.path = NULL;
		if (!images->list[i].image || lines__each(images->list[i].image, take_row, &r))
			b->unread += i > 0;
		else
			b->lines |= !i;
	}
	if (!b->lines)
		error__warn("%s has no debug information: what is inlined is not known", vmlinux);
	return 0;
}

void build__free(struct build *b)
{
	proof__free(&b->proof);
	if (b->none.engine)
		coverage__free(&b->none);
	free(b->vmlinux);
	free(b->build_id);
	free(b->release);
	free(b->spots);
	free(b->files);
}
