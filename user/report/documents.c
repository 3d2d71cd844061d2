// SPDX-License-Identifier: GPL-2.0-only
/* Reads the recordings on a command line; see documents.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void documents__add(struct documents *d, const struct coverage *c, char *path, char *test)
{
	size_t paths = d->count, tests = d->count;

	*LIST_ADD(d->read, d->count) = *c;
	*LIST_ADD(d->paths, paths) = path;
	*LIST_ADD(d->tests, tests) = test;
}

/* The test that a run was kept with; NULL: none was given. */
static char *test_of(struct store *s, int64_t run)
{
	sqlite3_stmt *st = sql__begin(store__sql(s), "SELECT test FROM run WHERE id = ?", "i", run);
	char *test = sql__next(store__sql(s), st) > 0 ? sql__text(st, 0) : NULL;

	sqlite3_reset(st);
	return test;
}

/*
 * Returns the selection after the '?' of a store's name, which is cut off there; NULL: all runs. A
 * file may have a '?', too.
 */
static const char *cut_selection(char *path)
{
	char *mark = access(path, F_OK) ? strchr(path, '?') : NULL;

	if (mark)
		*mark = '\0';
	return mark ? mark + 1 : NULL;
}

static int read_runs(struct documents *d, struct store *s, const char *selection)
{
	int64_t *runs = NULL;
	size_t count;
	int err;

	err = store__select(s, selection, &runs, &count);
	if (!err && !count)
		err = error__return(-EINVAL, "%s%s%s: has no such run", store__sql(s)->path,
				    selection ? "?" : "", selection ?: "");
	for (size_t i = 0; !err && i < count; i++) {
		struct coverage c;
		char *document;

		err = store__read(s, runs[i], &c, &document);
		if (!err)
			documents__add(d, &c, document, test_of(s, runs[i]));
	}
	free(runs);
	return err;
}

static int read_one(struct documents *d, const char *path)
{
	char *file = xstrdup(path);
	const char *selection = cut_selection(file);
	struct coverage c;
	struct store *s;
	int err;

	if (strcmp(path, "-") && (selection || store__is(file))) {
		err = store__open(&s, file, STORE_READ);
		if (!err) {
			err = read_runs(d, s, selection);
			store__close(s);
		}
	} else {
		err = coverage__read_json(&c, path);
		if (!err)
			documents__add(d, &c, xstrdup(path), NULL);
	}
	free(file);
	return err;
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

int documents__read(struct documents *ret, const char *const *paths, size_t count)
{
	int err = 0;

	*ret = (struct documents){};
	for (size_t i = 0; !err && i < count; i++)
		err = read_one(ret, paths[i]);
	if (!err)
		documents__finish(ret, true);
	return err;
}

/* Replaces the documents from @first on by their union, which is called @path. */
static int join(struct documents *d, size_t first, const char *path)
{
	const struct coverage **list = xcalloc(d->count - first, sizeof(*list));
	struct coverage joined;
	int err;

	for (size_t i = first; i < d->count; i++)
		list[i - first] = &d->read[i];
	err = merge__run(&joined, list, d->count - first, d->paths + first);
	free(list);
	if (err)
		return err;
	while (d->count > first) {
		coverage__free(&d->read[--d->count]);
		free((char *)d->paths[d->count]);
		free(d->tests[d->count]);
	}
	documents__add(d, &joined, xstrdup(path), NULL);
	return 0;
}

int documents__read_joined(struct documents *ret, const char *const *paths, size_t count)
{
	int err = 0;

	*ret = (struct documents){};
	for (size_t i = 0; !err && i < count; i++) {
		err = read_one(ret, paths[i]);
		if (!err && ret->count > i + 1)
			err = join(ret, i, paths[i]);
	}
	if (!err)
		documents__finish(ret, true);
	return err;
}

void documents__free(struct documents *d)
{
	for (size_t i = 0; i < d->count; i++) {
		coverage__free(&d->read[i]);
		free((char *)d->paths[i]);
		free(d->tests[i]);
		if (d->labels)
			free(d->labels[i]);
	}
	free(d->read);
	free(d->list);
	free(d->labels);
	free(d->paths);
	free(d->tests);
}
