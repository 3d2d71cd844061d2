/* SPDX-License-Identifier: GPL-2.0-only */
/* Places of the kernel that were hit: functions, and return addresses of those that called them. */
#ifndef HYTRACE_KERNEL_HITS_H
#define HYTRACE_KERNEL_HITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"

/* A hit has one of them; what is of several kinds has their bits. */
enum hit_kind {
	HIT_FUNCTION = 1,
	HIT_CALLER = 2,
	HIT_BOTH = HIT_FUNCTION | HIT_CALLER,
};

struct hit {
	uint64_t addr;		/* run time: a function's entry, a caller's return address; 0: unknown */
	uint64_t link;		/* the same as linked; 0: unknown, or in a module */
	uint64_t offset;	/* in its module's .text, with a module */
	uint64_t first_ns;
	const char *name;	/* of the function it lies in; NULL: unknown */
	const char *module;	/* NULL: vmlinux */
	uint32_t sympos;	/* of a function: which of its name, by address, from 1; 0: unknown */
	uint32_t into;		/* of a caller: how far into that function it returns; 0: unknown */
	enum hit_kind kind;	/* HIT_FUNCTION or HIT_CALLER */
	uint32_t cpu;
	uint32_t pid;
};

struct hits {
	struct hit *list;	/* in order of first hit, once they are settled */
	size_t count, room;
	struct strings *names;	/* what the hits' names and modules are kept in */
};

void hits__init(struct hits *h);
void hits__free(struct hits *h);

/* A copy of @hit; its strings must live as long as the hits (hits__name()). */
int hits__add(struct hits *h, const struct hit *hit);
/* NULL stays NULL. */
const char *hits__name(struct hits *h, const char *name);

/*
 * One record for each address and kind: the return address of a call that does not return is the entry of
 * the next function, which has nothing to do with it. Then in order of first hit.
 */
void hits__settle(struct hits *h);
/* Only the order. */
void hits__order(struct hits *h);

/* How many are of that kind. */
size_t hits__count(const struct hits *h, enum hit_kind kind);

#endif
