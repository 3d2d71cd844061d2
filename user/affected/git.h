/* SPDX-License-Identifier: GPL-2.0-only */
/* Asks git for a change and for the files of both sides, and universal-ctags where functions end in them. */
#ifndef HYTRACE_AFFECTED_GIT_H
#define HYTRACE_AFFECTED_GIT_H

#include <json-c/linkhash.h>

#include "affected/patch.h"

enum side { OLD, NEW, SIDES };

/* A function in a file; or data, a macro or a type, with its @kind. */
struct tag {
	const char *path, *name, *kind;
	unsigned int start, end;
};

/* Data, a macro or a type that changes, and how many functions of its file mention it, such as @user. */
struct mention {
	const char *path, *name, *kind, *user;
	size_t users;
};

struct tags {
	struct tag *list;		/* functions, by path and line */
	struct tag *others;
	struct mention *mentions;
	size_t count, other_count, mention_count;
	struct strings *names;		/* NULL: the files were not read */
	struct lh_table *makefiles;	/* on the new side: texts of Makefiles and Kbuilds, by their paths */
};

/**
 * git__read() - add a change of a repository to a patch
 * @p: the patch
 * @tags: gets the functions of its files on both sides, to be freed by tags__free(), also after a failure; without
 *	  ctags, they are empty, with a warning
 * @repository: its directory
 * @what: a commit, or a range as A..B
 *
 * Return: 0, or a negative errno after a message.
 */
int git__read(struct patch *p, struct tags *tags, const char *repository, const char *what);
void tags__free(struct tags *t);

/* Does the repository have the commit? */
int git__has(const char *repository, const char *commit);

/* The functions of a file, by line. */
const struct tag *tags__of(const struct tags *t, const char *path, size_t *ret_count);

#endif
