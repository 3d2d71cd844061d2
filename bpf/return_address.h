/* SPDX-License-Identifier: GPL-2.0-only */
/* The address from which the current function was called. */
#ifndef HYTRACE_BPF_RETURN_ADDRESS_H
#define HYTRACE_BPF_RETURN_ADDRESS_H

extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

/* A function of its own, as a variable on the stack costs even where it is not used. */
static __noinline __u64 read_word(void *at)
{
	__u64 addr = 0;

	bpf_probe_read_kernel(&addr, sizeof(addr), at);
	return addr;
}

/*
 * A cast to a read-only kernel type makes this a plain load with a fixup. bpf_probe_read_kernel()
 * would call copy_from_kernel_nofault(), which is itself traced.
 */
static __always_inline __u64 word_at(void *at)
{
	/*
	 * Any type will do whose first member is a number. If that were a pointer, the verifier would not let the program hash
	 * the loaded word. The first member needs no offset from BTF, which would cost an addition.
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

/* Only the verifier does not know that a trampoline saves no more words of arguments. */
#define MOST_ARGUMENTS 15

/*
 * Where the traced function's return address is, for a program on fentry.multi. The kernel does not
 * offer it. On x86-64, it is where the trampoline's frame ends: after the arguments come the frame
 * pointer, the address in the function, and the return address (arch_prepare_bpf_trampoline()). If
 * another program makes the trampoline call the function, it also keeps the function's value in
 * that frame, but there is no address in the function; so it is the same place.
 */
static __always_inline void *return_place(void *ctx)
{
	return ctx + 8 * (bpf_get_func_arg_cnt(ctx) & MOST_ARGUMENTS) + 16;
}

#endif
