/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists that grow by one element at a time. */
#ifndef HYTRACE_BASE_ARRAY_H
#define HYTRACE_BASE_ARRAY_H

#include <stdlib.h>

#include "base/error.h"

/**
 * array__grow() - make room for one more element
 * @list: the list, or NULL if there is none yet; it only ever grew by this function
 * @count: how many elements it has
 * @size: of an element, in bytes
 *
 * The room is doubled when the count is a power of two, so it needs not be kept.
 *
 * Return: the list, perhaps at another address; NULL after a message if there is no memory, and then
 * @list is as it was.
 */
static inline void *array__grow(void *list, size_t count, size_t size)
{
	if (count & (count - 1))
		return list;
	list = reallocarray(list, count ? 2 * count : 1, size);
	if (!list)
		error__no_memory();
	return list;
}

#endif
