// SPDX-License-Identifier: GPL-2.0-only
/* Reads the recordings on a command line; see documents.h. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
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

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool texts__are_distinct(char *const *list, size_t count)
{
	autofree char **sorted = xcalloc(count, sizeof(*sorted));
	size_t at = 1;

	for (size_t i = 0; i < count; i++)
		sorted[i] = list[i];
	qsort(sorted, count, sizeof(*sorted), by_text);
	while (at < count && strcmp(sorted[at - 1], sorted[at]))
		at++;
	return at >= count;
}

/*
 * If two files have the same short name, both are labelled by their paths; and runs of a store also by their numbers,
 * if the files from which they were kept had the same path, such as today.json.
 */
static void make_labels(struct documents *d)
{
	bool are_distinct = texts__are_distinct((char *const *)d->paths, d->count);

	for (size_t i = 0; i < d->count; i++)
		d->labels[i] = short_label(d->paths[i]);
	if (texts__are_distinct(d->labels, d->count))
		return;
	for (size_t i = 0; i < d->count; i++) {
		const struct hits_source *source = &d->read[i].source;

		free(d->labels[i]);
		d->labels[i] = are_distinct || !source->read ? xstrdup(d->paths[i]) :
			       xasprintf("%s (run %" PRId64 ")", d->paths[i], source->run);
	}
}

/*
 * Reports print the names of files as they are, and a file may come from another machine. This is the one place that
 * all names pass through.
 */
void documents__add(struct documents *d, const struct coverage *c, const char *path)
{
	size_t paths = d->count;

	*LIST_ADD(d->read, d->count) = *c;
	*LIST_ADD(d->paths, paths) = utf8__printed(path);
}

static int add(struct coverage *c, const char *path, void *data)
{
	documents__add(data, c, path);
	return 0;
}

/* @heads: the hits stay in the store. */
static int visit_runs(struct store *s, const char *selection, bool heads, documents_visit visit, void *data)
{
	autofree int64_t *runs = NULL;
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

		err = (heads ? store__read_head : store__read)(s, runs[i], &c, &document);
		if (err)
			break;
		err = visit(&c, document, data);
		free(document);
	}
	return err;
}

static bool is_store(const char *path)
{
	autofree char *file = xstrdup(path);

	return strcmp(path, "-") && (store__cut_selection(file) || store__is(file));
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

/* @open: if not NULL, hits stay in stores, which become a part of it. */
static int visit_one(const char *path, const struct result_options *o, struct documents *open, documents_visit visit,
		     void *data)
{
	autofree char *file = xstrdup(path);
	autofree char *selection = join_selections(store__cut_selection(file), o ? o->runs : NULL);
	struct coverage c;
	struct store *s = NULL;
	int err;

	if (is_store(path)) {
		err = store__open(&s, file, STORE_READ) ?: visit_runs(s, selection, open, visit, data);
		if (s && open)
			*LIST_ADD(open->stores, open->store_count) = s;
		else
			store__close(s);
	} else {
		err = coverage__read_json(&c, path) ?: visit(&c, path, data);
	}
	return err;
}

static int visit_all(const char *const *paths, size_t count, const struct result_options *o, struct documents *open,
		     documents_visit visit, void *data)
{
	int err = check_runs(paths, count, o);

	for (size_t i = 0; !err && i < count; i++)
		err = visit_one(paths[i], o, open, visit, data);
	return err;
}

int documents__each(const char *const *paths, size_t count, const struct result_options *o, documents_visit visit,
		    void *data)
{
	return visit_all(paths, count, o, NULL, visit, data);
}

void documents__finish(struct documents *d, bool are_paths)
{
	d->list = xcalloc(d->count, sizeof(*d->list));
	for (size_t i = 0; i < d->count; i++)
		d->list[i] = &d->read[i];
	d->labels = xcalloc(d->count, sizeof(*d->labels));
	for (size_t i = 0; !are_paths && i < d->count; i++)
		d->labels[i] = xstrdup(d->paths[i]);
	if (are_paths)
		make_labels(d);
}

static int read_all(struct documents *ret, const char *const *paths, size_t count, const struct result_options *o,
		    bool heads)
{
	int err;

	if (o && o->min_runs)
		return documents__read_joined(ret, paths, count, o);
	*ret = (struct documents){};
	err = visit_all(paths, count, o, heads ? ret : NULL, add, ret);
	if (!err)
		documents__finish(ret, true);
	return err;
}

int documents__read(struct documents *ret, const char *const *paths, size_t count, const struct result_options *o)
{
	return read_all(ret, paths, count, o, false);
}

int documents__open(struct documents *ret, const char *const *paths, size_t count, const struct result_options *o)
{
	return read_all(ret, paths, count, o, true);
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
	int err = visit_one(path, o, NULL, join_one, &j);

	if (j.count > 1)
		err = merge__end(&j.m, err);
	if (j.count > 1 ? !err : j.count) {
		documents__add(d, j.count > 1 ? &j.joined : &j.first, j.count > 1 ? path : j.first_path);
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
		documents__finish(ret, true);
	return err;
}

int documents__check_builds(const struct coverage *const *documents, size_t count)
{
	const char *build_id = documents[0]->kernel.build_id;

	for (size_t i = 1; i < count; i++) {
		if (build_id && !text__equals(documents[i]->kernel.build_id, build_id))
			return error__return(-EINVAL, "the recordings are of two builds of the kernel, %s and %s: one "
					     "answer is about one build", build_id,
					     documents[i]->kernel.build_id ?: "unknown");
	}
	return 0;
}

void documents__free(struct documents *d)
{
	for (size_t i = 0; i < d->count; i++) {
		coverage__free(&d->read[i]);
		free((char *)d->paths[i]);
		if (d->labels)
			free(d->labels[i]);
	}
	for (size_t i = 0; i < d->store_count; i++)
		store__close(d->stores[i]);
	free(d->stores);
	free(d->read);
	free(d->list);
	free(d->labels);
	free(d->paths);
}
