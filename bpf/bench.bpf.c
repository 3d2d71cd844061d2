// SPDX-License-Identifier: GPL-2.0-only
/*
 * The benchmark's BPF contenders: programs that do nothing, and programs that keep each address once
 * in a hash map, the least that a set of what ran takes. The map's seed is fixed, so that its chains,
 * and with them the cost, are the same from run to run.
 */
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

#define BPF_F_ZERO_SEED (1U << 6)

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 131072);
	__uint(map_flags, BPF_F_ZERO_SEED);
	__type(key, __u64);
	__type(value, __u32);
} seen SEC(".maps");

static __always_inline void see(__u64 addr)
{
	__u32 one = 1;

	if (!bpf_map_lookup_elem(&seen, &addr))
		bpf_map_update_elem(&seen, &addr, &one, BPF_NOEXIST);
}

SEC("kprobe.multi")
int multi_empty(struct pt_regs *ctx)
{
	return 0;
}

SEC("kprobe.multi")
int multi_hash_nocallers(struct pt_regs *ctx)
{
	see(bpf_get_func_ip(ctx));
	return 0;
}

SEC("kprobe.multi")
int multi_hash(struct pt_regs *ctx)
{
	__u64 caller;

	see(bpf_get_func_ip(ctx));
	/* At a function's first instruction the return address is on top of the stack. */
	if (!bpf_probe_read_kernel(&caller, sizeof(caller), (void *)PT_REGS_SP(ctx)))
		see(caller);
	return 0;
}

SEC("fentry/__do_sys_getppid")
int fentry_empty(void *ctx)
{
	return 0;
}

SEC("fentry/__do_sys_getppid")
int fentry_hash(void *ctx)
{
	see(bpf_get_func_ip(ctx));
	return 0;
}

/* What a function event's record begins with; the first 8 bytes are not a program's to read. */
struct function_event {
	__u64 ent;
	__u64 ip;
	__u64 parent_ip;
};

SEC("tracepoint")
int event_empty(struct function_event *ctx)
{
	return 0;
}

SEC("tracepoint")
int event_hash(struct function_event *ctx)
{
	see(ctx->ip);
	see(ctx->parent_ip);
	return 0;
}
