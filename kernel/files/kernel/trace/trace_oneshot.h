/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The oneshot tracer's interface to the rest of tracing: its state in each
 * trace_array, and the functions that others call.
 */
#ifndef _KERNEL_TRACE_ONESHOT_H
#define _KERNEL_TRACE_ONESHOT_H

struct dentry;
struct oneshot_set;
struct trace_array;
struct trace_iterator;
struct tracer;

#ifdef CONFIG_ONESHOT_TRACER

/**
 * struct oneshot_unlisted - addresses that are counted but need not have a record
 * @functions: functions
 * @callers: callers
 */
struct oneshot_unlisted {
	unsigned long	functions;
	unsigned long	callers;
};

/**
 * struct oneshot_counts - counts that a set's records do not show, on one CPU
 * @refused: how many times an address was refused for lack of room, at each call
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
 * @quiet_ms: for how long the callers of a function are watched, from oneshot_retire_ms
 * @next: the first record that the worker has not yet looked at
 * @armed: when call sites last came back, by trace_clock_local(); 0 if none have
 * @sites: how many call sites have been turned off
 * @batches: in how many batches
 * @ns: how long the batches took
 *
 * All fields except @quiet_ms are about the present set.
 */
struct oneshot_retire {
	unsigned int		quiet_ms;
	u32			next;
	u64			armed;
	unsigned long		sites;
	unsigned long		batches;
	u64			ns;
};

/**
 * struct oneshot_array - the oneshot tracer's part of a trace_array
 * @set: the addresses since the last start or clear; NULL if there is no set
 * @flags: values of this instance's options
 * @registered: ftrace may call the tracer, and @set is not NULL
 * @size: the largest number of addresses, from oneshot_size; 0 for ONESHOT_MAX_RECS
 * @generation: changes with each new set, so that a reader notices
 * @retire: see struct oneshot_retire
 *
 * trace_types_lock protects all of it. The callback only reads @set, @flags and
 * @retire.next, without the lock.
 */
struct oneshot_array {
	struct oneshot_set		*set;
	u32				flags;
	bool				registered;
	unsigned int			size;
	unsigned int			generation;
	struct oneshot_retire		retire;
};

void oneshot_init_array(struct trace_array *tr);
bool oneshot_is_stuck(const struct trace_array *tr);
void oneshot_free_array(struct trace_array *tr);
void oneshot_create_files(struct trace_array *tr, struct dentry *parent);
void oneshot_open_iter(struct trace_iterator *iter);
void oneshot_dump_iter(struct trace_iterator *iter);
bool tracer_is_oneshot(const struct tracer *tracer);
int init_oneshot_trace(void);

#else /* !CONFIG_ONESHOT_TRACER */

static inline void oneshot_init_array(struct trace_array *tr) { }
static inline bool oneshot_is_stuck(const struct trace_array *tr) { return false; }
static inline void oneshot_free_array(struct trace_array *tr) { }
static inline void oneshot_create_files(struct trace_array *tr, struct dentry *parent) { }
static inline void oneshot_open_iter(struct trace_iterator *iter) { }
static inline void oneshot_dump_iter(struct trace_iterator *iter) { }
static inline bool tracer_is_oneshot(const struct tracer *tracer) { return false; }
static inline int init_oneshot_trace(void) { return 0; }

#endif /* CONFIG_ONESHOT_TRACER */

#endif /* _KERNEL_TRACE_ONESHOT_H */
