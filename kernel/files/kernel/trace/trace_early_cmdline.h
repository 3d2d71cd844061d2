/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Very early function tracing: what the command line asks for.
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
 * struct early_params - what is to be traced from the first call on
 * @tracer: of ftrace=, unless ftrace_early=0, EARLY_NONE for those that only begin later
 * @only: of ftrace_filter=, NULL without, or without anything in it
 * @except: of ftrace_notrace=, the same
 * @dump_on_oops: ftrace_dump_on_oops, other than 0
 */
struct early_params {
	enum early_tracer	tracer;
	char			*only;
	char			*except;
	bool			dump_on_oops;
};

void early_params_parse(struct early_params *params, char *cmdline);

#endif /* _KERNEL_TRACE_EARLY_CMDLINE_H */
