// SPDX-License-Identifier: GPL-2.0-only
/* Where files are kept for the next time; see kept.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/place.h"
#include "run/kept.h"

/* Files are not trusted if other users can write there. Nor may root write to a home that sudo has kept in HOME. */
static bool is_own(const char *directory)
{
	int err = place__check_own(directory);

	return !err || err == -ENOENT;
}

char *kept__path(const char *name)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *directory, *path = NULL;

	if (cache && !*cache)
		cache = NULL;
	if ((!cache && !home) || !is_own(cache ?: home))
		return NULL;
	directory = xasprintf("%s%s/hytrace", cache ?: home, cache ? "" : "/.cache");
	if (is_own(directory))
		path = xasprintf("%s/%s", directory, name);
	free(directory);
	return path;
}

/* Also makes the parent directory, which a new user does not have. */
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
	char *directory = xstrdup(path), *slash = strrchr(directory, '/');
	struct output *output = NULL;

	if (slash)
		*slash = '\0';
	if (!slash || !make_directory(directory) || access(directory, W_OK) || output__open(&output, path, NULL))
		output = NULL;
	free(directory);
	return output;
}

void kept__touch(const char *path)
{
	utimensat(AT_FDCWD, path, NULL, 0);
}

/* The least recently used file of a kind: its name, to be freed; NULL: there are at most @most files. */
static char *find_oldest(const char *directory, const char *kind, size_t length, size_t most)
{
	DIR *dir = opendir(directory);
	struct timespec oldest = {};
	struct dirent *entry;
	char *found = NULL;
	size_t count = 0;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		/* Files that another run is writing have a dot in their names. */
		if (strncmp(entry->d_name, kind, length) || strchr(entry->d_name, '.') ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		count++;
		if (found && (st.st_mtim.tv_sec > oldest.tv_sec ||
			      (st.st_mtim.tv_sec == oldest.tv_sec && st.st_mtim.tv_nsec >= oldest.tv_nsec)))
			continue;
		oldest = st.st_mtim;
		free(found);
		found = xasprintf("%s/%s", directory, entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (count > most)
		return found;
	free(found);
	return NULL;
}

void kept__trim(const char *path, size_t most)
{
	char *directory = xstrdup(path), *slash = strrchr(directory, '/'), *oldest;
	const char *kind = slash ? slash + 1 : NULL, *end = slash ? strchr(kind, '-') : NULL;

	if (end) {
		*slash = '\0';
		while ((oldest = find_oldest(directory, kind, end + 1 - kind, most))) {
			int err = unlink(oldest);

			free(oldest);
			if (err)
				break;
		}
	}
	free(directory);
}
