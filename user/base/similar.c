// SPDX-License-Identifier: GPL-2.0-only
/* Finds the most similar name; see similar.h. */
#include <stddef.h>
#include <string.h>

#include "base/similar.h"

static unsigned int smallest(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int least = a < b ? a : b;

	return least < c ? least : c;
}

/*
 * The number of edits between two names: inserting, deleting or changing a letter, or swapping two
 * neighbours. Gives up beyond @limit.
 */
static unsigned int distance(const char *a, const char *b, unsigned int limit)
{
	unsigned int rows[3][128];
	size_t la = strlen(a), lb = strlen(b);

	if (lb >= 128 || (la > lb ? la - lb : lb - la) > limit)
		return limit + 1;
	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int *row = rows[i % 3], *last = rows[(i + 2) % 3];
		unsigned int *before = rows[(i + 1) % 3], best;

		row[0] = best = i;
		for (size_t j = 1; j <= lb; j++) {
			row[j] = smallest(last[j] + 1, row[j - 1] + 1,
					  last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
			if (row[j] < best)
				best = row[j];
		}
		if (best > limit)
			return limit + 1;
	}
	return rows[la % 3][lb];
}

void similar__begin(struct similar *s, const char *name)
{
	s->name = name;
	s->limit = strlen(name) > 5 ? 3 : 1;
	s->nearest = NULL;
}

void similar__try(struct similar *s, const char *candidate)
{
	unsigned int apart;

	if (!s->limit)
		return;
	apart = distance(s->name, candidate, s->limit);
	if (apart > s->limit)
		return;
	s->nearest = candidate;
	s->limit = apart ? apart - 1 : 0;
}
