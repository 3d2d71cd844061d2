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
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <asm/sections.h>

static inline bool trace_is_graph_trampoline(unsigned long addr)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	return addr == (unsigned long)dereference_kernel_function_descriptor(return_to_handler);
#else
	return false;
#endif
}

/* Where there is no rethook, kretprobes have a trampoline and a shadow stack of their own. */
static inline bool trace_is_return_trampoline(unsigned long addr)
{
	return trace_is_graph_trampoline(addr) ||
	       (IS_ENABLED(CONFIG_RETHOOK) ? is_rethook_trampoline(addr) :
					     is_kretprobe_trampoline(addr));
}

/* The next older address on the function graph tracer's shadow stack; 0: there is none. */
static inline unsigned long trace_next_graph_ret(int *i)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	struct ftrace_ret_stack *entry = ftrace_graph_get_ret_stack(current, (*i)++);

	return entry ? entry->ret : 0;
#else
	return 0;
#endif
}

/* The next older address on rethook's or kretprobes' shadow stack; 0: there is none. */
static inline unsigned long trace_next_rethook_ret(struct llist_node **node)
{
#ifdef CONFIG_RETHOOK
	*node = *node ? (*node)->next : current->rethooks.first;
	return *node ? container_of(*node, struct rethook_node, llist)->ret_addr : 0;
#elif defined(CONFIG_KRETPROBES)
	*node = *node ? (*node)->next : current->kretprobe_instances.first;
	return *node ? (unsigned long)container_of(*node, struct kretprobe_instance,
						   llist)->ret_addr : 0;
#else
	return 0;
#endif
}

/*
 * The return address that was on the stack before anybody replaced it. The stack has a
 * trampoline, and the function has just been entered. So the trampoline's latest entry is
 * the one of this place on the stack. The address there may be a trampoline as well: both
 * the function graph tracer and rethook may have replaced the address, and each function
 * that was left by a tail call has an entry.
 */
static inline unsigned long trace_true_parent(unsigned long ret)
{
	struct llist_node *node = NULL;
	unsigned long next;
	int i = 0;

	while (trace_is_return_trampoline(ret)) {
		next = trace_is_graph_trampoline(ret) ? trace_next_graph_ret(&i) :
							trace_next_rethook_ret(&node);
		if (!next)
			break;
		ret = next;
	}
	return ret;
}

#endif /* _TRACE_PARENT_H */
