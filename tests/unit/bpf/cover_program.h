/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The coverage program, compiled for user space. The helpers that it calls are defined here. The
 * tests that include this call its entry points as the kernel does.
 */
#ifndef TEST_COVER_PROGRAM_H
#define TEST_COVER_PROGRAM_H

#include <linux/types.h>
#include <pthread.h>

/* These take the place of vmlinux.h and of libbpf's headers for programs. */
#define __VMLINUX_H__
#define __BPF_HELPERS__
#define __BPF_TRACING_H__
#define __BPF_CORE_READ_H__
#define SEC(name)
#define __uint(name, val) int (*name)[val]
#define __type(name, val) val *name
#define __noinline __attribute__((noinline))
#define __weak __attribute__((weak))
#define __ksym
#define BPF_PROG(name, args...) name(args)
#define PT_REGS_IP(regs) ((regs)->ip)
#define PT_REGS_SP(regs) ((regs)->sp)
#define bpf_ksym_exists(sym) ksym_exists(#sym, sym)
#define bpf_core_type_id_kernel(type) 0
/* Fields that not all kernels have. */
#define bpf_core_field_exists(type, field) (!kernel_is_old && offsetof(type, field) < sizeof(type))
#define bpf_core_field_offset(type, field) offsetof(type, field)
#define preserve_access_index
#define barrier() __asm__ volatile("" ::: "memory")

enum { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_ARRAY, BPF_MAP_TYPE_PERCPU_ARRAY, BPF_MAP_TYPE_CGROUP_ARRAY,
       BPF_MAP_TYPE_RINGBUF };
enum { BPF_ANY, BPF_NOEXIST };
enum { BPF_F_MMAPABLE = 1 << 10 };

struct pt_regs {
	__u64 r15, ip, sp;
};

struct llist_node {
	struct llist_node *next;
};

struct rethook_node {
	__u64 rcu[2];
	struct llist_node llist;
	void *rethook;
	__u64 ret_addr, frame;
};

struct fgraph_ops {
	int idx;
};

struct ftrace_ret_stack {
	__u64 ret, func, calltime, retp;
};

struct task_struct {
	int pid;
	char comm[16];
	int curr_ret_stack __attribute__((aligned(8)));
	__u64 *ret_stack;
	struct llist_node *rethooks;
};

struct module {
	char name[56];
};

struct bpf_iter__task {
	struct task_struct *task;
};

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"

static bool kernel_is_old;

/* A kernel has one of two variables; others that do not exist have no address. */
static bool count_is_hot;

static bool ksym_exists(const char *name, const void *sym)
{
	if (!strcmp(name, "&__preempt_count"))
		return !count_is_hot;
	return strcmp(name, "&pcpu_hot") ? sym != NULL : count_is_hot;
}

#define ENTRIES 2000
#define CALL 5		/* the length of a call; the registers' ip is after it */

static __u64 now;
static struct task_struct self = { .pid = 42, .comm = "sh" };
static __u32 followed_pid;
static bool under_cgroup;
static bool nobody_reads;
/* The called function, for the helper. */
static __thread __u64 current_function;
static __thread __u32 asked_for_function;

static void *bpf_map_lookup_elem(const void *map, const void *key);
static long bpf_ringbuf_output(const void *map, const void *data, __u64 size, __u64 flags);

void *bpf_rdonly_cast(void *obj, __u32 btf_id)
{
	return obj;
}

static long bpf_map_update_elem(const void *map, const void *key, const void *value, __u64 flags)
{
	return -1;
}

static long bpf_map_delete_elem(const void *map, const void *key)
{
	return -1;
}

static long bpf_probe_read_kernel(void *to, __u32 size, const void *from)
{
	memcpy(to, from, size);
	return 0;
}

static long bpf_current_task_under_cgroup(const void *map, __u32 index)
{
	return under_cgroup;
}

static __u64 bpf_get_func_ip(struct pt_regs *ctx)
{
	asked_for_function++;
	return current_function;
}

/* The words of arguments that the trampoline has saved. */
static __u64 argument_count;

static __u64 bpf_get_func_arg_cnt(void *ctx)
{
	return argument_count;
}

static __u64 bpf_ktime_get_ns(void)
{
	return __atomic_add_fetch(&now, 1, __ATOMIC_RELAXED);
}

static __u32 bpf_get_smp_processor_id(void)
{
	return 3;
}

static void *bpf_this_cpu_ptr(const void *var)
{
	return (void *)var;
}

static __u64 bpf_get_current_pid_tgid(void)
{
	return 41ull << 32 | self.pid;
}

static long bpf_get_current_comm(void *to, __u32 size)
{
	memcpy(to, self.comm, size);
	return 0;
}

static __u64 bpf_get_current_task(void)
{
	return (uintptr_t)&self;
}

static struct task_struct *bpf_get_current_task_btf(void)
{
	return &self;
}

/* Sets what the loader sets before loading. */
#define const
#include "cover.bpf.c"
#undef const

static struct cover_entry entries[ENTRIES];
static struct cover_news told;
int __preempt_count;
struct pcpu_hot___since_6_2 pcpu_hot;

static void *bpf_map_lookup_elem(const void *map, const void *key)
{
	__u32 index = *(const __u32 *)key;

	if (map == &cpu_followed)
		return &followed_pid;
	return map == &hits && index < log_entries ? &entries[index] : NULL;
}

static long bpf_ringbuf_output(const void *map, const void *data, __u64 size, __u64 flags)
{
	if (nobody_reads || map != &news || size != sizeof(told))
		return -1;
	memcpy(&told, data, size);
	return 0;
}

static void begin(__u32 room)
{
	set_shift = 32 - SET_LEAST_BITS;
	log_entries = room;
	recording = COVER_OPEN;
}

static void expect_log(const char *wanted)
{
	char *got = PRINTED(f, for (struct cover_entry *e = entries; e < entries + stats.logged && e < entries + log_entries; e++)
		fprintf(f, "%s%c%llx", e == entries ? "" : " ", e->hit.kind == COVER_FUNCTION ? 'f' : 'c',
			(unsigned long long)e->addr));

	expect_str(got, wanted);
	free(got);
}

/* The other addresses of the hits. */
static void expect_others(const char *wanted)
{
	char *got = PRINTED(f, for (__u32 i = 0; i < stats.logged; i++)
		fprintf(f, "%s%llx", i ? " " : "", (unsigned long long)entries[i].other));

	expect_str(got, wanted);
	free(got);
}

#define F 0xffffffff81000000ull
#define C 0xffffffff82000000ull

#endif
