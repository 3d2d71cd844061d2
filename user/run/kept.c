// SPDX-License-Identifier: GPL-2.0-only
/* Where files are kept for the next time; see kept.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/place.h"
#include "run/kept.h"

/* What others may have put there cannot be believed; nor may root's files lie in a home that sudo has kept in HOME. */
static bool is_own(const char *directory)
{
	int err = place__check_own(directory);

	return !err || err == -ENOENT;
}

char *kept__path(const char *name)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *directory, *path;

	if (cache && !*cache)
		cache = NULL;
	if ((!cache && !home) || !is_own(cache ?: home) ||
	    asprintf(&directory, "%s%s/hytrace", cache ?: home, cache ? "" : "/.cache") < 0)
		return NULL;
	if (!is_own(directory) || asprintf(&path, "%s/%s", directory, name) < 0)
		path = NULL;
	free(directory);
	return path;
}

/* Also makes the directory above, which a new user does not have. */
static bool make_directory(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash && slash != path) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	return !mkdir(path, 0755) || errno == EEXIST;
}

struct output *kept__open(const char *path)
{
	char *directory = strdup(path), *slash = directory ? strrchr(directory, '/') : NULL;
	struct output *output = NULL;

	if (slash)
		*slash = '\0';
	if (!slash || !make_directory(directory) || access(directory, W_OK) || output__open(&output, path, NULL))
		output = NULL;
	free(directory);
	return output;
}
