/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A universe is the function list of one kernel build: all functions, whether they can be traced or
 * not, each with its place in the source. Shares are computed against it, and functions that never
 * ran are found by it. It is made from a running kernel, from its files, or from the json of
 * `hytrace functions`.
 */
#ifndef HYTRACE_DOCUMENT_UNIVERSE_H
#define HYTRACE_DOCUMENT_UNIVERSE_H

#include "base/memory.h"
#include "document/coverage.h"
#include "kernel/hits.h"

#define UNIVERSE_SCHEMA 2

struct function {
	uint64_t addr;		/* as linked, or at run time (see universe.linked); of a module: offset in its text */
	const char *name;
	const char *module;	/* NULL: vmlinux */
	const char *unit;	/* the compiled file, "fs/read_write.c"; NULL: unknown */
	const char *file;	/* the file with the definition, perhaps a header; NULL: unknown */
	unsigned int line;	/* the line of the definition, from 1; 0: unknown */
	uint32_t sympos;	/* its number among functions of the same name, by address, from 1; 0: unknown */
	const char *untraced;	/* why ftrace cannot trace it, in one word; NULL: it can */
	bool init;		/* freed after the boot, or after its module is loaded */
	uint64_t text;		/* a hash of its code, without addresses (calls__hash()); 0: unknown */
};

/*
 * Functions of a trace event run only while the event is on. ext4 has more of them than of other
 * functions: in its share, they would hide what a workload has not reached. Most are in headers of
 * include/trace.
 */
bool function__is_of_event(const struct function *f);

struct universe {
	char *release, *arch;
	char *build_id;		/* lowercase hex; NULL: unknown */
	bool linked;		/* addresses of vmlinux are as linked */
	bool placed;		/* functions of vmlinux have units */
	bool whole;		/* functions that cannot be traced are included */
	bool some;		/* it is only a selection, so shares of it mean nothing */
	struct covered_modules modules;	/* modules whose functions are included; there may be more modules */
	struct function *list;	/* sorted by universe__settle(): vmlinux, then the modules by name; each by address */
	size_t count;
	struct strings *names;
	char *kept;		/* text of a kept file, which the texts above point into; see universe__write_kept() */
	const struct function **by_name;	/* sorted by name; made when it is first needed */
};

void universe__init(struct universe *u);
void universe__free(struct universe *u);

/* Adds a function. Its texts must outlive @u, or come from universe__text(). */
void universe__add(struct universe *u, const struct function *f);
/* Makes a copy of a text that functions share, such as a unit. Returns NULL for NULL. */
const char *universe__text(struct universe *u, const char *text);
/* Sorts the functions. To be called after the last one was added, and before any look-up. */
void universe__settle(struct universe *u);

/**
 * universe__find() - find the function that was hit
 * @u: the function list of the same kernel build
 * @hit: of HIT_FUNCTION; it is found by its address as linked, or its offset in the module. If it
 * has neither, by its name, if only one function has this name
 *
 * Return: the function, or NULL.
 */
const struct function *universe__find(const struct universe *u, const struct hit *hit);

/*
 * The function that begins at an address of vmlinux, or at an offset in a module; NULL: there is
 * none.
 */
const struct function *universe__at(const struct universe *u, const char *module, uint64_t addr);

/* All functions with this name, which may end in .isra.0 or the like; NULL: there are none. */
const struct function *const *universe__named(const struct universe *u, const char *name, size_t *ret_count);

/* Write errors stay in the stream. */
void universe__write_json(const struct universe *u, FILE *out);
/* Returns 0, or -EINVAL after a message, as document__read(). */
int universe__read_json(struct universe *ret, const char *path);

/*
 * Write the cached form, which takes a tenth of the time that json takes to read. Only the same build of hytrace can
 * read it. If it is damaged, the list is made again. Write errors stay in the stream.
 */
void universe__write_kept(const struct universe *u, FILE *out);

/**
 * universe__read_kept() - read a cached function list
 * @ret: to be freed by universe__free()
 * @path: the path of the file
 *
 * Return: true if the file is there and complete. Otherwise there is no message, because the
 * function list can be made again.
 */
bool universe__read_kept(struct universe *ret, const char *path);

#endif
