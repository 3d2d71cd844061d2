/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recordings on a command line; and the verdict of a run on a function: did the run see it, and if not, could
 * it have? All answers from recordings use this one rule, so that no two answers disagree: shares, lists, diff,
 * why, callers, compare, lcov and the page.
 */
#ifndef HYTRACE_REPORT_DOCUMENTS_H
#define HYTRACE_REPORT_DOCUMENTS_H

#include <stdbool.h>

#include "document/coverage.h"
#include "document/universe.h"

struct documents {
	struct coverage *read;
	const struct coverage **list;
	char **labels;		/* their short names */
	const char *const *paths;
	size_t count;
};

/**
 * documents__read() - read all recordings
 * @ret: to be freed by documents__free(), even after a failure
 * @paths: their files
 * @count: their number, at least 1
 *
 * Return: 0, or a negative errno after a message.
 */
int documents__read(struct documents *ret, const char *const *paths, size_t count);
void documents__free(struct documents *d);
bool texts__are_distinct(char *const *list, size_t count);

/* Is @text one of the globs? Have two recordings the same ones, in any order? */
bool globs__has(const struct globs *globs, const char *text);
bool globs__are_same(const struct globs *a, const struct globs *b);

enum verdict {
	/* It ran. */
	VERDICT_SEEN,
	VERDICT_PROVED,		/* not recorded, but recorded calls lie in it or lead to it */
	/* It could have been seen. */
	VERDICT_NOT_CALLED,
	VERDICT_NOT_FOLLOWED,	/* only some tasks were followed, and these did not call it */
	/* It could not have been seen, whether it ran or not. */
	VERDICT_NOT_ASKED,	/* -a does not match it */
	VERDICT_DENIED,		/* -d matches it */
	VERDICT_OWN,		/* a helper of the engine, which hytrace excludes */
	VERDICT_UNATTACHED,	/* the engine could not attach to it */
	VERDICT_NO_MODULE,	/* its module was not loaded, or came later and was not followed */
	VERDICT_FREED,		/* init text: freed by then, or a module's */
	/* The kernel's build is the reason. */
	VERDICT_UNTRACEABLE,
	VERDICT_NO_FUNCTION,	/* there is no such function, or it is inlined everywhere */
	/* It is open whether it ran. */
	VERDICT_INLINED,	/* not called, but inlined where it may have run */
	VERDICT_UNKNOWN,	/* it is not known which functions the build has */
	VERDICT_COUNT
};

/*
 * Finds out why a run, which has no hit of a function, has not seen it. Only its name, its module, @init and @untraced
 * matter. Returns one of VERDICT_NOT_CALLED to VERDICT_UNTRACEABLE.
 */
enum verdict verdict__of(const struct coverage *c, const struct function *f);

/* Could the run have seen it? Only then is the function part of a share. */
bool verdict__could_see(enum verdict v);
/* Could the build trace the function, but the run not see it? Then its absence means nothing. */
bool verdict__is_blind(enum verdict v);

/*
 * Does the verdict of a run on a function of @module (NULL: vmlinux) follow from the data? Not if it is open whether
 * the function ran, or if the run may have lost it.
 */
bool verdict__is_certain(enum verdict v, const struct coverage *c, const char *module);

/* Returns a word for json; and the end of a sentence about the run. */
const char *verdict__word(enum verdict v);
const char *verdict__sentence(enum verdict v);

#endif
