/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Very early function tracing: its interface to ftrace and the tracers.
 */
#ifndef _KERNEL_TRACE_EARLY_H
#define _KERNEL_TRACE_EARLY_H

#include <linux/ftrace_early.h>

struct trace_array;

#ifdef CONFIG_VERY_EARLY_FUNCTION_TRACER

void early_ftrace_mark(void);
void early_ftrace_prepare(struct trace_array *tr);

/* trace.c */
struct trace_array *early_ftrace_new_instance(const char *name);

/* trace_oneshot_early.c */
#ifdef CONFIG_ONESHOT_TRACER
void oneshot_early_hit(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
		       u64 ns);
#else
static inline void oneshot_early_hit(struct trace_array *tr, unsigned long ip,
				     unsigned long parent_ip, u64 ns) { }
#endif
const unsigned long *early_ftrace_sites(const char *globs, int enable);

/* ftrace.c */
bool early_ftrace_match(char *name, char *search, unsigned int len, int type);

#else /* !CONFIG_VERY_EARLY_FUNCTION_TRACER */

static inline void early_ftrace_mark(void) { }
static inline void early_ftrace_prepare(struct trace_array *tr) { }
static inline const unsigned long *early_ftrace_sites(const char *globs, int enable)
{
	return NULL;
}

#endif /* CONFIG_VERY_EARLY_FUNCTION_TRACER */

#endif /* _KERNEL_TRACE_EARLY_H */
