// SPDX-License-Identifier: GPL-2.0-only
/* What objects need; see needs.h. */
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "tailor/needs.h"

struct need *need_store__add(struct need_store *store)
{
	struct need **more = reallocarray(store->list, store->count + 1, sizeof(*more));
	struct need *need = calloc(1, sizeof(*need));

	if (more)
		store->list = more;
	if (!more || !need) {
		free(need);
		error__no_memory();
		return NULL;
	}
	return store->list[store->count++] = need;
}

void need_store__free(struct need_store *store)
{
	for (size_t i = 0; i < store->count; i++) {
		free(store->list[i]->options);
		free(store->list[i]);
	}
	free(store->list);
	*store = (struct need_store){};
}

static bool has(const struct need *need, const char *option)
{
	for (size_t i = 0; i < need->count; i++) {
		if (need->options[i] == option)
			return true;
	}
	return false;
}

int need__add(struct need *need, const char *option)
{
	const char **more;

	if (has(need, option))
		return 0;
	more = reallocarray(need->options, need->count + 1, sizeof(*more));
	if (!more)
		return error__no_memory();
	need->options = more;
	more[need->count++] = option;
	return 0;
}

/* "A" says more than "A or B". */
static bool says_as_much(const struct need *strong, const struct need *weak)
{
	for (size_t i = 0; i < strong->count; i++) {
		if (!has(weak, strong->options[i]))
			return false;
	}
	return true;
}

int needs__add(struct needs *needs, const struct need *need)
{
	const struct need **more;
	size_t kept = 0;

	for (size_t i = 0; i < needs->count; i++) {
		if (says_as_much(needs->list[i], need))
			return 0;
	}
	for (size_t i = 0; i < needs->count; i++) {
		if (!says_as_much(need, needs->list[i]))
			needs->list[kept++] = needs->list[i];
	}
	needs->count = kept;
	more = reallocarray(needs->list, needs->count + 1, sizeof(*more));
	if (!more)
		return error__no_memory();
	needs->list = more;
	more[needs->count++] = need;
	return 0;
}

int needs__add_all(struct needs *needs, const struct needs *more)
{
	int err = 0;

	for (size_t i = 0; !err && i < more->count; i++)
		err = needs__add(needs, more->list[i]);
	return err;
}

void needs__free(struct needs *needs)
{
	free(needs->list);
	*needs = (struct needs){};
}

/* One option of either need. */
static const struct need *join(const struct need *a, const struct need *b, struct need_store *store)
{
	struct need *both;
	int err = 0;

	if (says_as_much(a, b))
		return b;
	if (says_as_much(b, a))
		return a;
	both = need_store__add(store);
	for (size_t i = 0; both && !err && i < a->count; i++)
		err = need__add(both, a->options[i]);
	for (size_t i = 0; both && !err && i < b->count; i++)
		err = need__add(both, b->options[i]);
	return err ? NULL : both;
}

int needs__either(struct needs *needs, const struct needs *other, struct need_store *store)
{
	struct needs either = {};
	int err = 0;

	for (size_t i = 0; !err && i < needs->count; i++) {
		for (size_t j = 0; !err && j < other->count; j++) {
			const struct need *need = join(needs->list[i], other->list[j], store);

			err = need ? needs__add(&either, need) : -ENOMEM;
		}
	}
	if (err) {
		needs__free(&either);
		return err;
	}
	needs__free(needs);
	*needs = either;
	return 0;
}
