/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hits: places of the kernel that were hit. They are functions, and the return addresses of their
 * callers.
 */
#ifndef HYTRACE_KERNEL_HITS_H
#define HYTRACE_KERNEL_HITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"

/* A hit has one kind. A set of kinds has the bits of several. */
enum hit_kind {
	HIT_FUNCTION = 1,
	HIT_CALLER = 2,
	HIT_BOTH = HIT_FUNCTION | HIT_CALLER,
};

/* The other address of a hit, with the same members. Without a name it is not known. */
struct other {
	uint64_t link, offset;
	const char *name, *module;
	uint32_t into;
};

struct hit {
	uint64_t addr;		/* run time: a function's entry, a caller's return address; 0: unknown */
	uint64_t link;		/* the same as linked; 0: unknown, or in a module */
	uint64_t offset;	/* in its module's .text, with a module */
	uint64_t first_ns;
	const char *name;	/* of the function that has this address; NULL: unknown */
	const char *module;	/* NULL: vmlinux */
	uint32_t sympos;	/* of a function: its number among those of its name, by address, from 1; 0: unknown */
	uint32_t into;		/* of a caller: its offset in that function; 0: unknown */
	enum hit_kind kind;	/* HIT_FUNCTION or HIT_CALLER */
	uint32_t cpu;
	uint32_t pid;		/* the thread; 0: the idle one of that CPU */
	uint32_t tgid;		/* its process, if comm is known */
	const char *comm;	/* the thread's name at that moment; NULL: name and tgid are not known */
	uint32_t runs;		/* in how many of the results that were merged; 0: they were not */
	struct other other;	/* of a function: the caller; of a caller: the function that its call entered */
};

struct hits {
	struct hit *list;	/* in order of first hit, after hits__settle() */
	size_t count;
	struct strings *names;	/* has the hits' names and modules */
};

void hits__init(struct hits *h);
void hits__free(struct hits *h);

/* Adds a copy of @hit. Its strings must live as long as the hits (hits__name()). */
void hits__add(struct hits *h, const struct hit *hit);
/* A copy of a string that lives as long as the hits; NULL for NULL. */
const char *hits__name(struct hits *h, const char *name);

/*
 * Leaves one hit for each address and kind, in order of first hit. The kind matters: a call that
 * does not return has as its return address the entry of the next function, which may be a hit of
 * its own.
 */
void hits__settle(struct hits *h);
/* Only sorts them by first hit. */
void hits__order(struct hits *h);

/* The number of hits of this kind. */
size_t hits__count(const struct hits *h, enum hit_kind kind);

#endif
