// SPDX-License-Identifier: GPL-2.0-only
/* The recordings on a command line; see documents.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "document/coverage_json.h"
#include "report/documents.h"

/* Turns "build/run/boot.json.gz" into "boot". */
static char *short_label(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t length;

	base = base ? base + 1 : path;
	length = strcspn(base, ".");
	return xstrndup(base, length ? length : strlen(base));
}

static bool are_distinct(char *const *labels, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (!strcmp(labels[i], labels[j]))
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
	if (are_distinct(d->labels, d->count))
		return;
	for (size_t i = 0; i < d->count; i++) {
		free(d->labels[i]);
		d->labels[i] = xstrdup(d->paths[i]);
	}
}

int documents__read(struct documents *ret, const char *const *paths, size_t count)
{
	int err = 0;

	*ret = (struct documents){
		.read = xcalloc(count, sizeof(*ret->read)), .list = xcalloc(count, sizeof(*ret->list)),
		.labels = xcalloc(count, sizeof(*ret->labels)), .paths = paths,
	};
	for (; !err && ret->count < count; ret->count++) {
		err = coverage__read_json(&ret->read[ret->count], paths[ret->count]);
		if (err)
			return err;
		ret->list[ret->count] = &ret->read[ret->count];
	}
	make_labels(ret);
	return 0;
}

void documents__free(struct documents *d)
{
	for (size_t i = 0; i < d->count; i++) {
		coverage__free(&d->read[i]);
		free(d->labels[i]);
	}
	free(d->read);
	free(d->list);
	free(d->labels);
}
