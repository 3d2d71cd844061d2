/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Very early function tracing: its parameters on the command line.
 */
#ifndef _KERNEL_TRACE_EARLY_CMDLINE_H
#define _KERNEL_TRACE_EARLY_CMDLINE_H

#ifdef __KERNEL__
#include <linux/types.h>
#endif

enum early_tracer {
	EARLY_NONE,
	EARLY_FUNCTION,
	EARLY_ONESHOT,
};

/**
 * struct early_params - what to trace from the first call on
 * @tracer: from ftrace=; EARLY_NONE for tracers that begin later, and with ftrace_early=0
 * @returns: ftrace_early=graph: record returns as well
 * @only: the list of ftrace_filter=; NULL if it is missing or empty
 * @except: the list of ftrace_notrace=; NULL if it is missing or empty
 * @dump_on_oops: ftrace_dump_on_oops is set, and is not 0
 */
struct early_params {
	enum early_tracer	tracer;
	bool			returns;
	char			*only;
	char			*except;
	bool			dump_on_oops;
};

void early_params_parse(struct early_params *params, char *cmdline);

#endif /* _KERNEL_TRACE_EARLY_CMDLINE_H */
