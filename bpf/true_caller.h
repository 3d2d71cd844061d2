/* SPDX-License-Identifier: GPL-2.0-only */
/* The caller of a function whose return address was replaced by a tracer that has to see the return. */
#ifndef HYTRACE_BPF_TRUE_CALLER_H
#define HYTRACE_BPF_TRUE_CALLER_H

#include "cover.h"
#include "return_address.h"

/* The loader sets the addresses before loading; 0: this kernel does not have the trampoline. */
const volatile __u64 return_trampolines[RETURN_TRAMPOLINES];

/* A tracer may have replaced many return addresses. The latest of them are searched. */
#define MOST_REPLACED 4

/* From kernel/trace/fgraph.c: the word after a frame contains the frame's length in words. */
#define FRAME_LENGTH 0x3ff

static __always_inline bool is_return_trampoline(__u64 addr)
{
	for (int i = 0; i < RETURN_TRAMPOLINES; i++) {
		if (addr == return_trampolines[i] && addr)
			return true;
	}
	return false;
}

/*
 * The return address that the function graph tracer has replaced at @at; 0: unknown. Since Linux 6.11, its
 * frames are on a stack of words. Older kernels, which do not have fgraph_ops.idx, are not supported.
 */
static __always_inline __u64 graph_caller(__u64 task, __u64 at)
{
	__u64 stack, frame, ret;
	__s32 end;

	if (!bpf_core_field_exists(struct fgraph_ops, idx) ||
	    !bpf_core_field_exists(struct ftrace_ret_stack, retp))
		return 0;
	stack = word_at((void *)(task + bpf_core_field_offset(struct task_struct, ret_stack)));
	end = word_at((void *)(task + bpf_core_field_offset(struct task_struct, curr_ret_stack)));
	for (int i = 0; i < MOST_REPLACED && stack && end > 0; i++) {
		end--;
		end -= word_at((void *)(stack + 8 * (__u64)end)) & FRAME_LENGTH;
		frame = stack + 8 * (__u64)end;
		ret = word_at((void *)(frame + bpf_core_field_offset(struct ftrace_ret_stack, ret)));
		if (word_at((void *)(frame + bpf_core_field_offset(struct ftrace_ret_stack, retp))) == at &&
		    ret != return_trampolines[GRAPH_TRAMPOLINE])
			return ret;
	}
	return 0;
}

/* The return address that a kretprobe or an fprobe has replaced at @at; 0: unknown. */
static __always_inline __u64 rethook_caller(__u64 task, __u64 at)
{
	__u64 node, next, ret;

	if (!bpf_core_field_exists(struct task_struct, rethooks))
		return 0;
	next = word_at((void *)(task + bpf_core_field_offset(struct task_struct, rethooks)));
	for (int i = 0; i < MOST_REPLACED && next; i++) {
		node = next - bpf_core_field_offset(struct rethook_node, llist);
		next = word_at((void *)next);
		ret = word_at((void *)(node + bpf_core_field_offset(struct rethook_node, ret_addr)));
		if (word_at((void *)(node + bpf_core_field_offset(struct rethook_node, frame))) == at &&
		    ret != return_trampolines[RETHOOK_TRAMPOLINE])
			return ret;
	}
	return 0;
}

/* The original return address; 0: unknown. @at: where @caller is on the stack */
static __always_inline __u64 true_caller(__u64 at, __u64 caller)
{
	__u64 task = bpf_get_current_task();

	/* Both kinds of tracer may be on one function: each has replaced the address it found. */
	for (int i = 0; i < 2; i++) {
		if (caller == return_trampolines[GRAPH_TRAMPOLINE])
			caller = graph_caller(task, at);
		else if (caller == return_trampolines[RETHOOK_TRAMPOLINE])
			caller = rethook_caller(task, at);
	}
	return is_return_trampoline(caller) ? 0 : caller;
}

#endif
