/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which functions a patch changes.
 *
 * The lines of a side are those of a build if each function of the file begins where the build has it. Then the build
 * tells which function has a line. If the files of the side are at hand, ctags does, and the build is asked by line or
 * else by name. Last, the patch itself: the line behind @@, or one of the hunk, that looks like the first one of a
 * function. Such an answer is a guess, and is marked.
 */
#ifndef HYTRACE_AFFECTED_CHANGED_H
#define HYTRACE_AFFECTED_CHANGED_H

#include "affected/build.h"
#include "affected/git.h"
#include "affected/patch.h"

/* How it is known that a function has changed. */
enum known_by {
	BY_BUILD,		/* its lines, by the debug information */
	BY_SOURCE,		/* its lines, by ctags */
	BY_CONTEXT,		/* a line of the patch before the change looks like the first one of the function */
	BY_RECORD,		/* a CVE record names the file, and all of it counts */
	KNOWN_BYS
};

struct changed_function {
	const char *path, *old_path;	/* of its file; @old_path: if it has been renamed, else NULL */
	const char *name;
	enum known_by by;
	bool is_new, is_deleted;
	/* Its lines where the build has them; 0: they are another source's, and the build is asked by name. */
	unsigned int start, end;
	size_t changes;
};

/* Whose lines the build has. */
enum match { MATCH_OLD = OLD, MATCH_NEW = NEW, MATCH_NONE, MATCH_UNKNOWN, MATCHES };

struct changed_file {
	enum match match;
	size_t units;			/* compiled files of the build that name it */
	size_t outside;			/* hunks with a change that is in no function */
	bool guessed;			/* it is only the patch that tells which functions it has */
};

struct changed {
	struct changed_function *list;	/* by path and place */
	size_t count;
	struct changed_file *files;	/* as in the patch */
	/* The functions of each change, as indices: those of change c are first[c] to first[c + 1] - 1. */
	size_t *functions, function_count;
	size_t *first, change_count;
	struct lh_table *by_name;
};

/* The words for json; NULL for null. */
extern const char *const known_by_words[KNOWN_BYS], *const match_words[MATCHES];

/**
 * changed__find() - find the functions that a patch changes
 * @ret: to be freed by changed__free()
 * @p: the patch, which must outlive @ret
 * @tags: the functions of both sides
 * @b: the build; NULL: there is none
 * @whole: only files are known; each is one function without a name, which has all code of the file
 */
void changed__find(struct changed *ret, const struct patch *p, const struct tags *tags, const struct build *b,
		   bool whole);
void changed__free(struct changed *c);

#endif
