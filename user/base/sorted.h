/* SPDX-License-Identifier: GPL-2.0-only */
/* Looks up elements of a sorted array. bsearch() finds any of several equal ones, and no neighbour of a missing one. */
#ifndef HYTRACE_BASE_SORTED_H
#define HYTRACE_BASE_SORTED_H

/* Compares two numbers, as for qsort(). To sort by several members, join comparisons by ?:. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Compares two elements by their first member, which has 64 bits, as for qsort(). */
static inline int sorted__by_first(const void *a, const void *b)
{
	return ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}

/**
 * SORTED_FROM() - find the first element from a number on
 * @list: an array, sorted by @member; NULL if @count is 0
 * @count: the number of its elements
 * @member: a member of the elements, with 64 bits
 * @number: the number
 *
 * Return: the index of the first element with @member >= @number; @count if there is none. For the last element with
 * @member <= @number, look for @number + 1: it is the one before.
 */
#define SORTED_FROM(list, count, member, number) ({							\
	_Static_assert(sizeof((list)->member) == sizeof(uint64_t), "64 bits are read");			\
	sorted__from(list, count, sizeof(*(list)), offsetof(typeof(*(list)), member), number);		\
})

static inline size_t sorted__from(const void *list, size_t count, size_t size, size_t offset, uint64_t number)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const uint64_t *)((const char *)list + middle * size + offset) < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * sorted__equals() - find all elements that equal a key
 * @list: an array, sorted by @compare; NULL if @count is 0
 * @count: the number of its elements
 * @size: the size of an element
 * @key: an element
 * @compare: as for qsort(); it may ignore the last sort criteria of the array
 * @ret_count: the number of elements that equal the key
 *
 * Return: the index of the first one; if there is none, that of the first element after the key, or @count.
 */
static inline size_t sorted__equals(const void *list, size_t count, size_t size, const void *key,
				    int (*compare)(const void *a, const void *b), size_t *ret_count)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare((const char *)list + middle * size, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < count && !compare((const char *)list + high * size, key); high++)
		;
	*ret_count = high - low;
	return low;
}

#endif
