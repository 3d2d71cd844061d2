// SPDX-License-Identifier: GPL-2.0-only
/* Chooses the tests that reach what a patch changes; see answers.h. */
#include "affected/answers.h"
#include "base/memory.h"

static struct test *find_test(struct tests *t, const char *name, size_t bytes)
{
	for (size_t i = 0; i < t->count; i++) {
		if (!strcmp(t->list[i].name, name))
			return &t->list[i];
	}
	*LIST_ADD(t->list, t->count) = (struct test){ name, xcalloc(bytes, 1) };
	return &t->list[t->count - 1];
}

static size_t count_new(const struct test *t, const unsigned char *covered, size_t bytes)
{
	size_t count = 0;

	for (size_t i = 0; i < bytes; i++)
		count += __builtin_popcount(t->reaches[i] & ~covered[i]);
	return count;
}

/* Each round takes the test that adds most; of several, the first by name. The rest is dropped. */
void tests__choose(struct tests *ret, const struct answers *a)
{
	size_t bytes = a->changed->count / 8 + 1, chosen = 0;
	unsigned char *covered = xcalloc(bytes, 1);

	*ret = (struct tests){};
	for (size_t run = 0; run < a->runs->count; run++) {
		struct test *t = find_test(ret, run__test(&a->runs->list[run]), bytes);

		for (size_t i = 0; i < a->changed->count; i++) {
			if (runs__has(a->list[i].evidence.ran, run))
				t->reaches[i / 8] |= 1 << i % 8;
		}
	}
	for (; chosen < ret->count; chosen++) {
		struct test *best = NULL, swap;

		for (size_t i = chosen; i < ret->count; i++) {
			struct test *t = &ret->list[i];

			t->adds = count_new(t, covered, bytes);
			if (t->adds && (!best || t->adds > best->adds ||
					(t->adds == best->adds && strcmp(t->name, best->name) < 0)))
				best = t;
		}
		if (!best)
			break;
		ret->reached += best->adds;
		for (size_t i = 0; i < bytes; i++)
			covered[i] |= best->reaches[i];
		swap = *best;
		*best = ret->list[chosen];
		ret->list[chosen] = swap;
	}
	while (ret->count > chosen)
		free(ret->list[--ret->count].reaches);
	free(covered);
}

void tests__free(struct tests *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->list[i].reaches);
	free(t->list);
}
