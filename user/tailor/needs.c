// SPDX-License-Identifier: GPL-2.0-only
/* What objects need; see needs.h. */
#include "base/memory.h"
#include "tailor/needs.h"

struct need *need_store__add(struct need_store *store)
{
	return *LIST_ADD(store->list, store->count) = xcalloc(1, sizeof(struct need));
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

void need__add(struct need *need, const char *option)
{
	if (!has(need, option))
		*LIST_ADD(need->options, need->count) = option;
}

/* "A" implies "A or B". */
static bool says_as_much(const struct need *strong, const struct need *weak)
{
	for (size_t i = 0; i < strong->count; i++) {
		if (!has(weak, strong->options[i]))
			return false;
	}
	return true;
}

void needs__add(struct needs *needs, const struct need *need)
{
	size_t kept = 0;

	for (size_t i = 0; i < needs->count; i++) {
		if (says_as_much(needs->list[i], need))
			return;
	}
	for (size_t i = 0; i < needs->count; i++) {
		if (!says_as_much(need, needs->list[i]))
			needs->list[kept++] = needs->list[i];
	}
	needs->count = kept;
	*LIST_ADD(needs->list, needs->count) = need;
}

void needs__add_all(struct needs *needs, const struct needs *more)
{
	for (size_t i = 0; i < more->count; i++)
		needs__add(needs, more->list[i]);
}

void needs__free(struct needs *needs)
{
	free(needs->list);
	*needs = (struct needs){};
}

/* The need for one option of @a or @b. */
static const struct need *join(const struct need *a, const struct need *b, struct need_store *store)
{
	struct need *both;

	if (says_as_much(a, b))
		return b;
	if (says_as_much(b, a))
		return a;
	both = need_store__add(store);
	for (size_t i = 0; i < a->count; i++)
		need__add(both, a->options[i]);
	for (size_t i = 0; i < b->count; i++)
		need__add(both, b->options[i]);
	return both;
}

void needs__either(struct needs *needs, const struct needs *other, struct need_store *store)
{
	struct needs either = {};

	for (size_t i = 0; i < needs->count; i++) {
		for (size_t j = 0; j < other->count; j++)
			needs__add(&either, join(needs->list[i], other->list[j], store));
	}
	needs__free(needs);
	*needs = either;
}
