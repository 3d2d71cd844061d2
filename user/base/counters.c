// SPDX-License-Identifier: GPL-2.0-only
/* A list of named numbers; see counters.h. */
#include <stdlib.h>
#include <string.h>

#include "base/counters.h"
#include "base/memory.h"

void counters__add(struct counters *counters, const char *name, uint64_t value)
{
	*LIST_ADD(counters->list, counters->count) = (struct counter){ name, value };
}

void counter__raise(struct counter *c, uint64_t by)
{
	c->value = by > UINT64_MAX - c->value ? UINT64_MAX : c->value + by;
}

uint64_t counters__get(const struct counters *counters, const char *name)
{
	for (size_t i = 0; i < counters->count; i++) {
		if (!strcmp(counters->list[i].name, name))
			return counters->list[i].value;
	}
	return 0;
}

uint64_t counters__sum(const struct counters *counters)
{
	struct counter sum = {};

	for (size_t i = 0; i < counters->count; i++)
		counter__raise(&sum, counters->list[i].value);
	return sum.value;
}

void counters__free(struct counters *counters)
{
	free(counters->list);
	memset(counters, 0, sizeof(*counters));
}
