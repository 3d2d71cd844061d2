// SPDX-License-Identifier: GPL-2.0-only
/* Asks Kbuild which options each object needs; see owners.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/paths.h"
#include "base/progress.h"
#include "tailor/owners.h"
#include "tailor/owners_kept.h"

/* The needs that a directory's contents inherit. */
struct inherited {
	const struct need **list;
	size_t count;
};

/* The options that are set and that the Makefiles of a directory mention. */
struct mentioned {
	const char **list;
	size_t count;
};

struct finder {
	struct owners *o;
	struct kbuild *k;
	struct lh_table *entered;	/* directories */
};

/* ---- needs */

struct need *owners__new_need(struct owners *o)
{
	struct need **more = reallocarray(o->needs, o->need_count + 1, sizeof(*more));
	struct need *need = calloc(1, sizeof(*need));

	if (more)
		o->needs = more;
	if (!more || !need) {
		free(need);
		error__no_memory();
		return NULL;
	}
	return o->needs[o->need_count++] = need;
}

int need__add(struct need *need, const char *option)
{
	const char **more = reallocarray(need->options, need->count + 1, sizeof(*more));

	if (!more)
		return error__no_memory();
	need->options = more;
	more[need->count++] = option;
	return 0;
}

int owners__add_object(struct owners *o, const struct owned *object)
{
	struct owned *more;

	/* The list has room for a power of two. */
	if (!(o->count & (o->count + 1))) {
		more = reallocarray(o->list, 2 * o->count + 2, sizeof(*more));
		if (!more)
			return error__no_memory();
		o->list = more;
	}
	o->list[o->count++] = *object;
	return 0;
}

