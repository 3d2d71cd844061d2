// SPDX-License-Identifier: GPL-2.0-only
/* Finds the options that Makefiles mention; see mentioned.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tailor/mentioned.h"

static int add(struct mentioned *m, struct kbuild *k, const char *name)
{
	const char **more;

	if (!kbuild__value(k, name))
		return 0;
	name = strings__intern(k->names, name);
	for (size_t i = 0; i < m->count; i++) {
		if (m->list[i] == name)
			return 0;
	}
	more = reallocarray(m->list, m->count + 1, sizeof(*more));
	if (!more)
		return error__no_memory();
	m->list = more;
	more[m->count++] = name;
	return 0;
}

int mentioned__read(struct mentioned *m, struct kbuild *k, const char *path, const char *const *words)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	if (!file)
		return error__return(-EINVAL, "%s: cannot be read: %s", path, strerror(errno));
	while (!err && getline(&line, &size, file) > 0) {
		bool counts = !words;

		for (const char *const *word = words; word && *word; word++)
			counts |= strstr(line, *word) != NULL;
		for (char *at = line; counts && !err && (at = strstr(at, "CONFIG_")); ) {
			char *end = at, last;

			while (isalnum((unsigned char)*end) || *end == '_')
				end++;
			last = *end;
			*end = '\0';
			err = add(m, k, at);
			*end = last;
			at = end;
		}
	}
	free(line);
	fclose(file);
	return err;
}

void mentioned__free(struct mentioned *m)
{
	free(m->list);
	*m = (struct mentioned){};
}
