/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recordings on a command line: files, or stores of `hytrace keep`. "runs.db" is all runs of a store, and
 * "runs.db?host=a&since=7d" a selection, as store__select() has it.
 *
 * And the verdict of a run on a function: did the run see it, and if not, could it have? All answers from recordings
 * use this one rule, so that no two answers disagree: shares, lists, diff, why, callers, compare, lcov and the page.
 * Last, the function list of the kernel of recordings.
 */
#ifndef HYTRACE_REPORT_DOCUMENTS_H
#define HYTRACE_REPORT_DOCUMENTS_H

#include "base/program.h"
#include "document/coverage.h"
#include "document/universe.h"
#include "kernel/running.h"

struct documents {
	struct coverage *read;
	const struct coverage **list;
	char **labels;		/* their short names */
	const char **paths;	/* a run of a store has the name of its document */
	size_t count;
	struct store **stores;	/* those that hits are still read from */
	size_t store_count;
};

/**
 * documents__read() - read all recordings
 * @ret: to be freed by documents__free(), even after a failure
 * @paths: their files, or stores
 * @count: their number
 * @o: --runs selects runs of the stores; with --min-runs, it is as documents__read_joined(). NULL: all
 *
 * Return: 0, or a negative errno after a message; -EINVAL if a selection of a store has no run.
 */
int documents__read(struct documents *ret, const char *const *paths, size_t count, const struct result_options *o);

/* What is done with a recording, which is handed over. @path: of the file; of a run of a store, its document's name */
typedef int (*documents_visit)(struct coverage *c, const char *path, void *data);

/* Reads the recordings one after the other; one at a time is in memory. Returns as documents__read(), or as @visit. */
int documents__each(const char *const *paths, size_t count, const struct result_options *o, documents_visit visit,
		    void *data);

/*
 * As documents__read(), but the hits of a store's runs stay there. coverage__open_hits() reads them, those of one run
 * at a time, so that a thousand runs take no more memory than one.
 */
int documents__open(struct documents *ret, const char *const *paths, size_t count, const struct result_options *o);

/*
 * As documents__read(), but the runs of a store become one recording, their union: one for each of
 * @paths, which names it.
 */
int documents__read_joined(struct documents *ret, const char *const *paths, size_t count,
			   const struct result_options *o);
/* Leaves of a union what --min-runs asks for. Returns -EINVAL after a message if @c has not so many runs. */
int documents__limit(struct coverage *c, const char *path, const struct result_options *o);
/* Returns -EINVAL after a message if the recordings, at least one, are of two builds of the kernel. */
int documents__check_builds(const struct coverage *const *documents, size_t count);
void documents__free(struct documents *d);

/**
 * documents__gather() - join runs until there are few enough columns
 * @d: more than @most recordings; each becomes the union of some of them, labelled by what these have in common: their
 *     test, else the host, else the day or the month; or by the first and the last one of neighbours
 * @most: at most so many are left
 *
 * Return: 0, or -EINVAL after a message if they cannot be merged.
 */
int documents__gather(struct documents *d, size_t most);

/* Adds a recording, and takes it over. When all are there, call documents__finish(). */
void documents__add(struct documents *d, const struct coverage *c, const char *path);
/* Makes the labels and the list. @are_paths: the labels are short forms of the paths; false: they are the paths */
void documents__finish(struct documents *d, bool are_paths);
bool texts__are_distinct(char *const *list, size_t count);

/*
 * Which recordings judge all functions that they have not seen alike, because they were made alike? Returns, for each,
 * the index of the first one that does; the caller frees the array.
 */
size_t *documents__alike(const struct coverage *const *list, size_t count);

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
	VERDICT_FEW_RUNS,	/* fewer runs of a union have seen it than --min-runs asks for */
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

/* ---- the universe (the function list) of recordings */

/*
 * Reading 500 MB of debug information takes seconds. So a copy of the list is kept under the build
 * id of the vmlinux, in ~/.cache/hytrace/functions-BUILDID. The oldest of many lists is removed.
 */

/**
 * universe__of_build() - find all functions of a kernel build, in its files or in a kept copy
 * @ret: to be freed by universe__free(); empty if neither is found
 * @id: the kernel; its files are recognised by its build id
 * @modules: the modules to add; those without a file of their build are left out
 * @vmlinux: its file; NULL: look in the usual places
 * @fetch: ask debuginfod servers as well (debug_files.h)
 *
 * Return: 0, or a negative errno after a message.
 */
int universe__of_build(struct universe *ret, const struct kernel_id *id, const struct covered_modules *modules,
		       const char *vmlinux, bool fetch);

/* The files that the user has named, and the running kernel; each may be NULL. */
struct universe_source {
	const char *universe, *vmlinux;
	const struct kernel *running;	/* lists and id; it must be of the recordings' build */
};

/**
 * universe__find_for() - find the universe of recordings
 * @ret: to be freed by universe__free(); empty, with a warning, if none can be found
 * @documents: the recordings
 * @count: their number, from 1
 * @source: where to look. Its @universe comes first, then a kept copy of the build, its
 *	    @running, and the kernel's files (its @vmlinux, or in the usual places); last, this
 *	    machine's kernel, if it is of that build
 *
 * Return: 0, or a negative errno after a message: -EINVAL if the recordings are of several builds,
 * or if a file in @source is of another build.
 */
int universe__find_for(struct universe *ret, const struct coverage *const *documents, size_t count,
		       const struct universe_source *source);

/* Reads the user's function list. Returns -EINVAL after a message if the file is not readable, or not a whole list. */
int universe__read_whole(struct universe *ret, const char *path);

/*
 * Leaves out modules of another build than that in the recordings, with a warning. @u: of the same build of the kernel
 * as the recordings. Returns 0, or a negative errno after a message.
 */
int universe__fit(struct universe *u, const struct coverage *const *documents, size_t count);

#endif
