// SPDX-License-Identifier: GPL-2.0-only
/* Reads the kernel's long lists of text; see text_list.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/text_list.h"

/*
 * The kernel returns a page at a time; with its own buffer, the C library would ask for a quarter
 * of that.
 */
#define READ_SIZE (16 * 1024)
#define LARGEST_ELEMENT 64
/*
 * An address has fewer names than this. A line that is farther from its place belongs to another
 * part of the list.
 */
#define FARTHEST 32

FILE *text_list__open(const char *path)
{
	FILE *f = fopen(path, "re");

	if (f)
		setvbuf(f, NULL, _IOFBF, READ_SIZE);
	return f;
}

int text_list__read(FILE *f, int (*use)(void *context, char *line), void *context)
{
	char *line = NULL;
	size_t room = 0;
	int err = 0;

	while (!err && getline(&line, &room, f) > 0)
		err = use(context, line);
	if (!err && ferror(f))
		err = -EIO;
	free(line);
	return err;
}

uint64_t text_list__address(const char *line, char **ret_end)
{
	/* The value plus one of each digit; 0: no digit. */
	static const unsigned char digits[256] = {
		['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
		['a'] = 11, 12, 13, 14, 15, 16,
		['A'] = 11, 12, 13, 14, 15, 16,
	};
	uint64_t addr = 0;
	unsigned int digit;

	while ((digit = digits[(unsigned char)*line])) {
		addr = addr << 4 | (digit - 1);
		line++;
	}
	*ret_end = (char *)line;
	return addr;
}

/*
 * Moves an element to its place among those before it, which are sorted. Returns false if that
 * place is too far away.
 */
static bool insert(char *list, size_t at, size_t size, int (*compare)(const void *a, const void *b))
{
	char element[LARGEST_ELEMENT];
	size_t to = at;

	while (to > 0 && compare(list + (to - 1) * size, list + at * size) > 0) {
		if (at - to == FARTHEST)
			return false;
		to--;
	}
	if (to == at)
		return true;
	memcpy(element, list + at * size, size);
	memmove(list + (to + 1) * size, list + to * size, (at - to) * size);
	memcpy(list + to * size, element, size);
	return true;
}

/*
 * The kernel's own addresses come first, in order; several names of one address are in any order.
 * The addresses of modules and of generated code come after them, sorted within each module only.
 * So most of the list is a sorted beginning, and only the remaining lines are sorted. If one of
 * them belongs into the beginning, the whole list is sorted.
 */
void text_list__sort(void *list, size_t count, size_t size, int (*compare)(const void *a, const void *b))
{
	size_t ordered = 0;
	char *rest;

	while (ordered < count && insert(list, ordered, size, compare))
		ordered++;
	if (ordered == count)
		return;
	rest = (char *)list + ordered * size;
	qsort(rest, count - ordered, size, compare);
	if (compare(rest - size, rest) > 0)
		qsort(list, count, size, compare);
}
