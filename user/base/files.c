// SPDX-License-Identifier: GPL-2.0-only
/* Whole files as text; see files.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/memory.h"

char *file__text(const char *path)
{
	FILE *f = fopen(path, "re"), *memory;
	char *text = NULL, part[16384];
	size_t length, got;
	int err;

	if (!f)
		return NULL;
	/* Files in /proc have no size before they are read. */
	memory = xopen_memstream(&text, &length);
	while ((got = fread(part, 1, sizeof(part), f)))
		fwrite(part, 1, got, memory);
	err = ferror(f) ? errno : 0;
	xclose_memstream(memory);
	fclose(f);
	if (err) {
		free(text);
		text = NULL;
		errno = err;
	}
	return text;
}

long file__number(const char *path)
{
	FILE *f = fopen(path, "re");
	long number;

	if (!f)
		return -1;
	if (fscanf(f, "%ld", &number) != 1)
		number = -1;
	fclose(f);
	return number;
}

const char *text__value(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (; text; text = strchr(text, '\n'), text += !!text) {
		if (!strncmp(text, name, length) && text[length] == ':')
			return text + length + 1;
	}
	return NULL;
}
