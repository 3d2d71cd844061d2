/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A universe: all functions of one kernel build, those that can be traced and those that cannot, each with its
 * place in the source. Shares and lists of functions that were not seen are counted against it. It comes from a
 * running kernel, from its files, or from the document of `hytrace functions -f json`.
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
	uint64_t addr;		/* vmlinux: as linked, or where it runs (universe.linked). A module: offset in its text */
	const char *name;
	const char *module;	/* NULL: vmlinux */
	const char *unit;	/* the file that was compiled, "fs/read_write.c"; NULL: unknown */
	const char *file;	/* where it is defined, which may be a header; NULL: unknown */
	unsigned int line;	/* there, from 1; 0: unknown */
	uint32_t sympos;	/* which of its name, by address, from 1; 0: unknown */
	const char *untraced;	/* why ftrace cannot trace it, in one word; NULL: it can */
	bool init;		/* freed when boot is done, or its module has come */
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
	size_t count, room;
	struct strings *names;
	const struct function **by_name;	/* made when first asked for */
};

void universe__init(struct universe *u);
void universe__free(struct universe *u);

/**
 * universe__add() - add a function
 * @u: the universe
 * @f: the function; its texts live as long as @u, or are kept by universe__text()
 *
 * Return: 0, or -ENOMEM, which is told.
 */
int universe__add(struct universe *u, const struct function *f);
/* A copy of a text that functions share, such as a unit; NULL stays NULL. */
const char *universe__text(struct universe *u, const char *text);
/* Puts the functions in order; to be called after the last one was added, before any is looked for. */
void universe__settle(struct universe *u);

/**
 * universe__find() - the function that was hit
 * @u: a universe of the same kernel build
 * @hit: of HIT_FUNCTION; by its address as linked, or its offset in the module. If it has neither, by its name, if
 *	 that is the name of one function only
 *
 * Return: the function, or NULL.
 */
const struct function *universe__find(const struct universe *u, const struct hit *hit);

/* The function at an address of vmlinux, or at an offset of a module; NULL: none begins there. */
const struct function *universe__at(const struct universe *u, const char *module, uint64_t addr);

/* All of that name, which may end in .isra.0 or the like; NULL: none. */
const struct function *const *universe__named(const struct universe *u, const char *name, size_t *ret_count);

/* -ENOMEM, said. Write errors stay in the stream. */
int universe__write_json(const struct universe *u, FILE *out);
/* -EINVAL, said: as document__read(). */
int universe__read_json(struct universe *ret, const char *path);

#endif
