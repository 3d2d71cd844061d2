// SPDX-License-Identifier: GPL-2.0-only
/* Finds the options that Makefiles mention; see mentioned.h. */
#include <ctype.h>

#include "base/error.h"
#include "base/memory.h"
#include "tailor/mentioned.h"

static void add(struct mentioned *m, struct kbuild *k, const char *name)
{
	if (!kbuild__value(k, name))
		return;
	name = strings__intern(k->names, name);
	for (size_t i = 0; i < m->count; i++) {
		if (m->list[i] == name)
			return;
	}
	*LIST_ADD(m->list, m->count) = name;
}

int mentioned__read(struct mentioned *m, struct kbuild *k, const char *path, const char *const *words)
{
	autofclose FILE *file = fopen(path, "re");
	autofree char *line = NULL;
	size_t size = 0;

	if (!file)
		return error__return(-EINVAL, "%s: cannot be read: %s", path, strerror(errno));
	while (getline(&line, &size, file) > 0) {
		bool counts = !words;

		for (const char *const *word = words; word && *word; word++)
			counts |= strstr(line, *word) != NULL;
		for (char *at = line; counts && (at = strstr(at, "CONFIG_")); ) {
			char *end = at, last;

			while (isalnum((unsigned char)*end) || *end == '_')
				end++;
			last = *end;
			*end = '\0';
			add(m, k, at);
			*end = last;
			at = end;
		}
	}
	return 0;
}

void mentioned__free(struct mentioned *m)
{
	free(m->list);
	*m = (struct mentioned){};
}
