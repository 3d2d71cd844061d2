/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the rest of tracing has to know of the oneshot tracer: the state that
 * each trace_array carries for it, and where to call it.
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
 * struct oneshot_unlisted - addresses that are known and counted, and have no record
 * @functions: functions
 * @callers: callers
 */
struct oneshot_unlisted {
	unsigned long	functions;
	unsigned long	callers;
};

/**
 * struct oneshot_counts - what is not in a set's records, on one CPU
 * @refused: addresses refused because there was no room for them, at each call
 * @events_lost: first hits that are in the set and not in the ring buffer
 * @parents_lost: callers hidden by a return trampoline that nobody could name
 * @init: of the init code of modules
 * @unknown: of code without a lasting name
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
 * @next: the first record that has not been looked at
 * @armed: since when the call sites are on, of trace_clock_local(); 0 for ever
 * @sites: how many have been turned off
 * @batches: in how many batches
 * @ns: how long that took
 *
 * All but @quiet_ms is about the set that is there.
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
 * @set: what has been seen since the last start or clear; NULL if nothing is kept
 * @flags: values of this instance's options
 * @registered: ftrace may call the tracer, and @set is not NULL
 * @size: the most addresses to record, from oneshot_size, 0 for as many as there are
 * @generation: counts the sets, so that a reader notices that it has got another
 * @retire: see there
 *
 * trace_types_lock protects it all, but for the callback, which reads @set and
 * @flags.
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
