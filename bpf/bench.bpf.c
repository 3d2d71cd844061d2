// SPDX-License-Identifier: GPL-2.0-only
/*
 * The benchmark's BPF contenders: programs that do nothing, and programs that keep each address
 * once, at the lowest cost. They keep addresses in a hash map, in a hash map for each CPU, in a
 * bitmap of the kernel's text, or in a bitmap for each CPU. The seed of the hash maps is fixed, so
 * their chains and costs do not change between runs.
 */
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "return_address.h"

char LICENSE[] SEC("license") = "GPL";

#define BPF_F_ZERO_SEED (1U << 6)

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 131072);
	__uint(map_flags, BPF_F_ZERO_SEED);
	__type(key, __u64);
	__type(value, __u32);
} seen SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 131072);
	__uint(map_flags, BPF_F_ZERO_SEED);
	__type(key, __u64);
	__type(value, __u32);
} seen_percpu SEC(".maps");

/* A bit for each byte of the kernel's text. Addresses elsewhere, in modules, are not kept. */
#define TEXT_BYTES (32u << 20)
#define TEXT_WORDS (TEXT_BYTES / 64)
#define MOST_CPUS 4

__u64 bits[TEXT_WORDS] SEC(".bss.bits");
__u64 cpu_bits[MOST_CPUS * TEXT_WORDS] SEC(".bss.cpu_bits");

extern const void _stext __ksym;

/*
 * The address after ftrace's call at the function's entry. It is unique for each function, and
 * never the return address of another call.
 */
static __always_inline __u64 function_of(struct pt_regs *ctx)
{
	return PT_REGS_IP(ctx);
}

static __always_inline void see_percpu(__u64 addr)
{
	__u32 one = 1;

	if (!bpf_map_lookup_elem(&seen_percpu, &addr))
		bpf_map_update_elem(&seen_percpu, &addr, &one, BPF_NOEXIST);
}

static __always_inline void mark(__u64 addr)
{
	__u64 offset = addr - (__u64)&_stext;
	__u64 mask = 1ull << (offset & 63);

	if (offset < TEXT_BYTES && !(bits[offset >> 6] & mask))
		__sync_fetch_and_or(&bits[offset >> 6], mask);
}

static __always_inline void mark_percpu(__u64 addr, __u32 cpu)
{
	__u64 offset = addr - (__u64)&_stext;
	__u64 mask = 1ull << (offset & 63), *word;

	if (offset >= TEXT_BYTES || cpu >= MOST_CPUS)
		return;
	word = &cpu_bits[cpu * TEXT_WORDS + (offset >> 6)];
	if (!(*word & mask))
		*word |= mask;
}

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
	see(function_of(ctx));
	return 0;
}

SEC("kprobe.multi")
int multi_hash(struct pt_regs *ctx)
{
	see(function_of(ctx));
	see(return_address(ctx));
	return 0;
}

SEC("kprobe.multi")
int multi_percpu_hash(struct pt_regs *ctx)
{
	see_percpu(function_of(ctx));
	see_percpu(return_address(ctx));
	return 0;
}

SEC("kprobe.multi")
int multi_bitmap_nocallers(struct pt_regs *ctx)
{
	mark(function_of(ctx));
	return 0;
}

SEC("kprobe.multi")
int multi_bitmap(struct pt_regs *ctx)
{
	mark(function_of(ctx));
	mark(return_address(ctx));
	return 0;
}

SEC("kprobe.multi")
int multi_percpu_bitmap(struct pt_regs *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();

	mark_percpu(function_of(ctx), cpu);
	mark_percpu(return_address(ctx), cpu);
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

/*
 * An fentry program is not told its caller. On x86-64, the caller follows the trampoline's frame:
 * after the arguments (this function has none) come the frame pointer, the address in the function,
 * and the return address in its caller (arch_prepare_bpf_trampoline()).
 */
SEC("fentry/__do_sys_getppid")
int fentry_hash_callers(void *ctx)
{
	see(bpf_get_func_ip(ctx));
	see(word_at(ctx + 16));
	return 0;
}

SEC("fentry/__do_sys_getppid")
int fentry_bitmap(void *ctx)
{
	mark(bpf_get_func_ip(ctx));
	return 0;
}

SEC("fentry/__do_sys_getppid")
int fentry_bitmap_callers(void *ctx)
{
	mark(bpf_get_func_ip(ctx));
	mark(word_at(ctx + 16));
	return 0;
}

/* The loader sets the type of the "entry" programs before loading: see fentry_multi.h. */
SEC("entry")
int fentry_multi_empty(void *ctx)
{
	return 0;
}

SEC("entry")
int fentry_multi_hash(void *ctx)
{
	see(bpf_get_func_ip(ctx));
	see(word_at(return_place(ctx)));
	return 0;
}

SEC("entry")
int fentry_multi_bitmap(void *ctx)
{
	mark(bpf_get_func_ip(ctx));
	mark(word_at(return_place(ctx)));
	return 0;
}

/* The beginning of a function event's record; a program may not read its first 8 bytes. */
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

SEC("tracepoint")
int event_hash_nocallers(struct function_event *ctx)
{
	see(ctx->ip);
	return 0;
}
