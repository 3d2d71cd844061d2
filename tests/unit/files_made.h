/* SPDX-License-Identifier: GPL-2.0 */
/* A directory with files that a test makes, in place of / or a part of it. */
#ifndef HYTRACE_TESTS_FILES_MADE_H
#define HYTRACE_TESTS_FILES_MADE_H

#include "base/files.h"

static char made[] = "/tmp/made.XXXXXX";

static inline void make_files(void)
{
	cr_assert(mkdtemp(made) != NULL);
}

static inline void remove_files(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", made);
	cr_expect(system(command) == 0);
}

/* Makes the directories of the path, too. */
static inline void put_file(const char *name, const void *data, size_t length)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", made, name);
	for (char *at = path + strlen(made) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(path, 0700);
	}
	f = fopen(path, "w");
	cr_assert(f != NULL);
	cr_assert(fwrite(data, 1, length, f) == length);
	fclose(f);
}

static inline void put_text(const char *name, const char *content)
{
	put_file(name, content, strlen(content));
}

/* NULL: there is no such file. To be freed. */
static inline char *get_text(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", made, name);
	return file__text(path);
}

#endif
