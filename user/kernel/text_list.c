// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's long lists of text; see text_list.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/text_list.h"

/* The kernel gives a page at a time, and the C library would ask for a quarter of one. */
#define READ_SIZE (16 * 1024)
#define LARGEST_ELEMENT 64
/* An address has fewer names than this; farther from its place is another part of the list. */
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
	/* One more than the digit; 0: it is none. */
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

/* Moves an element to its place among those before it, which are in order. False: that is too far off. */
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
 * The kernel's own addresses come first and in order, and several names of one address in any order. Those
 * of modules and of generated code follow, each module's for itself. So there is a beginning in order, which
 * is most of it, and a rest. In the rest all may be lower than in the beginning: then all is sorted.
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
