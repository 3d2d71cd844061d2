// SPDX-License-Identifier: GPL-2.0-only
/* Append-only string store; see strings.h. */
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"

#define BLOCK_SIZE (256 * 1024)
#define RECENT 8

struct block {
	struct block *next;
	size_t used, size;
	char text[];
};

struct strings {
	struct block *blocks;
	const char *recent[RECENT];
	unsigned int turn;
};

struct strings *strings__new(void)
{
	return calloc(1, sizeof(struct strings));
}

void strings__free(struct strings *s)
{
	struct block *next;

	if (!s)
		return;
	for (struct block *b = s->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	free(s);
}

const char *strings__add(struct strings *s, const char *text)
{
	size_t length = strlen(text) + 1;
	struct block *b = s->blocks;
	char *copy;

	if (!b || b->size - b->used < length) {
		size_t size = length > BLOCK_SIZE ? length : BLOCK_SIZE;

		b = malloc(sizeof(*b) + size);
		if (!b)
			return NULL;
		b->size = size;
		b->used = 0;
		b->next = s->blocks;
		s->blocks = b;
	}
	copy = b->text + b->used;
	memcpy(copy, text, length);
	b->used += length;
	return copy;
}

const char *strings__intern(struct strings *s, const char *text)
{
	const char *copy;

	for (int i = 0; i < RECENT; i++) {
		if (s->recent[i] && !strcmp(s->recent[i], text))
			return s->recent[i];
	}
	copy = strings__add(s, text);
	if (copy)
		s->recent[s->turn++ % RECENT] = copy;
	return copy;
}
