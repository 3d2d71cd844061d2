// SPDX-License-Identifier: GPL-2.0-only
/* Paths as text; see paths.h. */
#include <string.h>

#include "base/memory.h"
#include "base/paths.h"

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

bool path__has_suffix(const char *path, const char *suffix)
{
	const char *dot = path ? strrchr(path, '.') : NULL;

	return dot && !strcmp(dot, suffix);
}
