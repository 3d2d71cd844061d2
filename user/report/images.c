// SPDX-License-Identifier: GPL-2.0-only
/* Finds and reads the files of a kernel, and makes universes from them or the running kernel; see images.h. */
#include "base/error.h"
#include "base/sorted.h"
#include "base/text.h"
#include "kernel/debug_files.h"
#include "kernel/elf_file.h"
#include "report/documents.h"
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

/* Looks beside vmlinux, and then, if there is a build id, in /lib/modules, and where files are found by build ids. */
static char *find_module(const struct images *images, const struct covered_module *m, const char *vmlinux)
{
	char *path = NULL;

	for (int i = 0; !path && i < (m->build_id ? 2 : 1); i++) {
		autofree char *directory = module_files__directory(i ? NULL : vmlinux, images->release);

		path = module_files__path(directory, m->name);
	}
	return debug_file__of_module(path, m->build_id, vmlinux, true);
}

static void add_module(struct images *images, const struct covered_module *m, const char *vmlinux)
{
	autofree char *path = find_module(images, m, vmlinux);
	struct image *image = NULL;

	if (!path) {
		error__warn("the file of module %s was not found: its calls are not known", m->name);
	} else if (!image__open(&image, path, m->name) && is_of_another_build(image__build_id(image), m->build_id)) {
		error__warn("%s: is of another build than the module that was loaded: its calls are not known", path);
		image__free(image);
		image = NULL;
	}
	add(images, image, m->name);
}

