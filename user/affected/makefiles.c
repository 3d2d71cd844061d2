// SPDX-License-Identifier: GPL-2.0-only
/* Reads Makefiles; see makefiles.h. */
#include <ctype.h>

#include "affected/makefiles.h"

/* An object is a part of few others. A Makefile may be anybody's. */
#define MOST_ASKED 16
#define LONGEST_OPTION 128

struct asking {
	struct lh_table *makefiles;
	struct strings *names;
	const char **list;
	size_t count;
	bool found;			/* a line names what is asked for */
	int asked;			/* objects and directories so far */
};

char *path__directory(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xstrndup(path, slash - path) : xstrdup("");
}

static void add_option(struct asking *a, const char *start, size_t length)
{
	char *name = xstrndup(start, length);
	const char *kept = strings__intern(a->names, name);

	free(name);
	for (size_t i = 0; i < a->count; i++) {
		if (a->list[i] == kept)
			return;
	}
	*LIST_ADD(a->list, a->count) = kept;
}

/* A line with the lines that it goes on in, to be freed. */
static char *whole_line(const char **at)
{
	size_t length = 0;
	char *line;

	while ((*at)[length] && ((*at)[length] != '\n' || (length && (*at)[length - 1] == '\\')))
		length++;
	line = xstrndup(*at, length);
	for (char *c = line; *c; c++)
		*c = *c == '\\' || isspace((unsigned char)*c) ? ' ' : *c;
	*at += length + !!(*at)[length];
	return line;
}

static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at++) {
		if ((at == text || at[-1] == ' ') && strchr(" #", at[length]))
			return true;
	}
	return false;
}

static void ask(struct asking *a, const char *directory, const char *target);

/* "obj-$(CONFIG_X) += a.o" or "whole-$(CONFIG_X) := a.o": a.o is a part of whole.o. */
static void take_line(struct asking *a, const char *directory, char *line, const char *target)
{
	char *equals = strchr(line, '='), *dash = strchr(line, '-'), *option, *whole;
	size_t length;

	if (!equals || !dash || dash > equals || !has_word(equals + 1, target))
		return;
	a->found = true;
	*equals = '\0';
	option = strstr(dash, "$(CONFIG_");
	if (option) {
		length = strspn(option + 2, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_abcdefghijklmnopqrstuvwxyz");
		if (length <= LONGEST_OPTION && option[2 + length] == ')')
			add_option(a, option + 2, length);
	}
	/* "a-b-$(CONFIG_X)" is of a-b.o. */
	for (char *next = dash; next && (!option || next < option); next = strchr(next + 1, '-'))
		dash = next;
	*dash = '\0';
	line += strspn(line, " ");
	whole = xasprintf("%s.o", line);
	if (strcmp(line, "obj") && strcmp(line, "lib") && strcmp(whole, target))
		ask(a, directory, whole);
	free(whole);
}

static void ask(struct asking *a, const char *directory, const char *target)
{
	static const char *const names[] = { "Kbuild", "Makefile" };
	bool any = a->asked++ >= MOST_ASKED;

	for (size_t i = 0; !any && i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = xasprintf("%s%s%s", directory, *directory ? "/" : "", names[i]);
		const struct lh_entry *e = lh_table_lookup_entry(a->makefiles, path);

		for (const char *at = e ? lh_entry_v(e) : ""; *at;) {
			char *line = whole_line(&at);

			if (*line != '#')
				take_line(a, directory, line, target);
			free(line);
			any = true;
		}
		free(path);
	}
}

const char **makefiles__options(struct lh_table *m, const char *path, struct strings *names, size_t *ret_count)
{
	struct asking a = { .makefiles = m, .names = names };
	char *directory = path__directory(path), *target = xstrdup(path + strlen(directory) + !!*directory);

	target[strlen(target) - 1] = 'o';
	ask(&a, directory, target);
	/* Without a line of its own, the file is built in a way that is not understood. */
	while (a.found && *directory) {
		char *above = path__directory(directory);

		free(target);
		target = xasprintf("%s/", directory + strlen(above) + !!*above);
		ask(&a, above, target);
		free(directory);
		directory = above;
	}
	free(directory);
	free(target);
	*ret_count = a.count;
	return a.list;
}
