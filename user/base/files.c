// SPDX-License-Identifier: GPL-2.0-only
/* Files: whole as text, what the kernel says of them, their paths and their descriptors; see files.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

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
	/* Read to the end, because stat() gives no size for files in /proc. */
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
	char *text = file__text(path), *end = text;
	long number = text ? strtol(text, &end, 10) : -1;

	number = end == text ? -1 : number;
	free(text);
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

/* ---- descriptors */

uint64_t fdinfo__number(int fd, const char *name)
{
	char *path = xasprintf("/proc/self/fdinfo/%d", fd), *text = file__text(path);
	const char *value = text__value(text, name);
	uint64_t number = value ? strtoull(value, NULL, 10) : 0;

	free(path);
	free(text);
	return number;
}

/* Room for all other files that are or will be open. */
#define SPARE_DESCRIPTORS 256

int descriptors__allow(size_t more)
{
	rlim_t wanted = more + SPARE_DESCRIPTORS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
		return 0;
	limit.rlim_cur = wanted;
	if (limit.rlim_max < wanted)
		limit.rlim_max = wanted;
	return setrlimit(RLIMIT_NOFILE, &limit) ? -errno : 0;
}

/* ---- paths */

void path__simplify(char *path)
{
	char *from = path, *to = path;

	while (*from) {
		size_t length = strcspn(from, "/");

		if (length == 2 && !strncmp(from, "..", 2)) {
			/* The path so far ends with a slash. */
			if (to > path)
				to--;
			while (to > path && to[-1] != '/')
				to--;
		} else if (length && !(length == 1 && *from == '.')) {
			memmove(to, from, length);
			to += length;
			if (from[length])
				*to++ = '/';
		}
		from += length;
		from += strspn(from, "/");
	}
	*to = '\0';
}

char *path__join(const char *directory, const char *name)
{
	return xasprintf("%s/%s", directory, name);
}
