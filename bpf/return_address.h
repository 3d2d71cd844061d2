/* SPDX-License-Identifier: GPL-2.0-only */
/* The address from which the current function was called. */
#ifndef HYTRACE_BPF_RETURN_ADDRESS_H
#define HYTRACE_BPF_RETURN_ADDRESS_H

extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

/* Not inlined, because a variable on the stack costs time even where it is not used. */
static __noinline __u64 read_word(void *at)
{
	__u64 addr = 0;

	bpf_probe_read_kernel(&addr, sizeof(addr), at);
	return addr;
}

/*
 * A cast to a read-only kernel type makes this a plain load with an exception table entry.
 * bpf_probe_read_kernel() would call copy_from_kernel_nofault(), which may be traced itself.
 */
static __always_inline __u64 word_at(void *at)
{
	/*
	 * Any type whose first member is a number will do: the verifier does not allow to hash a
	 * pointer. The first member has offset 0, so no addition is needed.
	 */
	if (bpf_ksym_exists(bpf_rdonly_cast))
		return *(__u64 *)bpf_rdonly_cast(at, bpf_core_type_id_kernel(struct pt_regs));
	return read_word(at);
}

/* At a function's entry, sp points to its return address. */
static __always_inline __u64 return_address(struct pt_regs *ctx)
{
	return word_at((void *)PT_REGS_SP(ctx));
}

/* The most words of arguments that a trampoline saves. As a mask, it shows the verifier this limit. */
#define MOST_ARGUMENTS 15

/*
 * Where the return address of the traced function is, for a program on fentry.multi. The kernel has
 * no helper for this. On x86-64, the return address follows the trampoline's frame: after the
 * arguments come the frame pointer, the address in the function, and the return address
 * (arch_prepare_bpf_trampoline()). If another program makes the trampoline call the function, its
 * return value replaces the address in the function, so the place does not change.
 */
static __always_inline void *return_place(void *ctx)
{
	return ctx + 8 * (bpf_get_func_arg_cnt(ctx) & MOST_ARGUMENTS) + 16;
}

#endif
