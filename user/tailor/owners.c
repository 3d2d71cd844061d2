// SPDX-License-Identifier: GPL-2.0-only
/* Asks Kbuild which options each object needs; see owners.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
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

int owners__add_file(struct owners *o, const char *path)
{
	const char **more = reallocarray(o->files, o->file_count + 1, sizeof(*more));

	if (!more)
		return error__no_memory();
	o->files = more;
	more[o->file_count++] = path;
	return 0;
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

static int inherited__copy(struct inherited *ret, const struct inherited *from)
{
	*ret = (struct inherited){ .list = calloc(from->count + 1, sizeof(*ret->list)) };
	if (!ret->list)
		return error__no_memory();
	memcpy(ret->list, from->list, from->count * sizeof(*ret->list));
	ret->count = from->count;
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

static int ask(struct finder *f, const char *directory, const char *const *emptied, size_t count, struct listing *ret)
{
	f->o->questions++;
	return kbuild__list(f->k, directory, emptied, count, ret);
}

/* Options that alone bring back what is gone when all are emptied. */
static int find_alternatives(struct finder *f, const char *directory, const struct mentioned *m,
			     const struct listing *l, const bool *open, struct need **alternatives)
{
	const char **others = calloc(m->count + 1, sizeof(*others));
	int err = others ? 0 : error__no_memory();

	for (size_t o = 0; !err && o < m->count; o++) {
		struct listing alone;
		size_t count = 0;

		for (size_t i = 0; i < m->count; i++) {
			if (i != o)
				others[count++] = m->list[i];
		}
		err = ask(f, directory, others, count, &alone);
		for (size_t i = 0; !err && i < l->count; i++) {
			if (!open[i] || !listing__has(&alone, &l->list[i]))
				continue;
			if (!alternatives[i])
				alternatives[i] = owners__new_need(f->o);
			err = alternatives[i] ? need__add(alternatives[i], m->list[o]) : -ENOMEM;
		}
		listing__free(&alone);
	}
	free(others);
	return err;
}

/* Fills @needs, which has a place for each of @l. */
static int find_needs(struct finder *f, const char *directory, const struct mentioned *m, const struct listing *l,
		      struct inherited *needs)
{
	struct need **alternatives = calloc(l->count + 1, sizeof(*alternatives));
	bool *open = calloc(l->count + 1, sizeof(*open)), any = false;
	struct listing without = {};
	int err = alternatives && open ? 0 : error__no_memory();

	if (!err && m->count)
		err = ask(f, directory, m->list, m->count, &without);
	for (size_t i = 0; !err && m->count && i < l->count; i++)
		open[i] = !listing__has(&without, &l->list[i]);
	listing__free(&without);
	for (size_t o = 0; !err && o < m->count; o++) {
		struct need *need = NULL;
		struct listing without_one;

		err = ask(f, directory, &m->list[o], 1, &without_one);
		for (size_t i = 0; !err && i < l->count; i++) {
			if (listing__has(&without_one, &l->list[i]))
				continue;
			if (!need) {
				need = owners__new_need(f->o);
				err = need ? need__add(need, m->list[o]) : -ENOMEM;
			}
			if (!err)
				err = inherited__add(&needs[i], need);
			open[i] = false;
		}
		listing__free(&without_one);
	}
	for (size_t i = 0; i < l->count; i++)
		any |= open[i];
	if (!err && any)
		err = find_alternatives(f, directory, m, l, open, alternatives);
	for (size_t i = 0; !err && i < l->count; i++) {
		if (alternatives[i]) {
			err = inherited__add(&needs[i], alternatives[i]);
		} else if (open[i]) {
			f->o->unclear++;
			f->o->an_unclear = l->list[i].path;
		}
	}
	free(alternatives);
	free(open);
	return err;
}

static int walk(struct finder *f, const char *directory, const struct inherited *in);

static int walk_item(struct finder *f, const struct listed *item, const struct inherited *in, struct inherited *own)
{
	struct inherited needs;
	int err = inherited__copy(&needs, in);

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
static int find_arch_needs(struct finder *f, const struct listing *l, struct inherited *needs)
{
	static const char *const words[] = { "core-", "drivers-", "libs-", NULL };
	struct mentioned m = {};
	char *path;
	int err;

	if (asprintf(&path, "%s/arch/%s/Makefile", f->k->source, environment__get(f->k->env, "SRCARCH")) < 0)
		return error__no_memory();
	err = read_mentioned(f, path, words, &m);
	if (!err)
		err = owners__add_file(f->o, strings__intern(f->k->names, path));
	for (size_t o = 0; !err && o < m.count; o++) {
		struct need *need = NULL;
		char *all = NULL, *without = NULL;

		f->o->questions++;
		err = kbuild__arch_directories(f->k, NULL, &all);
		if (!err)
			err = kbuild__arch_directories(f->k, m.list[o], &without);
		for (size_t i = 0; !err && i < l->count; i++) {
			char slash[512];

			snprintf(slash, sizeof(slash), "%s/ ", l->list[i].path);
			if (l->list[i].kind != LISTED_DIRECTORY || !strstr(all, slash) || strstr(without, slash))
				continue;
			if (!need) {
				need = owners__new_need(f->o);
				err = need ? need__add(need, m.list[o]) : -ENOMEM;
			}
			if (!err)
				err = inherited__add(&needs[i], need);
		}
		free(all);
		free(without);
	}
	free(m.list);
	free(path);
	return err;
}

static int walk(struct finder *f, const char *directory, const struct inherited *in)
{
	struct inherited *needs = NULL;
	struct mentioned m = {};
	struct listing l = {};
	int err;

	directory = strings__intern(f->k->names, directory);
	if (lh_table_lookup_entry(f->entered, directory))
		return 0;
	if (lh_table_insert(f->entered, directory, NULL))
		return error__no_memory();
	progress__say("asking Kbuild: %s", directory);
	f->o->directories++;
	err = ask(f, directory, NULL, 0, &l);
	for (size_t i = 0; !err && i < l.file_count; i++) {
		err = read_mentioned(f, l.files[i], NULL, &m);
		if (!err && !lh_table_lookup_entry(f->entered, l.files[i])) {
			const char *file = strings__intern(f->k->names, l.files[i]);

			/* An absolute path is no directory of the kernel. */
			err = lh_table_insert(f->entered, file, NULL) ? error__no_memory() :
			      owners__add_file(f->o, file);
		}
	}
	if (!err) {
		needs = calloc(l.count + 1, sizeof(*needs));
		err = needs ? find_needs(f, directory, &m, &l, needs) : error__no_memory();
	}
	if (!err && !strcmp(directory, "."))
		err = find_arch_needs(f, &l, needs);
	for (size_t i = 0; !err && i < l.count; i++)
		err = walk_item(f, &l.list[i], in, &needs[i]);
	for (size_t i = 0; needs && i < l.count; i++)
		free(needs[i].list);
	free(needs);
	free(m.list);
	listing__free(&l);
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
	err = f.entered ? walk(&f, ".", &none) : error__no_memory();
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

bool owned__needs(const struct owned *object, const char *option)
{
	for (size_t i = 0; i < object->need_count; i++) {
		for (size_t j = 0; j < object->needs[i]->count; j++) {
			if (!strcmp(object->needs[i]->options[j], option))
				return true;
		}
	}
	return false;
}
