/* SPDX-License-Identifier: GPL-2.0 */
/*
 * oneshot tracer: what its parts share. trace_oneshot.c tells how they fit together;
 * each part uses only what stands above it:
 *
 *	oneshot_set.c			a set
 *	trace_oneshot_sets.c		the sets of instances, and their lifetime
 *	trace_oneshot_modules.c		whose an address is
 *	trace_oneshot_files.c		files in tracefs
 *	trace_oneshot.c			the tracer
 */
#ifndef _KERNEL_TRACE_ONESHOT_INTERNAL_H
#define _KERNEL_TRACE_ONESHOT_INTERNAL_H

#include "oneshot_set.h"

struct trace_array;

/* Owners of a record that are not a module. Modules have 1 to ONESHOT_MAX_MODULES. */
#define ONESHOT_OWNER_KERNEL	0
#define ONESHOT_MAX_MODULES	0x7ffd
#define ONESHOT_OWNER_INIT	0x7ffe	/* a module's .init.text: counted, not listed */
#define ONESHOT_OWNER_UNKNOWN	0x7fff	/* JIT, trampolines: counted, not listed */

enum {
	ONESHOT_OPT_PARENT	= 0x1,
	ONESHOT_OPT_LINKADDR	= 0x2,
	ONESHOT_OPT_SYM		= 0x4,
};

/* trace_oneshot_sets.c */
static inline unsigned int oneshot_set_shift(const struct oneshot_set *set)
{
	return 32 - set->hash_shift;
}

struct oneshot_set *oneshot_set_alloc(unsigned int shift);
void oneshot_set_free(struct oneshot_set *set);
void oneshot_synchronize(void);
struct oneshot_set *oneshot_swap(struct trace_array *tr, struct oneshot_set *set);
void oneshot_replace(struct trace_array *tr, struct oneshot_set *set);
int oneshot_renew(struct trace_array *tr);

/* trace_oneshot_modules.c */

/**
 * struct oneshot_place - an address as it is shown
 * @addr: in the kernel's image, or the offset in a module
 * @module: the module's name, or NULL
 */
struct oneshot_place {
	unsigned long	addr;
	const char	*module;
};

static inline bool oneshot_owner_listed(unsigned int owner)
{
	return owner <= ONESHOT_MAX_MODULES;
}

unsigned int oneshot_owner(unsigned long addr);
struct oneshot_place oneshot_place(struct trace_array *tr, unsigned long addr,
				   unsigned int owner, bool is_offset);

/* trace_oneshot.c */
bool oneshot_record(struct trace_array *tr, struct oneshot_set *set, unsigned long addr,
		    unsigned long kind, const u64 *ns);
void oneshot_event(struct trace_array *tr, unsigned long kind, unsigned long ip,
		   unsigned long parent_ip);

#endif /* _KERNEL_TRACE_ONESHOT_INTERNAL_H */