void stamp__make(char *ret, size_t size, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		snprintf(ret, size, "-");
	else
		snprintf(ret, size, "%jd %jd.%09ld", (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* @path: lives as long as @o. To be called when the file is first read, so that a change after that is noticed. */
int owners__add_file(struct owners *o, const char *path)
{
	struct stamped *more = reallocarray(o->files, o->file_count + 1, sizeof(*more));

	if (!more)
		return error__no_memory();
	o->files = more;
	more[o->file_count].path = path;
	stamp__make(more[o->file_count].stamp, sizeof(more->stamp), path);
	o->file_count++;
	return 0;
}

/* A need of one option; NULL after a message if there is no memory. */
static struct need *need_of(struct owners *o, const char *option)
{
	struct need *need = owners__new_need(o);

	return need && !need__add(need, option) ? need : NULL;
}

/* A directory and an object in it may need the same option. */
static bool is_needed(const struct inherited *in, const struct need *need)
{
	for (size_t i = 0; need->count == 1 && i < in->count; i++) {
		if (in->list[i]->count == 1 && !strcmp(in->list[i]->options[0], need->options[0]))
			return true;
	}
	return false;
}

static int inherited__add(struct inherited *in, const struct need *need)
{
	const struct need **more;

	if (is_needed(in, need))
		return 0;
	more = reallocarray(in->list, in->count + 1, sizeof(*more));
	if (!more)
		return error__no_memory();
	in->list = more;
	more[in->count++] = need;
	return 0;
}

/* ---- options that Makefiles mention */

static int add_mentioned(struct finder *f, struct mentioned *m, const char *name)
{
	const char **more;

	if (!kbuild__value(f->k, name))
		return 0;
	name = strings__intern(f->k->names, name);
	for (size_t i = 0; i < m->count; i++) {
		if (m->list[i] == name)
			return 0;
	}
	more = reallocarray(m->list, m->count + 1, sizeof(*more));
	if (!more)
		return error__no_memory();
	m->list = more;
	more[m->count++] = name;
	return 0;
}

/* @wanted: only lines with one of these words count; NULL: all lines do. */
static int read_mentioned(struct finder *f, const char *path, const char *const *wanted, struct mentioned *m)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	if (!file)
		return error__return(-EINVAL, "%s: cannot be read: %s", path, strerror(errno));
	while (!err && getline(&line, &size, file) > 0) {
		bool counts = !wanted;

		for (const char *const *word = wanted; word && *word; word++)
			counts |= strstr(line, *word) != NULL;
		for (char *at = line; counts && !err && (at = strstr(at, "CONFIG_")); ) {
			char *end = at, last;

			while (isalnum((unsigned char)*end) || *end == '_')
				end++;
			last = *end;
			*end = '\0';
			err = add_mentioned(f, m, at);
			*end = last;
			at = end;
		}
	}
	free(line);
	fclose(file);
	return err;
}

/* ---- one directory */

/* What is asked of a directory, and found. */
struct directory {
	struct finder *f;
	const char *path;
	struct mentioned m;
	struct listing l;
	bool *alone;		/* for each item, and each option: the option alone removes the item */
	struct inherited *needs;	/* of each item */
};

static bool *alone(const struct directory *d, size_t item)
{
	return &d->alone[item * d->m.count];
}

/* Empties all options but those of @kept, and besides one (@also; SIZE_MAX: none). */
static int ask_with(const struct directory *d, const bool *kept, size_t also, struct listing *ret)
{
	const char **emptied = calloc(d->m.count + 1, sizeof(*emptied));
	size_t count = 0;
	int err;

	*ret = (struct listing){};
	if (!emptied)
		return error__no_memory();
	for (size_t o = 0; o < d->m.count; o++) {
		if (!kept[o] && o != also)
			emptied[count++] = d->m.list[o];
	}
	err = kbuild__list(d->f->k, d->path, emptied, count, ret);
	free(emptied);
	return err;
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
			if (!need)
				need = need_of(d->f->o, d->m.list[o]);
			err = need ? inherited__add(&d->needs[i], need) : -ENOMEM;
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
 * An item comes back with each of some options. If it goes without them, it needs one of these. Otherwise others bring it
 * back together: "A or (B and C)". That is "(A or B) and (A or C)", and without A each of the others removes it. If they
 * alone do not bring it back, there is more to it, such as "A or (B and (C or D))".
 */
static int add_alternatives(struct directory *d, size_t item, const bool *kept, const struct need *some)
{
	const char **emptied = calloc(some->count + 1, sizeof(*emptied));
	bool *together = calloc(d->m.count + 1, sizeof(*together)), goes, is_all;
	struct listing l = {};
	int err;

	if (!emptied || !together) {
		free(emptied);
		free(together);
		return error__no_memory();
	}
	memcpy(emptied, some->options, some->count * sizeof(*emptied));
	memcpy(together, kept, d->m.count * sizeof(*together));
	err = kbuild__list(d->f->k, d->path, emptied, some->count, &l);
	goes = !err && !listing__has(&l, &d->l.list[item]);
	listing__free(&l);
	if (goes)
		err = inherited__add(&d->needs[item], some);
	for (size_t o = 0; !err && !goes && o < d->m.count; o++) {
		struct need *need;

		if (kept[o])
			continue;
		emptied[some->count] = d->m.list[o];
		err = kbuild__list(d->f->k, d->path, emptied, some->count + 1, &l);
		if (!err && !listing__has(&l, &d->l.list[item])) {
			need = need_of(d->f->o, d->m.list[o]);
			err = need ? 0 : -ENOMEM;
			for (size_t i = 0; !err && i < some->count; i++)
				err = need__add(need, some->options[i]);
			err = err ?: inherited__add(&d->needs[item], need);
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
	free(emptied);
	free(together);
	return err;
}

/* Of items that vanish even with all that they were found to need: which other option brings each back? */
static int find_alternatives(struct directory *d, const bool *kept, const bool *open)
{
	struct need **alternatives = calloc(d->l.count + 1, sizeof(*alternatives));
	int err = alternatives ? 0 : error__no_memory();

	for (size_t o = 0; !err && o < d->m.count; o++) {
		struct listing with;

		if (kept[o])
			continue;
		err = ask_with(d, kept, o, &with);
		for (size_t i = 0; !err && i < d->l.count; i++) {
			if (!open[i] || !listing__has(&with, &d->l.list[i]))
				continue;
			if (!alternatives[i])
				alternatives[i] = owners__new_need(d->f->o);
			err = alternatives[i] ? need__add(alternatives[i], d->m.list[o]) : -ENOMEM;
		}
		listing__free(&with);
	}
	for (size_t i = 0; !err && i < d->l.count; i++) {
		if (alternatives[i])
			err = add_alternatives(d, i, kept, alternatives[i]);
		else if (open[i])
			add_unclear(d, i);
	}
	free(alternatives);
	return err;
}

/* Looks at all items that need the same options as @first does alone. @done: those that were looked at */
static int find_more(struct directory *d, size_t first, bool *done)
{
	const bool *kept = alone(d, first);
	bool *open = calloc(d->l.count + 1, sizeof(*open)), any = false;
	struct listing l = {};
	int err = open ? ask_with(d, kept, SIZE_MAX, &l) : error__no_memory();

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
	free(open);
	return err;
}

static int find_needs(struct directory *d)
{
	bool *done = calloc(d->l.count + 1, sizeof(*done));
	int err = done ? find_single(d) : error__no_memory();

	/* Without other options, there are no others. */
	for (size_t i = 0; !err && d->m.count && i < d->l.count; i++) {
		if (!done[i])
			err = find_more(d, i, done);
	}
	free(done);
	return err;
}

static int walk(struct finder *f, const char *directory, const struct inherited *in);

/* @own: what the item needs besides @in; it goes to the object. */
static int walk_item(struct finder *f, const struct listed *item, const struct inherited *in, const struct inherited *own)
{
	struct inherited needs = {};
	int err = 0;

	for (size_t i = 0; !err && i < in->count; i++)
		err = inherited__add(&needs, in->list[i]);
	for (size_t i = 0; !err && i < own->count; i++)
		err = inherited__add(&needs, own->list[i]);
	if (!err && item->kind == LISTED_DIRECTORY)
		err = walk(f, item->path, &needs);
	else if (!err)
		err = owners__add_object(f->o, &(struct owned){ item->path, item->module, needs.list, needs.count });
	/* Otherwise the list is the object's. */
	if (err || item->kind == LISTED_DIRECTORY)
		free(needs.list);
	return err;
}

/*
 * The top Makefile passes some directories down in variables of its environment, whose conditions are in the
 * architecture's Makefile. So the top Makefile is asked for these.
 */
static int find_arch_needs(struct directory *d)
{
	static const char *const words[] = { "core-", "drivers-", "libs-", NULL };
	struct finder *f = d->f;
	struct mentioned m = {};
	char *path, *all = NULL;
	int err;

	if (asprintf(&path, "%s/arch/%s/Makefile", f->k->source, environment__get(f->k->env, "SRCARCH")) < 0)
		return error__no_memory();
	err = owners__add_file(f->o, strings__intern(f->k->names, path)) ?: read_mentioned(f, path, words, &m) ?:
	      kbuild__arch_directories(f->k, NULL, &all);
	for (size_t o = 0; !err && o < m.count; o++) {
		struct need *need = NULL;
		char *without = NULL;

		err = kbuild__arch_directories(f->k, m.list[o], &without);
		for (size_t i = 0; !err && i < d->l.count; i++) {
			char slash[512];

			snprintf(slash, sizeof(slash), "%s/ ", d->l.list[i].path);
			if (d->l.list[i].kind != LISTED_DIRECTORY || !strstr(all, slash) || strstr(without, slash))
				continue;
			if (!need)
				need = need_of(f->o, m.list[o]);
			err = need ? inherited__add(&d->needs[i], need) : -ENOMEM;
		}
		free(without);
	}
	free(all);
	free(m.list);
	free(path);
	return err;
}

/*
 * The Makefiles of a directory, and a Kbuild that would be read instead. Those that several directories have are
 * remembered once. An absolute path is no directory of the kernel, so one table has both.
 */
static int add_file(struct finder *f, const char *path)
{
	const char *slash;
	char *kbuild;
	int err;

	if (lh_table_lookup_entry(f->entered, path))
		return 0;
	path = strings__intern(f->k->names, path);
	slash = strrchr(path, '/');
	if (lh_table_insert(f->entered, path, NULL))
		return error__no_memory();
	err = owners__add_file(f->o, path);
	if (err || !slash || strcmp(slash, "/Makefile"))
		return err;
	if (asprintf(&kbuild, "%.*s/Kbuild", (int)(slash - path), path) < 0)
		return error__no_memory();
	err = owners__add_file(f->o, strings__intern(f->k->names, kbuild));
	free(kbuild);
	return err;
}

static int read_directory(struct directory *d)
{
	int err = kbuild__list(d->f->k, d->path, NULL, 0, &d->l);

	for (size_t i = 0; !err && i < d->l.file_count; i++)
		err = add_file(d->f, d->l.files[i]) ?: read_mentioned(d->f, d->l.files[i], NULL, &d->m);
	if (err)
		return err;
	d->needs = calloc(d->l.count + 1, sizeof(*d->needs));
	d->alone = calloc(d->l.count * d->m.count + 1, sizeof(*d->alone));
	return d->needs && d->alone ? 0 : error__no_memory();
}

static int walk(struct finder *f, const char *path, const struct inherited *in)
{
	struct directory d = { .f = f, .path = strings__intern(f->k->names, path) };
	int err;

	if (lh_table_lookup_entry(f->entered, d.path))
		return 0;
	if (lh_table_insert(f->entered, d.path, NULL))
		return error__no_memory();
	progress__say("asking Kbuild: %s", d.path);
	err = read_directory(&d);
	if (!err)
		err = find_needs(&d);
	if (!err && !strcmp(d.path, "."))
		err = find_arch_needs(&d);
	for (size_t i = 0; !err && i < d.l.count; i++)
		err = walk_item(f, &d.l.list[i], in, &d.needs[i]);
	for (size_t i = 0; d.needs && i < d.l.count; i++)
		free(d.needs[i].list);
	free(d.needs);
	free(d.alone);
	free(d.m.list);
	listing__free(&d.l);
	return err;
}

/* The Makefiles that are the same for all directories. */
static int add_common_files(struct finder *f)
{
	static const char *const names[] = { "Makefile", "scripts/Makefile.build", "scripts/Makefile.lib",
					     "scripts/Kbuild.include" };
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = path__join(f->k->source, names[i]);

		err = path ? owners__add_file(f->o, strings__intern(f->k->names, path)) : error__no_memory();
		free(path);
	}
	return err;
}

/* ---- all */

static int by_path(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;

	return strcmp(x->path, y->path);
}

int owners__find(struct owners *ret, struct kbuild *k)
{
	const struct inherited none = {};
	struct finder f = { .o = ret, .k = k };
	int err;

	*ret = (struct owners){};
	if (owners__read_kept(ret, k))
		return 0;
	f.entered = lh_kchar_table_new(1024, NULL);
	err = f.entered ? add_common_files(&f) ?: walk(&f, ".", &none) : error__no_memory();
	progress__end();
	if (f.entered)
		lh_table_free(f.entered);
	if (!err && ret->count)
		qsort(ret->list, ret->count, sizeof(*ret->list), by_path);
	if (!err)
		owners__keep(ret, k);
	return err;
}

void owners__free(struct owners *o)
{
	for (size_t i = 0; i < o->count; i++)
		free(o->list[i].needs);
	for (size_t i = 0; i < o->need_count; i++) {
		free(o->needs[i]->options);
		free(o->needs[i]);
	}
	free(o->list);
	free(o->needs);
	free(o->files);
	*o = (struct owners){};
}

const struct owned *owners__get(const struct owners *o, const char *path)
{
	struct owned key = { .path = path };

	return o->count ? bsearch(&key, o->list, o->count, sizeof(key), by_path) : NULL;
}