static int add_vmlinux(struct images *images, const struct kernel_id *id, const char *path)
{
	struct image *image;
	int err = image__open(&image, path, NULL);

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

/* A module that came and went is in no list of modules. New ones are added in the order of their first hits. */
static int add_hit_modules(struct images *images, const struct coverage *c, enum hits_part part, const char *vmlinux)
{
	bool ordered = part == HITS_ALL || !c->source.read, again = false;
	const struct hits *hits;
	int err = coverage__open_hits(c, part, &hits);

	for (size_t i = 0; !again && i < hits->count; i++) {
		const char *module = hits->list[i].module;
		struct covered_module one = {};

		if (!module || images__get(images, module))
			continue;
		again = !ordered;
		one.name = (char *)strings__add(images->names, module);
		if (ordered)
			add_module(images, &one, vmlinux);
	}
	coverage__close_hits(c, hits);
	return again ? add_hit_modules(images, c, HITS_ALL, vmlinux) : err;
}

static int add_modules(struct images *images, const struct coverage *c, const char *vmlinux)
{
	for (size_t i = 0; i < c->modules.count; i++) {
		if (!images__get(images, c->modules.list[i].name))
			add_module(images, &c->modules.list[i], vmlinux);
	}
	return add_hit_modules(images, c, HITS_OF_MODULES, vmlinux);
}

int images__open(struct images *ret, const struct coverage *const *documents, size_t count, const char *vmlinux)
{
	const struct kernel_id *id = &documents[0]->kernel;
	autofree char *path = NULL;
	int err = documents__check_builds(documents, count);

	*ret = (struct images){ .names = strings__new() };
	if (err)
		return err;
	path = kernel_id__fetch_vmlinux(id, vmlinux);
	if (!path)
		return error__return(-EINVAL, "the vmlinux of %s (build id %s) was not found, and only it says "
				     "what a call calls: give --vmlinux FILE", id->release ?: "that kernel",
				     id->build_id ?: "unknown");
	ret->release = xstrdup(id->release ?: "");
	err = add_vmlinux(ret, id, path);
	for (size_t d = 0; !err && d < count; d++)
		err = add_modules(ret, documents[d], path);
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
	strings__free(images->names);
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
	autofree uint64_t *addrs = xcalloc(count, sizeof(*addrs));
	autofree struct line_place *places = xcalloc(count, sizeof(*places));

	for (size_t i = 0; i < count; i++)
		addrs[i] = list[i].addr;
	/* Without debug information, no place is known. */
	(s->entries ? lines__defined : lines__find)(list[0].of->image, addrs, count, places);
	for (size_t i = 0; i < count; i++)
		list[i].place = places[i];
}

void source_lines__find(struct source_lines *s)
{
	if (s->count)
		qsort(s->list, s->count, sizeof(*s->list), by_place);
	for (size_t first = 0, end = 0; first < s->count; first = end) {
		while (end < s->count && s->list[end].of == s->list[first].of)
			end++;
		find_in(s, &s->list[first], end - first);
	}
}

const struct line_place *source_lines__get(const struct source_lines *s, const struct image_of *of, uint64_t addr)
{
	struct source_line key = { .of = of, .addr = addr };
	const struct source_line *found = s->count ? bsearch(&key, s->list, s->count, sizeof(key), by_place) : NULL;

	return found && found->place.file ? &found->place : NULL;
}

void source_lines__free(struct source_lines *s)
{
	free(s->list);
}

/* ---- a universe of what the running kernel can trace */

static void name_module(struct universe *u, const char *name, const char *build_id)
{
	covered_modules__add(&u->modules, name)->build_id = xstrdup(build_id);
}

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
		.addr = t->entry, .name = strings__add(u->names, t->name), .module = universe__text(u, t->module),
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

/* Adds functions of the running kernel: of modules that @u lacks, and, if @vmlinux, of vmlinux. */
static void add_running(struct universe *u, const struct kernel *k, bool vmlinux, const struct units *units)
{
	struct covered_modules loaded = {};
	struct universe had = { .modules = u->modules };

	u->modules = (struct covered_modules){};
	covered_modules__read(&loaded, k->symbols, NULL);
	for (size_t i = 0; i < had.modules.count; i++)
		name_module(u, had.modules.list[i].name, had.modules.list[i].build_id);
	for (size_t i = 0; i < loaded.count; i++) {
		if (!universe__has_module(&had, loaded.list[i].name))
			name_module(u, loaded.list[i].name, loaded.list[i].build_id);
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

/* ---- a universe of files */

/* Finds source lines. @list: the image's functions, which are in @u from index @first on. */
static void place(struct universe *u, size_t first, const struct image *image, const struct image_function *list,
		  size_t count)
{
	autofree uint64_t *addrs = xcalloc(count, sizeof(*addrs));
	autofree struct line_place *places = xcalloc(count, sizeof(*places));
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
}

static void add_image(struct universe *u, const struct image *image)
{
	size_t count, first = u->count;
	const struct image_function *list = image__functions(image, &count);
	const char *module = universe__text(u, image__module(image));
	struct calls *calls = calls__open(image);

	for (size_t i = 0; i < count; i++) {
		const struct unit *unit = image__unit(image, list[i].addr);
		struct function f = {
			.addr = list[i].addr, .name = strings__add(u->names, list[i].name), .module = module,
			.unit = unit ? universe__text(u, unit->path) : NULL, .sympos = list[i].sympos,
			.untraced = untraced__word(list[i].untraced), .init = list[i].init,
			.text = calls__hash(calls, &list[i]),
		};

		if (module && f.init)
			f.addr -= IMAGE_MODULE_INIT;
		u->placed |= f.unit && !module;
		universe__add(u, &f);
	}
	calls__free(calls);
	place(u, first, image, list, count);
}

static int add_functions(struct universe *u, const char *path)
{
	struct image *image;
	int err = image__open(&image, path, NULL);

	if (err)
		return err;
	set_kernel(u, image__release(image), IMAGE_ARCH, image__build_id(image));
	add_image(u, image);
	image__free(image);
	return 0;
}

/* Leaves out a file of another build, in which the same offsets are other functions. */
int universe__add_module_file(struct universe *u, const struct module_file *m)
{
	const char *build_id;
	struct image *image;
	int err = image__open(&image, m->path, m->name);

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
		name_module(u, m->name, build_id);
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
	err = add_functions(ret, vmlinux);
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

/* ---- a universe of all functions of the running kernel, with its files */

/* In @listed, marks functions that @live has. Adds functions that only @live has to @files. */
static void take_over(struct universe *files, const struct universe *live, bool *listed)
{
	/* The functions so far, which are sorted. New ones are added behind them, in no order. */
	struct universe known = *files;

	for (size_t i = 0; i < live->count; i++) {
		const struct function *f = &live->list[i], *same;
		struct function new = *f;

		known.list = files->list;
		same = f->module && f->init ? NULL : universe__at(&known, f->module, f->addr);
		if (same) {
			listed[same - files->list] = true;
			continue;
		}
		new.name = strings__add(files->names, f->name);
		new.module = universe__text(files, f->module);
		new.unit = universe__text(files, f->unit);
		universe__add(files, &new);
	}
}

/* The running kernel's list decides, except for init text, which it has freed. */
static void judge(struct universe *files, const bool *listed, size_t known)
{
	for (size_t i = 0; i < known; i++) {
		struct function *f = &files->list[i];

		if (listed[i])
			f->untraced = NULL;
		else if (!f->untraced && !f->init)
			f->untraced = untraced__word(UNTRACED_DISABLED);
	}
}

static void join(struct universe *files, const struct universe *live)
{
	size_t known = files->count;
	autofree bool *listed = xcalloc(known, sizeof(*listed));

	take_over(files, live, listed);
	judge(files, listed, known);
	universe__settle(files);
}

/* ---- and without them */

struct bounds {
	uint64_t start, end;
};

static struct bounds between(const struct symbols *s, const char *start, const char *end)
{
	const struct symbol *first = start ? symbols__by_name(s, start) : NULL;
	const struct symbol *last = end ? symbols__by_name(s, end) : NULL;

	return (struct bounds){ first ? first->addr : 0, first && last ? last->addr : 0 };
}

static bool is_in(const struct bounds *b, uint64_t addr)
{
	return addr >= b->start && addr < b->end;
}

static bool is_label(const char *name)
{
	return name[0] == '_' && (strstr(name, "_start") || strstr(name, "_end") || !strncmp(name, "__pfx_", 6) ||
				  !strncmp(name, "__cfi_", 6) || strstr(name, "text"));
}

/* Without files, some reasons follow from names and sections. Freed init text is skipped. */
static void add_untraced(struct universe *u, const struct kernel *k)
{
	struct bounds init = between(k->symbols, "_sinittext", "_einittext"), regions[UNTRACED_REGIONS];
	uint64_t last = 0;

	for (size_t i = 0; i < UNTRACED_REGIONS; i++)
		regions[i] = between(k->symbols, untraced_regions[i].start, untraced_regions[i].end);
	for (size_t i = 0; i < symbols__count(k->symbols); i++) {
		const struct symbol *sym = symbols__at(k->symbols, i);
		struct function f = { .addr = sym->addr, .name = sym->name };
		enum untraced why;

		if (sym->module || sym->addr == last || is_label(sym->name) || is_in(&init, sym->addr) ||
		    traceable__find_in(k->traceable, sym->addr, NULL))
			continue;
		last = sym->addr;
		why = untraced__of_name(sym->name);
		for (size_t at = 0; !why && at < UNTRACED_REGIONS; at++)
			why = is_in(&regions[at], sym->addr) ? untraced_regions[at].why : UNTRACED_NOT;
		f.untraced = untraced__word(why ?: UNTRACED_NO_CALL);
		f.name = strings__add(u->names, sym->name);
		if (u->linked)
			f.addr -= k->id.kaslr_offset;
		universe__add(u, &f);
	}
	universe__settle(u);
}

int universe__of_running(struct universe *ret, const char *vmlinux)
{
	struct universe live = {}, files = {};
	struct covered_modules modules = {};
	struct kernel k = {};
	int err = kernel__load(&k, KERNEL_LISTS | KERNEL_ID, vmlinux);

	if (!err)
		err = universe__of_kernel(&live, &k, NULL);
	if (!err)
		covered_modules__read(&modules, k.symbols, NULL);
	if (!err && live.linked)
		err = universe__of_build(&files, &k.id, &modules, vmlinux, false);
	if (!err && files.count) {
		join(&files, &live);
	} else if (!err) {
		error__warn("%s: nothing else tells why a function cannot be traced, and where it is: give --vmlinux",
			    live.linked ? "there is no vmlinux of this kernel" :
			    "where this kernel's code was moved to is not known");
		add_untraced(&live, &k);
	}
	covered_modules__free(&modules);
	kernel__free(&k);
	if (!err)
		*ret = files.count ? files : live;
	if (err || files.count)
		universe__free(&live);
	if (err || !files.count)
		universe__free(&files);
	return err;
}
