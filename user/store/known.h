/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of functions and call sites. A store has each one once, as number nr of its object (the kernel or a
 * module, of one build). A run then is a bitmap of these numbers, of some hundred bytes.
 *
 * The numbers of an object are read when the object is first needed, and then again only what other processes have
 * added since.
 */
#ifndef HYTRACE_STORE_KNOWN_H
#define HYTRACE_STORE_KNOWN_H

#include "base/memory.h"
#include "document/coverage.h"
#include "store/sql.h"

/* A function or a call site. */
struct known {
	const char *name;	/* of a site: the function that contains it; NULL: unknown */
	uint64_t addr;
	uint32_t extra;		/* sympos or symbol_offset */
	bool knows_extra;	/* false: a function that was only seen as the target of a call */
	bool ran;		/* a function that a run has seen */
	uint32_t entered, entered_object;	/* of a site: number and object's id; object 0: unknown */
};

struct known_list {
	struct known *list;	/* by nr */
	size_t count;
	uint32_t *slots;	/* a hash table: nr + 1. A function whose address became known is there twice */
	size_t used, room;
};

struct known_object {
	int64_t id;
	char *name;		/* NULL: the kernel */
	struct known_list functions, sites;
};

struct knowns {
	struct sql *sql;
	struct known_object **list;
	size_t count;
	struct strings *names;
};

/* A number of an object. @object: an index in struct knowns */
struct number {
	uint32_t object, nr;
};

void knowns__init(struct knowns *k, struct sql *sql);
void knowns__free(struct knowns *k);

/**
 * knowns__object() - the object with an id
 * @k: the numbers
 * @ret: its index
 * @id: the id
 *
 * Return: 0, or a negative errno after a message; -EINVAL if the store is damaged.
 */
int knowns__object(struct knowns *k, uint32_t *ret, int64_t id);

/* Reads what other processes have added to the objects that are known. */
int knowns__refresh(struct knowns *k);

/* The object of the kernel of a run, which is added if the store does not have it. */
int knowns__add_kernel(struct knowns *k, uint32_t *ret, const struct kernel_id *id);
/* As above, for a module of a run. @m: what the run says about it; NULL: nothing */
int knowns__add_module(struct knowns *k, uint32_t *ret, const char *name, const struct covered_module *m,
		       uint32_t kernel);

/* What is known of a function or site before it has a number. */
struct wanted_known {
	const char *name;
	uint64_t addr;
	uint32_t extra;
	bool knows_extra;
	struct number entered;	/* only of a site */
	bool knows_entered;
};

/* The number of a function or a site; a new one if the store does not have it. */
int knowns__add_function(struct knowns *k, struct number *ret, uint32_t object, const struct wanted_known *w);
int knowns__add_site(struct knowns *k, struct number *ret, uint32_t object, const struct wanted_known *w);

/* The functions at an address, at most @room of them. Returns their number. @name: counts only if @addr is 0 */
size_t knowns__at(const struct knowns *k, uint32_t object, uint64_t addr, const char *name, uint32_t *ret, size_t room);

#endif
