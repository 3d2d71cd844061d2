// SPDX-License-Identifier: GPL-2.0-only
/* Reads the recordings on a command line; see documents.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "document/coverage.h"
#include "document/coverage_json.h"
#include "report/documents.h"
#include "report/merge.h"
#include "store/sql.h"
#include "store/store.h"

/* Turns "build/run/boot.json.gz" into "boot". */
static char *short_label(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t length;

	base = base ? base + 1 : path;
	length = strcspn(base, ".");
	return xstrndup(base, length ? length : strlen(base));
}

bool texts__are_distinct(char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (!strcmp(list[i], list[j]))
				return false;
		}
	}
	return true;
}

/* If two files have the same short name, both are labelled by their paths. */
static void make_labels(struct documents *d)
{
	for (size_t i = 0; i < d->count; i++)
		d->labels[i] = short_label(d->paths[i]);
	if (texts__are_distinct(d->labels, d->count))
		return;
	for (size_t i = 0; i < d->count; i++) {
		free(d->labels[i]);
		d->labels[i] = xstrdup(d->paths[i]);
	}
}

static int add(struct coverage *c, const char *path, void *data)
{
	struct documents *d = data;
	size_t paths = d->count;

	*LIST_ADD(d->read, d->count) = *c;
	*LIST_ADD(d->paths, paths) = xstrdup(path);
	return 0;
}

static int visit_runs(struct store *s, const char *selection, documents_visit visit, void *data)
{
	int64_t *runs = NULL;
	size_t count = 0;
	int err;

	/* All are of one moment: `hytrace forget` waits. */
	err = sql__run(store__sql(s), "BEGIN", "") ?: store__select(s, selection, &runs, &count);
	if (!err && !count)
		err = error__return(-EINVAL, "%s%s%s: has no such run", store__sql(s)->path,
				    selection ? "?" : "", selection ?: "");
	for (size_t i = 0; !err && i < count; i++) {
		struct coverage c;
		char *document;

		err = store__read(s, runs[i], &c, &document);
		if (err)
			break;
		err = visit(&c, document, data);
		free(document);
	}
	free(runs);
	return err;
}

static bool is_store(const char *path)
{
	char *file = xstrdup(path);
	bool is = strcmp(path, "-") && (store__cut_selection(file) || store__is(file));

	free(file);
	return is;
}

/* Where there is nothing to select from, a selection is a mistake. */
static int check_runs(const char *const *paths, size_t count, const struct result_options *o)
{
	for (size_t i = 0; i < count; i++) {
		if (is_store(paths[i]))
			return 0;
	}
	if (!o || !o->runs)
		return 0;
	return error__return(-EINVAL, "--runs %s: selects runs of a store of `hytrace keep`, and no FILE is one",
			     o->runs);
}

static char *join_selections(const char *a, const char *b)
{
	return a && b ? xasprintf("%s&%s", a, b) : xstrdup(a ?: b);
}

static int visit_one(const char *path, const struct result_options *o, documents_visit visit, void *data)
{
	char *file = xstrdup(path), *selection = join_selections(store__cut_selection(file), o ? o->runs : NULL);
	struct coverage c;
	struct store *s;
	int err;

	if (is_store(path)) {
		err = store__open(&s, file, STORE_READ);
		if (!err) {
			err = visit_runs(s, selection, visit, data);
			store__close(s);
		}
	} else {
		err = coverage__read_json(&c, path);
		if (!err)
			err = visit(&c, path, data);
	}
	free(selection);
	free(file);
	return err;
}

int documents__each(const char *const *paths, size_t count, const struct result_options *o, documents_visit visit,
		    void *data)
{
	int err = check_runs(paths, count, o);

	for (size_t i = 0; !err && i < count; i++)
		err = visit_one(paths[i], o, visit, data);
	return err;
}

/* The list of pointers is made when no further document moves them. */
static void finish(struct documents *d)
{
	d->list = xcalloc(d->count, sizeof(*d->list));
	for (size_t i = 0; i < d->count; i++)
		d->list[i] = &d->read[i];
	d->labels = xcalloc(d->count, sizeof(*d->labels));
	make_labels(d);
}

int documents__read(struct documents *ret, const char *const *paths, size_t count, const struct result_options *o)
{
	int err;

	if (o && o->min_runs)
		return documents__read_joined(ret, paths, count, o);
	*ret = (struct documents){};
	err = documents__each(paths, count, o, add, ret);
	if (!err)
		finish(ret);
	return err;
}

/* The union of what a path names. A single recording stays as it is. */
struct joining {
	struct merge m;
	size_t count;
	struct coverage first, joined;
	char *first_path;
};

static int join_one(struct coverage *c, const char *path, void *data)
{
	struct joining *j = data;
	int err = 0;

	if (!j->count++) {
		j->first = *c;
		j->first_path = xstrdup(path);
		return 0;
	}
	if (j->count == 2) {
		merge__begin(&j->m, &j->joined);
		err = merge__add(&j->m, &j->first, j->first_path);
		coverage__free(&j->first);
	}
	err = err ?: merge__add(&j->m, c, path);
	coverage__free(c);
	return err;
}

int documents__limit(struct coverage *c, const char *path, const struct result_options *o)
{
	if (!o || !o->min_runs)
		return 0;
	if (o->min_runs > coverage__runs(c))
		return error__return(-EINVAL, "--min-runs %llu: %s has only %zu: `hytrace merge` joins several into "
				     "one", (unsigned long long)o->min_runs, path, coverage__runs(c));
	coverage__limit(c, o->min_runs);
	return 0;
}

static int read_joined(struct documents *d, const char *path, const struct result_options *o)
{
	struct joining j = {};
	int err = visit_one(path, o, join_one, &j);

	if (j.count > 1)
		err = merge__end(&j.m, err);
	if (j.count > 1 ? !err : j.count) {
		add(j.count > 1 ? &j.joined : &j.first, j.count > 1 ? path : j.first_path, d);
		err = err ?: documents__limit(&d->read[d->count - 1], path, o);
	}
	free(j.first_path);
	return err;
}

int documents__read_joined(struct documents *ret, const char *const *paths, size_t count,
			   const struct result_options *o)
{
	int err = check_runs(paths, count, o);

	*ret = (struct documents){};
	for (size_t i = 0; !err && i < count; i++)
		err = read_joined(ret, paths[i], o);
	if (!err)
		finish(ret);
	return err;
}

void documents__free(struct documents *d)
{
	for (size_t i = 0; i < d->count; i++) {
		coverage__free(&d->read[i]);
		free((char *)d->paths[i]);
		if (d->labels)
			free(d->labels[i]);
	}
	free(d->read);
	free(d->list);
	free(d->labels);
	free(d->paths);
}
