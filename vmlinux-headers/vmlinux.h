/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel types that the BPF programs use, by hand, so that they build without a kernel: CO-RE
 * finds each field by name in the running kernel's BTF, so order, size and what is left out do not
 * matter. `make` prefers the header that is generated from a built kernel when there is one; a program
 * that needs a type or field that is not here needs it added here too.
 */
#ifndef __VMLINUX_H__
#define __VMLINUX_H__

typedef signed char __s8;
typedef unsigned char __u8;
typedef short int __s16;
typedef short unsigned int __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long int __s64;
typedef long long unsigned int __u64;

typedef __s8 s8;
typedef __u8 u8;
typedef __s16 s16;
typedef __u16 u16;
typedef __s32 s32;
typedef __u32 u32;
typedef __s64 s64;
typedef __u64 u64;

typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

typedef int pid_t;

enum {
	false = 0,
	true = 1,
};

typedef _Bool bool;

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_HASH = 5,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_CGROUP_ARRAY = 8,
	BPF_MAP_TYPE_RINGBUF = 27,
};

enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_EXIST = 2,
};

enum {
	BPF_RB_NO_WAKEUP = 1,
};

enum {
	BPF_F_MMAPABLE = 1024,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* x86: the layout is ABI; the program reads sp and nothing else. */
struct pt_regs {
	unsigned long r15;
	unsigned long r14;
	unsigned long r13;
	unsigned long r12;
	unsigned long bp;
	unsigned long bx;
	unsigned long r11;
	unsigned long r10;
	unsigned long r9;
	unsigned long r8;
	unsigned long ax;
	unsigned long cx;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
	unsigned long ip;
	unsigned long cs;
	unsigned long flags;
	unsigned long sp;
	unsigned long ss;
};

struct list_head {
	struct list_head *next;
	struct list_head *prev;
};

struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	struct llist_node *first;
};

struct task_struct {
	pid_t pid;
	pid_t tgid;
	struct task_struct *real_parent;
	char comm[16];
	unsigned long *ret_stack;
	int curr_ret_stack;
	struct llist_head rethooks;
};

struct fgraph_ops {
	int idx;
};

struct ftrace_ret_stack {
	unsigned long ret;
	unsigned long *retp;
};

struct rethook_node {
	struct llist_node llist;
	unsigned long ret_addr;
	unsigned long frame;
};

struct module {
	char name[56];
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	u64 session_id;
	u64 seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif /* __VMLINUX_H__ */
