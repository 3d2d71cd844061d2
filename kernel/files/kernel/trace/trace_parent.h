/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find the caller of the function that is being traced. It is the return address,
 * unless somebody who watches returns has replaced it: the function graph tracer,
 * a kretprobe, an fprobe, a function event. This matters for tail calls, and
 * where several tracers trace one function.
 */
#ifndef _TRACE_PARENT_H
#define _TRACE_PARENT_H

#include <linux/ftrace.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <asm/sections.h>

static inline bool trace_is_return_trampoline(unsigned long addr)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (addr == (unsigned long)dereference_kernel_function_descriptor(return_to_handler))
		return true;
#endif
	return is_rethook_trampoline(addr);
}

/*
 * The return address that was on the stack before anybody replaced it. Both the
 * function graph tracer and rethook may have replaced it, one after the other.
 */
static inline unsigned long trace_true_parent(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	unsigned long *retp = (unsigned long *)ftrace_regs_get_stack_pointer(fregs);
	unsigned long ret = parent_ip;
	int idx = 0;

	ret = ftrace_graph_ret_addr(current, &idx, ret, retp);
#ifdef CONFIG_RETHOOK
	if (is_rethook_trampoline(ret)) {
		struct llist_node *cur = NULL;

		ret = rethook_find_ret_addr(current, (unsigned long)retp, &cur) ?: ret;
		ret = ftrace_graph_ret_addr(current, &idx, ret, retp);
	}
#endif
	return ret;
}

#endif /* _TRACE_PARENT_H */
