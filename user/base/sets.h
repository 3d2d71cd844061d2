/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of numbers below a limit, such as the recordings that have a call. The sets lie in one block of memory. */
#ifndef HYTRACE_BASE_SETS_H
#define HYTRACE_BASE_SETS_H

#include "base/memory.h"

struct sets {
	uint64_t *words;
	size_t count;
	size_t each;		/* the number of words of a set */
};

/* Makes @count empty sets of numbers below @limit. free(@s->words) frees them. */
static inline void sets__make(struct sets *s, size_t count, size_t limit)
{
	*s = (struct sets){ .count = count, .each = limit / 64 + 1 };
	s->words = xcalloc(count, s->each * sizeof(*s->words));
}

/* The words of a set, until a set is added. */
static inline uint64_t *sets__at(const struct sets *s, size_t index)
{
	return s->words + index * s->each;
}

/* Adds an empty set at the end. */
static inline uint64_t *sets__add(struct sets *s)
{
	s->words = list__grow(s->words, s->count, s->each * sizeof(*s->words));
	return sets__at(s, s->count++);
}

static inline void set__add(uint64_t *set, size_t number)
{
	set[number / 64] |= 1ull << number % 64;
}

static inline bool set__has(const uint64_t *set, size_t number)
{
	return set[number / 64] >> number % 64 & 1;
}

/* Adds the numbers of @other. @each: the number of words */
static inline void set__unite(uint64_t *set, const uint64_t *other, size_t each)
{
	for (size_t i = 0; i < each; i++)
		set[i] |= other[i];
}

static inline bool set__any(const uint64_t *set, size_t each)
{
	for (size_t i = 0; i < each; i++) {
		if (set[i])
			return true;
	}
	return false;
}

static inline size_t set__count(const uint64_t *set, size_t each)
{
	size_t count = 0;

	for (size_t i = 0; i < each; i++)
		count += __builtin_popcountll(set[i]);
	return count;
}

#endif
