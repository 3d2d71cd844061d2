// SPDX-License-Identifier: GPL-2.0-only
/* Finds the functions of the running kernel, and why some cannot be traced; see running.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "image/untraced.h"
#include "report/running.h"
#include "report/universes.h"

/* ---- with files */

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
	bool *listed = xcalloc(known, sizeof(*listed));

	take_over(files, live, listed);
	judge(files, listed, known);
	universe__settle(files);
	free(listed);
}

/* ---- without */

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
	int err;

	err = kernel__load(&k, KERNEL_LISTS | KERNEL_ID, vmlinux);
	if (!err)
		err = universe__of_kernel(&live, &k, NULL);
	if (!err)
		covered_modules__read(&modules, k.symbols, NULL);
	if (!err && live.linked)
		err = universe__of_build(&files, &k.id, &modules, vmlinux);
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

int why__of_running(struct why *ret, const char *name, const char *vmlinux)
{
	struct universe u = {};
	struct why_sources sources = { .universe = &u, .running = true };
	struct image *image = NULL;
	char *path = NULL, *modules = NULL;
	int err;

	err = universe__of_running(&u, vmlinux);
	if (!err) {
		const struct kernel_id id = { .release = u.release, .build_id = u.build_id };

		path = kernel_id__find_vmlinux(&id, vmlinux);
		modules = module_files__directory(vmlinux, u.release);
	}
	if (path)
		err = image__open(&image, path, NULL);
	sources.image = image;
	sources.modules = modules && !access(modules, R_OK) ? modules : NULL;
	if (!err)
		err = why__find(ret, name, &sources);
	free(path);
	free(modules);
	image__free(image);
	universe__free(&u);
	return err;
}
