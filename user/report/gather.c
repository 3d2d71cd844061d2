// SPDX-License-Identifier: GPL-2.0-only
/* Joins runs that have something in common, until there are few enough to be looked at; see documents.h. */
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/documents.h"
#include "report/merge.h"
#include "store/store.h"

/* What the runs of a group may have in common, in the order in which it is tried. */
enum common { BY_TEST, BY_HOST, BY_DAY, BY_MONTH, BY_NEIGHBOURS };

struct keyed {
	char *key;
	size_t document;	/* its index */
};

static char *time_text(const struct coverage *c, const char *format)
{
	time_t seconds = c->started / 1000000000;
	char text[32];
	struct tm tm;

	strftime(text, sizeof(text), format, gmtime_r(&seconds, &tm));
	return c->started ? xstrdup(text) : NULL;
}

/* Returns NULL if it is not known. */
static char *key_of(const struct documents *d, size_t i, enum common by, size_t most)
{
	size_t size = (d->count + most - 1) / most, first = i / size * size, last = first + size - 1;

	switch (by) {
	case BY_TEST:
		return d->list[i]->source.read ? store__test(d->list[i]->source.store, d->list[i]->source.run) : NULL;
	case BY_HOST:
		return xstrdup(d->list[i]->host);
	case BY_DAY:
		return time_text(d->list[i], "%Y-%m-%d");
	case BY_MONTH:
		return time_text(d->list[i], "%Y-%m");
	case BY_NEIGHBOURS:
		return xasprintf("%s \u2026 %s", d->labels[first], d->labels[last < d->count ? last : d->count - 1]);
	}
	return NULL;
}

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	return strverscmp(x->key, y->key) ?: (x->document > y->document) - (x->document < y->document);
}

static void free_keys(struct keyed *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(keys[i].key);
	free(keys);
}

/*
 * Runs that were asked for different functions have no union. Returns the first document that was asked for those of
 * @i.
 */
static size_t first_like(const struct documents *d, size_t i)
{
	size_t first = 0;

	while (!globs__are_same(&d->list[first]->filter.allow, &d->list[i]->filter.allow) ||
	       !globs__are_same(&d->list[first]->filter.deny, &d->list[i]->filter.deny))
		first++;
	return first;
}

/* Returns all documents, sorted by what they have in common; NULL if it is not known, or makes no sensible groups. */
static struct keyed *sort_by(const struct documents *d, enum common by, size_t most)
{
	struct keyed *keys = xcalloc(d->count, sizeof(*keys));
	size_t groups = 1;
	bool known = true;

	for (size_t i = 0; i < d->count; i++) {
		size_t first = first_like(d, i);
		autofree char *key = key_of(d, i, by, most);

		keys[i] = (struct keyed){ key && first ? xasprintf("%s (filters of %s)", key, d->labels[first]) :
					  xstrdup(key), i };
		known &= keys[i].key != NULL;
	}
	if (known && by != BY_NEIGHBOURS)
		qsort(keys, d->count, sizeof(*keys), by_key);
	for (size_t i = 1; known && i < d->count; i++)
		groups += strcmp(keys[i - 1].key, keys[i].key) != 0;
	if (by == BY_NEIGHBOURS || (known && groups > 1 && groups <= most))
		return keys;
	free_keys(keys, d->count);
	return NULL;
}

static int add_run(struct merge *m, const struct documents *d, size_t i)
{
	struct coverage c = *d->list[i];
	const struct hits *hits;
	int err = coverage__open_hits(d->list[i], HITS_ALL, &hits);

	if (err)
		return err;
	c.hits = *hits;
	err = merge__add(m, &c, d->paths[i]);
	coverage__close_hits(d->list[i], hits);
	return err;
}

/* Puts a union into the store of @to. There, it takes a twentieth of the memory, and is read when it is needed. */
static int add_union(struct documents *to, const struct coverage *joined, const char *label)
{
	struct store_note note = { .document = label, .hash = { { to->count } } };
	struct store *s = to->stores[0];
	struct coverage c;
	char *document;
	bool is_new;
	int err;

	err = store__keep(s, joined, &note, &is_new) ?: store__read_head(s, to->count + 1, &c, &document);
	if (err)
		return err;
	documents__add(to, &c, document);
	free(document);
	return 0;
}

/* Adds the union of the documents with the first key to @to. */
static int join(struct documents *to, const struct documents *d, const struct keyed *keys, size_t count)
{
	struct coverage joined;
	struct merge m;
	int err = 0;

	merge__begin(&m, &joined);
	for (size_t i = 0; !err && i < count; i++)
		err = add_run(&m, d, keys[i].document);
	err = merge__end(&m, err);
	if (err)
		return err;
	err = add_union(to, &joined, keys->key);
	coverage__free(&joined);
	return err;
}

int documents__gather(struct documents *d, size_t most)
{
	struct documents gathered = {};
	struct keyed *keys = NULL;
	int err = store__open(LIST_ADD(gathered.stores, gathered.store_count), NULL, STORE_CREATE);

	for (enum common by = BY_TEST; !keys; by++)
		keys = sort_by(d, by, most);
	for (size_t first = 0, next; !err && first < d->count; first = next) {
		for (next = first + 1; next < d->count && !strcmp(keys[first].key, keys[next].key); next++)
			;
		err = join(&gathered, d, keys + first, next - first);
	}
	free_keys(keys, d->count);
	documents__finish(&gathered, false);
	documents__free(d);
	*d = gathered;
	return err;
}
