/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hits: addresses that were recorded, each at its first use: entries of functions, and return
 * addresses in callers. Their names come from the symbol tables of the beginning and the end of tracing.
 */
#ifndef HYTRACE_KERNEL_HITS_H
#define HYTRACE_KERNEL_HITS_H

#include "base/memory.h"
#include "kernel/running.h"

/* A hit has one kind. A set of kinds has the bits of several. */
enum hit_kind {
	HIT_FUNCTION = 1,
	HIT_CALLER = 2,
	HIT_BOTH = HIT_FUNCTION | HIT_CALLER,
};

/* The other address of a hit's call. Members are as in struct hit. @name: NULL: unknown. */
struct other {
	uint64_t link, offset;
	const char *name, *module;
	uint32_t into;
};

struct hit {
	uint64_t addr;		/* run time: a function's entry, a caller's return address; 0: unknown */
	uint64_t link;		/* addr less the KASLR offset; 0: unknown, or in a module */
	uint64_t offset;	/* if in a module: addr's offset in its .text */
	uint64_t first_ns;
	const char *name;	/* the function that contains addr; NULL: unknown */
	const char *module;	/* NULL: vmlinux */
	uint32_t sympos;	/* a function's number among its namesakes, from 1; 0: unknown */
	uint32_t into;		/* of a caller: addr's offset in the function @name; 0: unknown */
	enum hit_kind kind;	/* HIT_FUNCTION or HIT_CALLER */
	uint32_t cpu;
	uint32_t pid;		/* the thread; 0: the CPU's idle task */
	uint32_t tgid;		/* the process of the thread, if comm is known */
	const char *comm;	/* the thread's name at that moment; NULL: name and tgid are not known */
	uint32_t runs;		/* after a merge: the number of recordings with it; otherwise 0 */
	struct other other;	/* a function's caller; the function that a caller's call entered */
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
/* Only sorts the hits by time. */
void hits__order(struct hits *h);

/* The number of hits of this kind. */
size_t hits__count(const struct hits *h, enum hit_kind kind);

/* ---- names */

struct places {
	const struct kernel *kernel;	/* at the beginning */
	const struct symbols *after;	/* NULL: nothing has changed */
};

/*
 * Fills name, module, offset and link of a hit whose addr is set. The address of a function may be
 * its traced instruction, and becomes its entry. Returns false if the address is unknown or in
 * generated code. @hits: the list that will get the hit.
 */
bool places__resolve(const struct places *p, struct hits *hits, struct hit *hit);
/* Like places__resolve(), for a hit with a module and an offset, as the oneshot tracer lists it. */
void places__resolve_offset(const struct places *p, struct hits *hits, struct hit *hit);
/* Fills in the other address of a hit. @other: has its addr, or its module and offset; it need not be found. */
void places__resolve_other(const struct places *p, struct hits *hits, struct hit *hit, struct hit *other);

/* ---- the oneshot tracer's files oneshot_entries and oneshot_stats */

/*
 * Adds the entries to @hits. @name: the file's name in messages. @ret_unnamed: the number of
 * addresses without a symbol. Returns -EPERM if the kernel hides the addresses, -EPROTO if a line
 * is not known.
 */
int oneshot_entries__read(FILE *f, const char *name, const struct places *places,
			  struct hits *hits, uint64_t *ret_unnamed);
/* Returns the counter's name, as a string that stays valid, if it counts a loss; otherwise NULL. */
typedef const char *(*loss_name)(const char *name);

/* Reads losses and costs by the kernel's names. @loss: tells whether a counter is a loss. */
int oneshot_stats__read(FILE *f, const char *name, loss_name loss, struct counters *lost,
			struct counters *cost);

#endif
