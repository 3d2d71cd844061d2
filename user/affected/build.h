/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A build of the kernel, by its files: which functions of the source it has, where each begins and ends, and its code.
 *
 * The debug information has where a function begins. Its last line is the last one that a line table has before the
 * next function of the file, because functions of C are not nested.
 */
#ifndef HYTRACE_AFFECTED_BUILD_H
#define HYTRACE_AFFECTED_BUILD_H

#include "report/proof.h"

/* A function of the source in one file of the kernel (vmlinux or a module). */
struct spot {
	const char *file, *name;
	unsigned int line, end;
	uint32_t image, source;		/* indices in images and inlines__sources() */
};

/* A file of the source that a patch changes. */
struct wanted_file {
	const char *path;
	struct spot *spots;		/* by line */
	size_t count;
	size_t units;			/* compiled files that name it; for a header, those that include it */
};

struct build {
	char *vmlinux;
	char *build_id, *release;	/* NULL: unknown */
	struct proof proof;		/* with no edges, if no run is known */
	const struct coverage *runs;
	struct coverage none;		/* @runs, if none is known */
	size_t modules, listed;		/* how many of its modules were read, and at hand */
	/* Modules that runs had, how many of them have no debug information at hand, and no file. */
	size_t had, unread, missing;
	bool unlisted;			/* it can load modules, and no file of one is at hand */
	size_t nameless;		/* modules that do not tell whether they are built of a file of the patch */
	bool lines;			/* it has debug information */
	struct spot *spots;		/* by file and line */
	size_t count;
	struct wanted_file *files;	/* by path */
	size_t file_count;
};

/**
 * build__open() - read the files of a build
 * @b: to be freed by build__free(), also after a failure; it must stay where it is
 * @vmlinux: the file
 * @runs: a union of its runs, which also gets other modules near the files, and must outlive @b; NULL: none is known
 * @paths: the files of the source that matter, each once, in order
 * @count: their number
 *
 * Return: 0, or a negative errno after a message.
 */
int build__open(struct build *b, const char *vmlinux, struct coverage *runs, const char *const *paths, size_t count);
void build__free(struct build *b);

/* Returns NULL if the file was not asked for, or the path is NULL. */
const struct wanted_file *build__file(const struct build *b, const char *path);

/* The last function that begins at a line or before; NULL: there is none. */
const struct spot *wanted_file__before(const struct wanted_file *f, unsigned int line);
/* The first function of this name; NULL: there is none. */
const struct spot *wanted_file__named(const struct wanted_file *f, const char *name);

#endif
