/* SPDX-License-Identifier: GPL-2.0 */
/*
 * oneshot tracer: declarations that its files share. trace_oneshot.c tells how they
 * fit together. Each file only uses the files listed above it.
 *
 *	oneshot_set.c			a set
 *	trace_oneshot_sets.c		all sets, their memory and lifetime
 *	trace_oneshot_modules.c		the module that an address belongs to
 *	trace_oneshot_stub.c		calls that need not reach the tracer
 *	trace_oneshot_retire.c		call sites that are turned off
 *	trace_oneshot.c			the tracer
 *	trace_oneshot_files.c		files in tracefs
 */
#ifndef _KERNEL_TRACE_ONESHOT_INTERNAL_H
#define _KERNEL_TRACE_ONESHOT_INTERNAL_H

#include "oneshot_set.h"

struct ftrace_ops;
struct ftrace_regs;
struct trace_array;

/**
 * struct oneshot_unlisted - counts of addresses, which need not have records
 * @functions: functions
 * @callers: callers
 */
struct oneshot_unlisted {
	unsigned long	functions;
	unsigned long	callers;
};

/**
 * struct oneshot_counts - counts that a set's records do not show, on one CPU
 * @refused: how often an address that would be listed had no room; counts each call of it
 * @events_lost: first hits that are in the set but not in the ring buffer
 * @parents_lost: callers that were hidden by a return trampoline and not found
 * @init: addresses in the init code of modules
 * @unknown: addresses in code without a lasting name
 */
struct oneshot_counts {
	unsigned long		refused;
	unsigned long		events_lost;
	unsigned long		parents_lost;
	struct oneshot_unlisted	init;
	struct oneshot_unlisted	unknown;
};

/**
 * struct oneshot_retire - call sites of an instance that are turned off
 * @next: the first record that the worker has not yet looked at
 * @armed: when call sites last came back, by trace_clock_local(); 0 if none have
 * @sites: how many call sites have been turned off
 * @batches: how many batches of call sites have been turned off
 * @ns: how long the batches took
 */
struct oneshot_retire {
	u32			next;
	u64			armed;
	unsigned long		sites;
	unsigned long		batches;
	u64			ns;
};

/**
 * struct oneshot_table - a set, with its references and its retired functions
 * @set: the set
 * @list: in oneshot_tables
 * @old: in oneshot_old_tables, when the instance has another set
 * @refs: the number of its users: its instance, readers, and the worker that waits for the
 *	last callback
 * @retire: its retired functions
 *
 * trace_types_lock protects all but @set.
 */
struct oneshot_table {
	struct oneshot_set	set;
	struct list_head	list;
	struct list_head	old;
	unsigned int		refs;
	struct oneshot_retire	retire;
};

static inline struct oneshot_table *oneshot_table(struct oneshot_set *set)
{
	return container_of(set, struct oneshot_table, set);
}

/* Owners of a record that are not a module. Modules have 1 to ONESHOT_MAX_MODULES. */
#define ONESHOT_OWNER_KERNEL	0
#define ONESHOT_MAX_MODULES	0x7ffd
#define ONESHOT_OWNER_INIT	0x7ffe	/* a module's .init.text: counted, not listed */
#define ONESHOT_OWNER_UNKNOWN	0x7fff	/* JIT, trampolines: counted, not listed */

enum {
	ONESHOT_OPT_PARENT	= 0x1,
	ONESHOT_OPT_LINKADDR	= 0x2,
	ONESHOT_OPT_SYM		= 0x4,
	ONESHOT_OPT_RETIRE	= 0x8,

	ONESHOT_OPT_DEFAULT	= ONESHOT_OPT_PARENT,
};

/* trace_oneshot_stub.c */
#ifdef CONFIG_ONESHOT_TRACER_STUB
void oneshot_stub_take(struct trace_array *tr);
void oneshot_stub_release(struct trace_array *tr);
void oneshot_stub_look_into(struct trace_array *tr, const struct oneshot_set *set);
void oneshot_stub_set_parent(struct trace_array *tr, bool parent);

/* For the stub alone. */
void oneshot_stub(void);
void oneshot_long_way(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		      struct ftrace_regs *fregs);
extern const struct oneshot_set *oneshot_stub_set;
extern struct ftrace_ops *oneshot_stub_ops;
extern bool oneshot_stub_parent;
#else
static inline void oneshot_stub_take(struct trace_array *tr) { }
static inline void oneshot_stub_release(struct trace_array *tr) { }
static inline void oneshot_stub_look_into(struct trace_array *tr,
					  const struct oneshot_set *set) { }
static inline void oneshot_stub_set_parent(struct trace_array *tr, bool parent) { }
#endif

/* trace_oneshot_sets.c */
extern struct list_head oneshot_tables;

struct oneshot_set *oneshot_set_alloc(unsigned int limit);
struct oneshot_set *oneshot_set_get(struct oneshot_set *set);
void oneshot_set_put(struct oneshot_set *set);
int oneshot_set_cover(struct oneshot_set *set, unsigned long start, unsigned long size);
bool oneshot_set_feed(struct oneshot_set *set);

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
int oneshot_cover_modules(struct oneshot_set *set);
struct oneshot_place oneshot_place(struct trace_array *tr, unsigned long addr,
				   unsigned int owner, bool is_offset);

/* trace_oneshot_retire.c */
unsigned int oneshot_retire(struct trace_array *tr);
void oneshot_retire_rearm(struct trace_array *tr);
int oneshot_retire_may(const struct trace_array *tr, u32 flags, unsigned int ms);
void oneshot_retire_changed(struct trace_array *tr, u32 flags);

/* trace_oneshot.c */
void oneshot_work_soon(void);
int oneshot_clear(struct trace_array *tr, bool wait);
void oneshot_wait_for_old(void);
bool oneshot_record(struct oneshot_set *set, unsigned long addr, unsigned int kind,
		    unsigned long other, const u64 *ns);
void oneshot_event(struct trace_array *tr, struct oneshot_set *set, unsigned int kind,
		   unsigned long ip, unsigned long parent_ip);

#endif /* _KERNEL_TRACE_ONESHOT_INTERNAL_H */
