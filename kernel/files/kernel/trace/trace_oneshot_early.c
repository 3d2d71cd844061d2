// SPDX-License-Identifier: GPL-2.0
/*
 * oneshot tracer: calls from before it started.
 */
#include <linux/init.h>

#include "trace.h"
#include "trace_oneshot_internal.h"

/**
 * oneshot_early_hit - record a call from before the tracer started
 * @tr: the trace_array; it has a set, which nobody uses yet
 * @ip: the function
 * @parent_ip: its caller
 * @ns: time of the call, by the local clock
 *
 * Context: one CPU, interrupts off; the calls come in order of time.
 */
void __init oneshot_early_hit(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
			      u64 ns)
{
	bool parent = tr->oneshot.flags & ONESHOT_OPT_PARENT;
	struct oneshot_set *set = tr->oneshot.set;

	if (oneshot_record(set, ip, ONESHOT_FUNCTION, parent ? parent_ip : 0, &ns))
		oneshot_event(tr, set, ONESHOT_FUNCTION, ip, parent_ip);
	if (parent && oneshot_record(set, parent_ip, ONESHOT_CALLER, ip, &ns))
		oneshot_event(tr, set, ONESHOT_CALLER, ip, parent_ip);
}
