/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The oneshot tracer's interface to the rest of tracing: its state in each
 * trace_array, and the functions that other files call.
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
 * struct oneshot_array - the oneshot tracer's part of a trace_array
 * @set: the addresses since the last start or clear, see struct oneshot_table; NULL if
 *	there is no set
 * @flags: values of this instance's options
 * @registered: ftrace may call the tracer, and @set is not NULL
 * @size: the largest number of addresses, from oneshot_size; 0 for ONESHOT_MAX_RECS
 * @retire_ms: how long callers of a function are recorded before it retires
 *
 * trace_types_lock protects all members. The callback only reads @set and @flags,
 * without the lock.
 */
struct oneshot_array {
	struct oneshot_set		*set;
	u32				flags;
	bool				registered;
	unsigned int			size;
	unsigned int			retire_ms;
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
