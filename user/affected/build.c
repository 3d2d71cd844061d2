// SPDX-License-Identifier: GPL-2.0-only
/* Reads the files of a build; see build.h. */
#include "affected/build.h"
#include "affected/patch.h"
#include "base/error.h"
#include "base/index.h"
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

/*
 * ---- modules that no run had, and that may be built from a file of the patch. The symbols of a module name its files,
 * without directories, unless it was stripped.
 */

/* So many modules are all read, so that it is known which ones use a header. */
#define MOST_READ 32

struct looking {
	struct build *b;
	struct coverage *c;		/* gets the modules */
	struct lh_table *names;		/* of files that vmlinux does not have */
	char *first[MOST_READ];		/* the names of the first modules */
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool has_unit(const struct image *image, const char *path)
{
	size_t count;
	const struct unit *units = image__units(image, &count);

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(units[i].path, path))
			return true;
	}
	return false;
}

static void want_module(struct coverage *c, const char *module)
{
	if (!covered_modules__find(&c->modules, module))
		covered_modules__add(&c->modules, module);
}

/* A module names a file as one of the patch is named. The debug information, if it is there, has the directory. */
static void look_closer(struct looking *l, const char *path, const char *module, const char *file)
{
	struct image *image;
	bool has = false;

	if (!lh_table_lookup_entry(l->names, file) || image__open(&image, path, module))
		return;
	for (size_t i = 0; !has && i < l->b->file_count; i++)
		has = !strcmp(base_name(l->b->files[i].path), file) && has_unit(image, l->b->files[i].path);
	if (has)
		want_module(l->c, module);
	l->b->nameless += !image__dwarf(image);
	image__free(image);
}

static int look_into(const char *path, void *data)
{
	struct looking *l = data;
	char *module = module_file__name(path);
	int fd;
	Elf *elf = module && lh_table_length(l->names) ? elf_file__begin_path(path, true, &fd) : NULL;
	size_t names;
	Elf_Data *symbols = elf ? elf_file__symbols(elf, &names) : NULL;
	GElf_Sym symbol;
	bool any = false;

	if (module && l->b->listed++ < MOST_READ)
		l->first[l->b->listed - 1] = xstrdup(module);
	for (int i = 0; symbols && gelf_getsym(symbols, i, &symbol); i++) {
		const char *name = GELF_ST_TYPE(symbol.st_info) == STT_FILE ? elf_strptr(elf, names, symbol.st_name) :
									      NULL;

		if (name)
			look_closer(l, path, module, base_name(name));
		any |= name != NULL;
	}
	l->b->nameless += module && !any;
	if (elf)
		elf_file__end(elf, fd);
	free(module);
	return 0;
}

static void want_modules(struct build *b, const struct image *vmlinux, struct coverage *c)
{
	char *directory = module_files__directory(b->vmlinux, b->release);
	struct looking l = { b, c, index__new(64, NULL) };
	size_t count;

	for (size_t i = 0; i < b->file_count; i++) {
		const char *name = base_name(b->files[i].path);

		if (path__is_compiled(name) && !has_unit(vmlinux, b->files[i].path) &&
		    !lh_table_lookup_entry(l.names, name))
			index__add(l.names, name, NULL);
	}
	if (!access(directory, R_OK))
		module_files__each(directory, look_into, &l);
	for (size_t i = 0; i < MOST_READ; i++) {
		if (l.first[i] && b->listed <= MOST_READ)
			want_module(c, l.first[i]);
		free(l.first[i]);
	}
	b->unlisted = !b->listed && image__named(vmlinux, "load_module", &count);
	lh_table_free(l.names);
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
	b->had = runs->modules.count;
	if (b->release)
		want_modules(b, image, runs);
	image__free(image);
	b->runs = runs;
	return proof__make(&b->proof, &b->runs, 1, b->vmlinux);
}

/* Counts the modules that were read, and those of the runs that were not. */
static void count_module(struct build *b, const struct image_of *image, bool has_lines)
{
	const struct covered_module *m = covered_modules__find(&b->runs->modules, image->module);
	bool had = !m || m < &b->runs->modules.list[b->had];

	b->modules += has_lines;
	b->unread += had && !has_lines;
	b->missing += had && !image->image;
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
		bool has_lines;

		r.path = NULL;
		has_lines = images->list[i].image && !lines__each(images->list[i].image, take_row, &r);
		if (i)
			count_module(b, &images->list[i], has_lines);
		else
			b->lines = has_lines;
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
