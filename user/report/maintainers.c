// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owners of files; see maintainers.h. A pattern means what it means for scripts/get_maintainer.pl: a file or
 * directory whose path begins with it. Only one that ends with a slash also means what is in directories below.
 */
#include <fnmatch.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "report/maintainers.h"

struct pattern {
	char *text;		/* with "*" at its end */
	size_t fixed;		/* so many characters have no special meaning */
	size_t slashes, entry;
	bool below, excludes;
};

struct maintainers {
	char **entries;		/* their names */
	size_t count;
	struct pattern *patterns;	/* those of one entry follow each other */
	size_t pattern_count;
	struct lh_table *known;	/* the owners of files that were asked for */
};

static size_t slashes(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '/';
	return count;
}

/* @text: of a line "F:" or "X:". A directory may lack its slash. */
static void add_pattern(struct maintainers *o, const char *directory, const char *text, bool excludes)
{
	autofree char *path = xasprintf("%s/%s", directory, text);
	size_t length = strlen(text), fixed = strcspn(text, "*?[");
	bool below = length && text[length - 1] == '/';
	struct stat st;

	if (!below && !text[fixed] && !stat(path, &st) && S_ISDIR(st.st_mode))
		below = true;
	*LIST_ADD(o->patterns, o->pattern_count) = (struct pattern){
		.text = xasprintf("%s%s*", text, below && text[length - 1] != '/' ? "/" : ""), .fixed = fixed,
		.slashes = slashes(text), .entry = o->count - 1, .below = below, .excludes = excludes,
	};
}

/* The line before those with a letter and a colon is the name of an entry. */
static void read_line(struct maintainers *o, const char *directory, char *line, char **name)
{
	bool is_field = *line >= 'A' && *line <= 'Z' && line[1] == ':';
	char *value = line + 2 + (is_field ? strspn(line + 2, " \t") : 0);

	if (!is_field) {
		free(*name);
		*name = utf8__printed(line);
		return;
	}
	if (*name)
		*LIST_ADD(o->entries, o->count) = *name;
	*name = NULL;
	if (o->count && *value && (*line == 'F' || *line == 'X'))
		add_pattern(o, directory, value, *line == 'X');
}

int maintainers__read(struct maintainers **ret, const char *const *directories, size_t count)
{
	struct maintainers *o = xcalloc(1, sizeof(*o));
	char *line = NULL, *name = NULL;
	const char *directory = NULL;
	size_t room = 0;
	FILE *f = NULL;
	ssize_t length;

	for (size_t i = 0; !f && i < count; i++) {
		autofree char *path = xasprintf("%s/MAINTAINERS", directories[i]);

		directory = directories[i];
		f = fopen(path, "re");
	}
	if (!f) {
		free(o);
		return error__return(-EINVAL, "--by owner: no directory of --source has a file MAINTAINERS");
	}
	o->known = index__new(1024, NULL);
	while ((length = getline(&line, &room, f)) > 0) {
		while (length && strchr(" \t\n", line[length - 1]))
			line[--length] = '\0';
		read_line(o, directory, line, &name);
	}
	fclose(f);
	free(line);
	free(name);
	*ret = o;
	return 0;
}

void maintainers__free(struct maintainers *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->count; i++)
		free(o->entries[i]);
	for (size_t i = 0; i < o->pattern_count; i++)
		free(o->patterns[i].text);
	free(o->entries);
	free(o->patterns);
	lh_table_free(o->known);
	free(o);
}

static bool matches(const struct pattern *p, const char *file, size_t depth)
{
	return !strncmp(p->text, file, p->fixed) && (p->below || p->slashes == depth) &&
	       !fnmatch(p->text, file, FNM_NOESCAPE);
}

/* "*" is for what has no other entry. */
static long depth_of(const struct pattern *p)
{
	return *p->text == '*' ? -1 : (long)p->slashes + !p->below;
}

static bool is_closer(const struct pattern *p, const struct pattern *other)
{
	return !other || (ORDER(depth_of(p), depth_of(other)) ?: ORDER(strlen(p->text), strlen(other->text))) > 0;
}

static const char *find(const struct maintainers *o, const char *file)
{
	const struct pattern *best = NULL;
	size_t depth = slashes(file);

	for (size_t first = 0, next = 0; first < o->pattern_count; first = next) {
		const struct pattern *of_entry = NULL;
		bool excluded = false;

		for (; next < o->pattern_count && o->patterns[next].entry == o->patterns[first].entry; next++) {
			const struct pattern *p = &o->patterns[next];

			if (!matches(p, file, depth))
				continue;
			excluded |= p->excludes;
			of_entry = !p->excludes && is_closer(p, of_entry) ? p : of_entry;
		}
		best = of_entry && !excluded && is_closer(of_entry, best) ? of_entry : best;
	}
	return best ? o->entries[best->entry] : NULL;
}

const char *maintainers__of(struct maintainers *o, const char *file)
{
	struct lh_entry *entry = lh_table_lookup_entry(o->known, file);
	const char *owner = entry ? lh_entry_v(entry) : find(o, file);

	if (!entry)
		index__add(o->known, file, owner);
	return owner;
}
