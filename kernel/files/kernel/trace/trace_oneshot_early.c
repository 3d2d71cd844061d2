// SPDX-License-Identifier: GPL-2.0
/*
 * oneshot tracer: what was called before it has started.
 */
#include <linux/init.h>

#include "trace.h"
#include "trace_oneshot_internal.h"

/**
 * oneshot_early_hit - a call from before the tracer has started
 * @tr: the trace_array; its set is there, and nobody uses it yet
 * @ip: the function
 * @parent_ip: its caller
 * @ns: when it was, of the local clock
 *
 * Context: one CPU, interrupts off, in order of time.
 */
void __init oneshot_early_hit(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
			      u64 ns)
{
	struct oneshot_set *set = tr->oneshot.set;

	if (oneshot_record(set, ip, ONESHOT_FUNCTION, &ns))
		oneshot_event(tr, set, ONESHOT_FUNCTION, ip, parent_ip);
	if (tr->oneshot.flags & ONESHOT_OPT_PARENT &&
	    oneshot_record(set, parent_ip, ONESHOT_CALLER, &ns))
		oneshot_event(tr, set, ONESHOT_CALLER, ip, parent_ip);
}
