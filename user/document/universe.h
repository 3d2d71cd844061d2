/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A universe: all functions of one kernel build, those that can be traced and those that cannot,
 * each with its place in the source. Shares are computed against it, and functions that were not
 * seen are found by it. It comes from a running kernel, from its files, or from the document of
 * `hytrace functions -f json`.
 */
#ifndef HYTRACE_DOCUMENT_UNIVERSE_H
#define HYTRACE_DOCUMENT_UNIVERSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/strings.h"
#include "document/modules.h"
#include "kernel/hits.h"

#define UNIVERSE_SCHEMA 2

struct function {
	uint64_t addr;		/* of vmlinux: as linked, or at run time (universe.linked); of a module: offset in its text */
	const char *name;
	const char *module;	/* NULL: vmlinux */
	const char *unit;	/* the file that was compiled, "fs/read_write.c"; NULL: unknown */
	const char *file;	/* where it is defined, which may be a header; NULL: unknown */
	unsigned int line;	/* there, from 1; 0: unknown */
	uint32_t sympos;	/* its number among those of its name, by address, from 1; 0: unknown */
	const char *untraced;	/* why ftrace cannot trace it, in one word; NULL: it can */
	bool init;		/* freed after the boot, or after its module is loaded */
};

struct universe {
	char *release, *arch;
	char *build_id;		/* lowercase hex; NULL: unknown */
	bool linked;		/* addresses of vmlinux are as linked */
	bool placed;		/* functions of vmlinux have units */
	bool whole;		/* those that cannot be traced are in it as well */
	bool some;		/* a selection: nothing can be counted against it */
	struct covered_modules modules;	/* whose functions are in it, by name and build; not all that there are */
	struct function *list;	/* settled: vmlinux, then the modules by name; each by address */
	size_t count;
	struct strings *names;
	char *kept;		/* other texts of one that was kept, see universe_kept.h */
	const struct function **by_name;	/* made when it is first needed */
};

void universe__init(struct universe *u);
void universe__free(struct universe *u);

/* Adds a function, whose texts must live as long as @u, or be kept by universe__text(). */
void universe__add(struct universe *u, const struct function *f);
/* A copy of a text that functions share, such as a unit; NULL for NULL. */
const char *universe__text(struct universe *u, const char *text);
/* Sorts the functions. Call it after the last one was added and before any look-up. */
void universe__settle(struct universe *u);

/**
 * universe__find() - find the function that was hit
 * @u: a universe of the same kernel build
 * @hit: of HIT_FUNCTION; by its address as linked, or its offset in the module. If it has neither,
 * by its name, if
 *	 that is the name of one function only
 *
 * Return: the function, or NULL.
 */
const struct function *universe__find(const struct universe *u, const struct hit *hit);

/*
 * The function at an address of vmlinux, or at an offset of a module; NULL: no function begins
 * there.
 */
const struct function *universe__at(const struct universe *u, const char *module, uint64_t addr);

/* All functions of that name, which may end in .isra.0 or the like; NULL: there are none. */
const struct function *const *universe__named(const struct universe *u, const char *name, size_t *ret_count);

/* Write errors stay in the stream. */
void universe__write_json(const struct universe *u, FILE *out);
/* Returns -EINVAL after a message, as document__read(). */
int universe__read_json(struct universe *ret, const char *path);

#endif
