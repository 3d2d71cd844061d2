// SPDX-License-Identifier: GPL-2.0-only
/* Asks Kbuild which options each object needs; see owners.h. */
#include <ctype.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/files.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "kernel/elf_file.h"
#include "tailor/owners.h"

struct target;

/* A directory whose Makefile names a target. */
struct way {
	struct target *from;	/* the directory */
	struct needs own;	/* the target's needs by this Makefile */
};

/* A target of a Makefile: an object, or a directory. */
struct target {
	struct listed item;
	struct way *ways;
	size_t count;
	struct needs needs;	/* valid if @resolved */
	bool resolved;
};

struct finder {
	struct owners *o;
	struct kbuild *k;
	struct lh_table *files;		/* Makefiles that were added already */
	struct lh_table *targets;	/* struct target, by path and module */
};

/* ---- results */

void stamp__make(char *ret, size_t size, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		snprintf(ret, size, "-");
	else
		snprintf(ret, size, "%jd %jd.%09ld",
			 (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* Call it when the file is first read, so that a later change is noticed. @path: must outlive @o */
static void remember_file(struct owners *o, const char *path)
{
	struct stamped *file = LIST_ADD(o->files, o->file_count);

	file->path = path;
	stamp__make(file->stamp, sizeof(file->stamp), path);
}

/* A need of one option. */
static struct need *need_of(struct owners *o, const char *option)
{
	struct need *need = need_store__add(&o->needs);

	need__add(need, option);
	return need;
}

/* ---- options that Makefiles mention. Nothing else in a Makefile is parsed */

/* Those that are set: emptying any other option changes nothing, so make need not be asked about it. */
struct mentioned {
	const char **list;	/* "CONFIG_X", interned in kbuild.names */
	size_t count;
};

static void add_mentioned(struct mentioned *m, struct kbuild *k, const char *name)
{
	if (!kbuild__value(k, name))
		return;
	name = strings__intern(k->names, name);
	for (size_t i = 0; i < m->count; i++) {
		if (m->list[i] == name)
			return;
	}
	*LIST_ADD(m->list, m->count) = name;
}

/*
 * Adds the options that a Makefile mentions. @words: ended by NULL: only lines with one of these words count; NULL: all
 * lines count
 */
static int read_mentioned(struct mentioned *m, struct kbuild *k, const char *path, const char *const *words)
{
	autofclose FILE *file = fopen(path, "re");
	autofree char *line = NULL;
	size_t size = 0;

	if (!file)
		return error__return(-EINVAL, "%s: cannot be read: %s", path, strerror(errno));
	while (getline(&line, &size, file) > 0) {
		bool counts = !words;

		for (const char *const *word = words; word && *word; word++)
			counts |= strstr(line, *word) != NULL;
		for (char *at = line; counts && (at = strstr(at, "CONFIG_")); ) {
			char *end = at, last;

			while (isalnum((unsigned char)*end) || *end == '_')
				end++;
			last = *end;
			*end = '\0';
			add_mentioned(m, k, at);
			*end = last;
			at = end;
		}
	}
	return 0;
}

/* ---- one directory */

/* A directory, and make's answers about it. */
struct directory {
	struct finder *f;
	const char *path;
	struct mentioned m;
	struct listing l;
	bool *alone;		/* [item][option]: the item vanishes if only this option is emptied */
	struct needs *needs;	/* the needs of each item */
};

static bool *alone(const struct directory *d, size_t item)
{
	return &d->alone[item * d->m.count];
}

/* Asks with all options emptied except @kept and the option @also (SIZE_MAX: none). */
static int ask_with(const struct directory *d, const bool *kept, size_t also, struct listing *ret)
{
	autofree const char **emptied = xcalloc(d->m.count, sizeof(*emptied));
	size_t count = 0;

	for (size_t o = 0; o < d->m.count; o++) {
		if (!kept[o] && o != also)
			emptied[count++] = d->m.list[o];
	}
	return kbuild__list(d->f->k, d->path, emptied, count, ret);
}

/* Which options alone remove an item? */
static int find_single(struct directory *d)
{
	int err = 0;

	for (size_t o = 0; !err && o < d->m.count; o++) {
		struct listing without;
		struct need *need = NULL;

		err = kbuild__list(d->f->k, d->path, &d->m.list[o], 1, &without);
		for (size_t i = 0; !err && i < d->l.count; i++) {
			if (listing__has(&without, &d->l.list[i]))
				continue;
			alone(d, i)[o] = true;
			need = need ?: need_of(d->f->o, d->m.list[o]);
			needs__add(&d->needs[i], need);
		}
		listing__free(&without);
	}
	return err;
}

static void add_unclear(struct directory *d, size_t item)
{
	d->f->o->unclear++;
	d->f->o->an_unclear = d->l.list[item].path;
}

/*
 * With only @kept, the item vanishes, and each option of @some alone brings it back. If the item
 * vanishes when only @some are emptied, it needs one of @some. Otherwise, further options together
 * bring it back: for "A or (B and C)", @some is A. This equals "(A or B) and (A or C)": without A,
 * emptying B or C removes the item. If B and C together do not bring it back, the condition is more
 * complex, such as "A or (B and (C or D))".
 */
static int add_alternatives(struct directory *d, size_t item, const bool *kept, const struct need *some)
{
	autofree const char **emptied = xcalloc(some->count + 1, sizeof(*emptied));
	autofree bool *together = xcalloc(d->m.count, sizeof(*together));
	bool goes, is_all;
	struct listing l = {};
	int err;

	memcpy(emptied, some->options, some->count * sizeof(*emptied));
	memcpy(together, kept, d->m.count * sizeof(*together));
	err = kbuild__list(d->f->k, d->path, emptied, some->count, &l);
	goes = !err && !listing__has(&l, &d->l.list[item]);
	listing__free(&l);
	if (goes)
		needs__add(&d->needs[item], some);
	for (size_t o = 0; !err && !goes && o < d->m.count; o++) {
		struct need *need;

		if (kept[o])
			continue;
		emptied[some->count] = d->m.list[o];
		err = kbuild__list(d->f->k, d->path, emptied, some->count + 1, &l);
		if (!err && !listing__has(&l, &d->l.list[item])) {
			need = need_of(d->f->o, d->m.list[o]);
			for (size_t i = 0; i < some->count; i++)
				need__add(need, some->options[i]);
			needs__add(&d->needs[item], need);
			together[o] = true;
		}
		listing__free(&l);
	}
	if (!err && !goes) {
		err = ask_with(d, together, SIZE_MAX, &l);
		is_all = !err && listing__has(&l, &d->l.list[item]);
		listing__free(&l);
		if (!err && !is_all)
			add_unclear(d, item);
	}
	return err;
}

/* Items in @open vanish if only @kept are set. Finds which further options bring each item back. */
static int find_alternatives(struct directory *d, const bool *kept, const bool *open)
{
	autofree struct need **alternatives = xcalloc(d->l.count, sizeof(*alternatives));
	int err = 0;

	for (size_t o = 0; !err && o < d->m.count; o++) {
		struct listing with;

		if (kept[o])
			continue;
		err = ask_with(d, kept, o, &with);
		for (size_t i = 0; !err && i < d->l.count; i++) {
			if (!open[i] || !listing__has(&with, &d->l.list[i]))
				continue;
			if (!alternatives[i])
				alternatives[i] = need_store__add(&d->f->o->needs);
			need__add(alternatives[i], d->m.list[o]);
		}
		listing__free(&with);
	}
	for (size_t i = 0; !err && i < d->l.count; i++) {
		if (alternatives[i])
			err = add_alternatives(d, i, kept, alternatives[i]);
		else if (open[i])
			add_unclear(d, i);
	}
	return err;
}

/* Examines @first, and all items with its row of directory.alone. @done: examined items */
static int find_more(struct directory *d, size_t first, bool *done)
{
	const bool *kept = alone(d, first);
	autofree bool *open = xcalloc(d->l.count, sizeof(*open));
	bool any = false;
	struct listing l;
	int err = ask_with(d, kept, SIZE_MAX, &l);

	for (size_t i = first; !err && i < d->l.count; i++) {
		if (done[i] || memcmp(alone(d, i), kept, d->m.count))
			continue;
		done[i] = true;
		open[i] = !listing__has(&l, &d->l.list[i]);
		any |= open[i];
	}
	listing__free(&l);
	if (!err && any)
		err = find_alternatives(d, kept, open);
	return err;
}

static int find_needs(struct directory *d)
{
	autofree bool *done = xcalloc(d->l.count, sizeof(*done));
	int err = find_single(d);

	/* If the Makefiles mention no option, no item can have alternatives. */
	for (size_t i = 0; !err && d->m.count && i < d->l.count; i++) {
		if (!done[i])
			err = find_more(d, i, done);
	}
	return err;
}

/*
 * The top Makefile gets some directories from the architecture's Makefile, with its conditions, and
 * passes them to Kbuild in environment variables. So the top Makefile is asked about them.
 */
static int find_arch_needs(struct directory *d)
{
	static const char *const words[] = { "core-", "drivers-", "libs-", NULL };
	struct finder *f = d->f;
	struct mentioned m = {};
	autofree char *path = xasprintf("%s/arch/%s/Makefile",
			       f->k->source, environment__get(f->k->env, "SRCARCH")), *all = NULL;
	int err;

	remember_file(f->o, strings__intern(f->k->names, path));
	err = read_mentioned(&m, f->k, path, words) ?: kbuild__arch_directories(f->k, NULL, &all);
	for (size_t o = 0; !err && o < m.count; o++) {
		struct need *need = NULL;
		autofree char *without = NULL;

		err = kbuild__arch_directories(f->k, m.list[o], &without);
		for (size_t i = 0; !err && i < d->l.count; i++) {
			char slash[512];

			snprintf(slash, sizeof(slash), " %s/ ", d->l.list[i].path);
			if (d->l.list[i].kind != LISTED_DIRECTORY || !strstr(all, slash) || strstr(without, slash))
				continue;
			need = need ?: need_of(f->o, m.list[o]);
			needs__add(&d->needs[i], need);
		}
	}
	free(m.list);
	return err;
}

/*
 * Remembers a Makefile, and a Kbuild that would be read instead if there were one. Makefiles that
 * several directories read are remembered once.
 */
static void add_file(struct finder *f, const char *path)
{
	autofree char *kbuild = NULL;
	const char *slash;

	if (lh_table_lookup_entry(f->files, path))
		return;
	path = strings__intern(f->k->names, path);
	slash = strrchr(path, '/');
	index__add(f->files, path, NULL);
	remember_file(f->o, path);
	if (!slash || strcmp(slash, "/Makefile"))
		return;
	kbuild = xasprintf("%.*s/Kbuild", (int)(slash - path), path);
	remember_file(f->o, strings__intern(f->k->names, kbuild));
}

static int read_directory(struct directory *d)
{
	int err = kbuild__list(d->f->k, d->path, NULL, 0, &d->l);

	for (size_t i = 0; !err && i < d->l.file_count; i++) {
		add_file(d->f, d->l.files[i]);
		err = read_mentioned(&d->m, d->f->k, d->l.files[i], NULL);
	}
	d->needs = xcalloc(d->l.count, sizeof(*d->needs));
	d->alone = xcalloc(d->l.count * d->m.count, sizeof(*d->alone));
	return err;
}

/* ---- from directory to directory */

/* An object in two modules is two targets. @ret_new: the target is new */
static struct target *get_target(struct finder *f, const struct listed *item, bool *ret_new)
{
	autofree char *key = xasprintf("%s %s", item->path, item->module ?: "");
	struct lh_entry *entry = lh_table_lookup_entry(f->targets, key);
	struct target *t = entry ? lh_entry_v(entry) : xcalloc(1, sizeof(*t));

	*ret_new = !entry;
	if (!entry) {
		index__add(f->targets, strings__intern(f->k->names, key), t);
		t->item = *item;
	}
	return t;
}

static int walk(struct finder *f, struct target *directory)
{
	struct directory d = { .f = f, .path = directory->item.path };
	int err;

	progress__say("asking Kbuild: %s", d.path);
	err = read_directory(&d) ?: find_needs(&d);
	if (!err && !strcmp(d.path, "."))
		err = find_arch_needs(&d);
	for (size_t i = 0; !err && i < d.l.count; i++) {
		bool new;
		struct target *t = get_target(f, &d.l.list[i], &new);

		/* The target owns the needs now. */
		*LIST_ADD(t->ways, t->count) = (struct way){ directory, d.needs[i] };
		d.needs[i] = (struct needs){};
		if (new && t->item.kind == LISTED_DIRECTORY)
			err = walk(f, t);
	}
	for (size_t i = 0; i < d.l.count; i++)
		needs__free(&d.needs[i]);
	free(d.needs);
	free(d.alone);
	free(d.m.list);
	listing__free(&d.l);
	return err;
}

/*
 * Joins the needs of all ways to a target. The recursion ends: if directories named each other,
 * make would not end either.
 */
static void resolve(struct finder *f, struct target *t)
{
	if (t->resolved)
		return;
	t->resolved = true;
	for (size_t i = 0; i < t->count; i++) {
		struct needs way = {};

		resolve(f, t->ways[i].from);
		needs__add_all(&way, &t->ways[i].from->needs);
		needs__add_all(&way, &t->ways[i].own);
		if (!i) {
			t->needs = way;
			continue;
		}
		needs__either(&t->needs, &way, &f->o->needs);
		needs__free(&way);
	}
}

static int walk_all(struct finder *f)
{
	const struct listed top = { .path = ".", .kind = LISTED_DIRECTORY };
	struct lh_entry *entry;
	bool new;
	int err = walk(f, get_target(f, &top, &new));

	if (err)
		return err;
	lh_foreach(f->targets, entry) {
		struct target *t = lh_entry_v(entry);

		resolve(f, t);
		if (t->item.kind != LISTED_DIRECTORY) {
			struct owned *object = LIST_ADD(f->o->list, f->o->count);

			*object = (struct owned){ t->item.path, t->item.module, t->item.kind == LISTED_MEMBER };
			needs__add_all(&object->needs, &t->needs);
		}
	}
	return 0;
}

static void free_targets(struct lh_table *targets)
{
	struct lh_entry *entry;

	lh_foreach(targets, entry) {
		autofree struct target *t = lh_entry_v(entry);

		for (size_t i = 0; i < t->count; i++)
			needs__free(&t->ways[i].own);
		free(t->ways);
		needs__free(&t->needs);
	}
	lh_table_free(targets);
}

/* Adds the Makefiles that all directories use. */
static void add_common_files(struct finder *f)
{
	static const char *const names[] = { "Makefile", "scripts/Makefile.build", "scripts/Makefile.lib",
					     "scripts/Kbuild.include" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		autofree char *path = path__join(f->k->source, names[i]);

		remember_file(f->o, strings__intern(f->k->names, path));
	}
}

/* ---- all */

static int by_path(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static int by_path_and_module(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;

	return by_path(x, y) ?: text__compare(x->module, y->module);
}

int owners__find(struct owners *ret, struct kbuild *k)
{
	struct finder f = { .o = ret, .k = k };
	int err;

	*ret = (struct owners){};
	if (owners__read_kept(ret, k))
		return 0;
	f.files = index__new(1024, NULL);
	f.targets = index__new(4096, NULL);
	add_common_files(&f);
	err = walk_all(&f);
	progress__end();
	lh_table_free(f.files);
	free_targets(f.targets);
	if (!err && ret->count)
		qsort(ret->list, ret->count, sizeof(*ret->list), by_path_and_module);
	if (!err)
		owners__keep(ret, k);
	return err;
}

void owners__free(struct owners *o)
{
	for (size_t i = 0; i < o->count; i++)
		needs__free(&o->list[i].needs);
	need_store__free(&o->needs);
	free(o->list);
	free(o->files);
	*o = (struct owners){};
}

const struct owned *owners__get(const struct owners *o, const char *path, const char *module)
{
	const struct owned key = { .path = path };
	size_t count, first = sorted__equals(o->list, o->count, sizeof(key), &key, by_path, &count);

	for (size_t i = first; module && i < first + count; i++) {
		if (o->list[i].module && module_file__is(o->list[i].module, strlen(o->list[i].module), module, ".o"))
			return &o->list[i];
	}
	return count ? &o->list[first] : NULL;
}

bool owned__needs_unit(const struct owned *o, const char *source)
{
	char path[PATH_MAX];

	if (!o->member)
		return false;
	snprintf(path, sizeof(path), "%s/%.*s.S", source, (int)strlen(o->path) - 2, o->path);
	return access(path, F_OK);
}
