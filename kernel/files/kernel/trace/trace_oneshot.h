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
struct tracer;

#ifdef CONFIG_ONESHOT_TRACER

/**
 * struct oneshot_lost - what could not be recorded, on one CPU
 * @refused: addresses refused because the set was full, at each call
 * @events: first hits that are in the set and not in the ring buffer
 * @parents: callers hidden by a return trampoline that nobody could name
 */
struct oneshot_lost {
	unsigned long	refused;
	unsigned long	events;
	unsigned long	parents;
};

/**
 * struct oneshot_unlisted - addresses that are counted only
 * @functions: functions
 * @callers: callers
 */
struct oneshot_unlisted {
	unsigned long	functions;
	unsigned long	callers;
};

/**
 * struct oneshot_array - the oneshot tracer's part of a trace_array
 * @set: what has been seen since the last start or clear; NULL if nothing is kept
 * @flags: values of this instance's options
 * @registered: ftrace may call the tracer, and @set is not NULL
 * @size: slots asked for through oneshot_size, 0 to let the tracer choose
 * @generation: counts the sets, so that a reader notices that it has got another
 * @lost: counted where it happens, so that CPUs do not meet; there since the first start
 * @init: of the init code of modules, what is not in @set any more
 * @unknown: of code without a lasting name, the same
 *
 * trace_types_lock protects it all, but for the callback, which reads @set and
 * @flags and counts what is lost.
 */
struct oneshot_array {
	struct oneshot_set		*set;
	u32				flags;
	bool				registered;
	unsigned int			size;
	unsigned int			generation;
	struct oneshot_lost __percpu	*lost;
	struct oneshot_unlisted		init;
	struct oneshot_unlisted		unknown;
};

void oneshot_init_array(struct trace_array *tr);
bool oneshot_is_stuck(const struct trace_array *tr);
void oneshot_free_array(struct trace_array *tr);
void oneshot_create_files(struct trace_array *tr, struct dentry *parent);
bool tracer_is_oneshot(const struct tracer *tracer);
int init_oneshot_trace(void);

#else /* !CONFIG_ONESHOT_TRACER */

static inline void oneshot_init_array(struct trace_array *tr) { }
static inline bool oneshot_is_stuck(const struct trace_array *tr) { return false; }
static inline void oneshot_free_array(struct trace_array *tr) { }
static inline void oneshot_create_files(struct trace_array *tr, struct dentry *parent) { }
static inline bool tracer_is_oneshot(const struct tracer *tracer) { return false; }
static inline int init_oneshot_trace(void) { return 0; }

#endif /* CONFIG_ONESHOT_TRACER */

#endif /* _KERNEL_TRACE_ONESHOT_H */
