// SPDX-License-Identifier: GPL-2.0
/*
 * Coverage by BPF: a program on the entry of every traced function that records each function's
 * address, and each return address in a caller, once. It has three entry points: for kprobe.multi,
 * which any kernel has; for fentry.multi (since Linux 7.2), which costs half as much and fits most
 * functions; and for function events of the hytrace series, whose records have the function's and
 * the caller's address. A run attaches one entry point to each function.
 *
 * The set of known addresses is a hash table with open addressing in plain memory. A
 * compare-and-exchange turns a place from 0 to an address; then the place never changes again. An
 * address is in one of SET_PROBES consecutive places, from that of its hash on, with no empty place
 * before it. So a look-up needs no lock, and an address stays. Only the CPU that has inserted an
 * address writes its entry in the log: time, CPU, thread, process, name, and the other address of
 * the call. The loader maps the log into its memory, and reads it when no program runs any more.
 *
 * Nearly all calls have known addresses. For these, the program calls no function of the kernel (if
 * the kernel has bpf_rdonly_cast()): such a call would be slower, and if the called function is
 * traced, the program would miss this call. For a new address, it calls helpers that take no lock.
 * The loader excludes these helpers from tracing, and the functions that kprobe.multi calls to run
 * the program (bpf_needs.c). So calls are only missed in interrupts, and in other BPF programs on
 * the same CPU.
 *
 * For `hytrace suite`, which cuts a run into many, the upper half of a key in the set is not that of the address
 * but a number, the generation. A cut increases it. Then all addresses are new, and a place with an older
 * generation counts as empty. A program that has begun before the cut may still take the place of a newer key. Then that
 * address gets a second entry, which the loader drops. The log is a ring.
 *
 * With --pin, there is also a hash map that other programs can read during the run. Writing to it
 * takes locks.
 *
 * Keys: with kprobe.multi, regs->ip is the address after the call that ftrace has put at the
 * beginning of a function. It is unique for each function, and is never the return address of
 * another call. But a live patch may change regs->ip, or the kernel may not fill it in. The first
 * call with such an ip is noticed: the ip is a new address, and for a new address a helper is asked
 * for the function. From then on, the helper is asked at each call.
 *
 * The loader attaches everything while `recording` is COVER_CLOSED, and then opens it. So the
 * functions that run while it attaches, which takes long, are not recorded. With --retire it
 * attaches again during the run. Calls of the loader's process are then counted, not recorded,
 * except in interrupts; preempt_count does not show the first and last steps of an interrupt.
 *
 * Tasks are followed as by the kernel's set_ftrace_pid and function-fork, so that this recorder and
 * oneshot agree. There is a set of tasks; a fork adds a task, freeing a task removes it. At each
 * context switch, the pid of the next task is stored for its CPU if the task is in the set. A call
 * counts if the current task has this pid. So the first half of a context switch, before the task
 * is the current one, belongs to no task, and an interrupt belongs to the interrupted task.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "cover.h"
#include "return_address.h"
#include "true_caller.h"

#define EEXIST		17
#define TASK_COMM_LEN	16

/* The loader sets these constants before loading. */
const volatile bool with_callers = true;
const volatile bool with_map;
const volatile bool with_cuts;
const volatile bool follow_tasks;
const volatile bool in_cgroup;
const volatile char comm[TASK_COMM_LEN];	/* empty: any */
const volatile __u32 set_shift;			/* 32 less the set's bits */
const volatile __u32 log_entries;
const volatile __u64 checked_from, checked_bytes;	/* the right caller for check_caller() */

__u32 recording;
__u32 generation;				/* with_cuts: from 1 on */
__u32 own_tgid;					/* the loader's process while it changes links; otherwise 0 */
__u32 loader_tgid, counts_misses;		/* filled in by take_own() */
struct cover_stats stats;
__u32 checked_right, checked_wrong;

/* The loader sizes it according to set_shift. */
__u64 set[SET_PLACES(SET_LEAST_BITS)] SEC(".bss.set");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);		/* the loader sizes it */
	__type(key, __u32);
	__type(value, struct cover_entry);
} hits SEC(".maps");

/* Only with --pin. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);		/* the loader sizes it */
	__type(key, __u64);
	__type(value, struct cover_hit);
} seen SEC(".maps");

/* Only with --cgroup. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cgroup SEC(".maps");

/* Wakes the loader: a module is being loaded. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} news SEC(".maps");

/*
 * The key is the address of the task_struct. Unlike a pid, it never moves to another task (when a
 * thread calls exec).
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, __u32);
} followed SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);		/* pid of the followed task on this CPU; 0: not followed */
} cpu_followed SEC(".maps");

/*
 * Multiplying by the golden ratio spreads addresses that are close together. All text of the kernel
 * is within 2 GiB, so the lower half of an address is unique. With only this half, no 64-bit
 * constant has to be loaded.
 */
static __always_inline __u32 place_by(__u64 key, __u32 shift)
{
	return ((__u32)key * 0x9e3779b1u) >> shift;
}

static __always_inline __u32 set_place(__u64 key)
{
	return place_by(key, set_shift);
}

/* The key of an address in this generation. */
static __always_inline __u64 key_in(__u64 address, __u32 now)
{
	return (__u32)address | (__u64)now << 32;
}

static __always_inline __u64 key_now(__u64 address)
{
	return with_cuts ? key_in(address, *(volatile __u32 *)&generation) : address;
}

/* Is a place with @other empty for @key? */
static __always_inline bool is_empty(__u64 other, __u64 key)
{
	return with_cuts ? (other ^ key) >> 32 : !other;
}

/*
 * Is the key in the set, but not in its first place, where the caller has looked? This function
 * and first_hit() are global, so that the verifier checks each of them once, and not at each call,
 * which would take ten times as long.
 */
__noinline int is_farther(__u64 key)
{
	__u32 place = set_place(key);

	for (__u32 i = 1; i < SET_PROBES; i++) {
		__u64 other = set[place + i];

		if (other == key)
			return 1;
		if (is_empty(other, key))
			break;
	}
	return 0;
}

static __always_inline bool is_known(__u64 address)
{
	__u64 key = key_now(address), other = set[set_place(key)];

	return other == key || (other && is_farther(key));
}

/* Returns 1 if @key was new, 0 if another CPU was faster, a negative number if no place is free. */
static __always_inline int set_add(__u64 key)
{
	__u32 place = set_place(key);

	for (__u32 i = 0; i < SET_PROBES; i++) {
		__u64 before = with_cuts ? *(volatile __u64 *)&set[place + i] : 0, other = before;

		if (is_empty(before, key))
			other = __sync_val_compare_and_swap(&set[place + i], before, key);
		else if (before != key)
			continue;
		if (other == key)
			return 0;
		if (other == before)
			return 1;
	}
	return -1;
}

static __always_inline void keep_in_map(__u64 addr, const struct cover_hit *hit)
{
	struct cover_hit *other;
	long err;

	err = bpf_map_update_elem(&seen, &addr, hit, BPF_NOEXIST);
	if (err == -EEXIST) {
		other = bpf_map_lookup_elem(&seen, &addr);
		if (other)
			__sync_fetch_and_or(&other->kind, hit->kind);
	} else if (err) {
		__sync_fetch_and_add(&stats.unpinned, 1);
	}
}

__noinline int first_hit(__u64 key, __u64 addr, __u32 kind, __u64 other)
{
	__u32 now = with_cuts ? *(volatile __u32 *)&generation : 0, used, index;
	struct cover_entry *entry = NULL;
	__u64 pid_tgid;
	int new;

	/* Checked before set_add(), so that each hit of a refused address is counted. */
	used = *(volatile __u32 *)&stats.logged - (with_cuts ? *(volatile __u32 *)&stats.dropped : 0);
	/* Programs that race for the last places of the ring must not take those of entries that were not read. */
	if (with_cuts)
		used += log_entries / 8;
	new = used < log_entries ? set_add(with_cuts ? key_in(key, now) : key) : -1;
	if (!new)
		return 0;
	if (new > 0) {
		index = __sync_fetch_and_add(&stats.logged, 1);
		/* Then log_entries is a power of two. */
		if (with_cuts)
			index &= log_entries - 1;
		entry = bpf_map_lookup_elem(&hits, &index);
	}
	if (!entry) {
		__sync_fetch_and_add(&stats.full, 1);
		return 0;
	}
	entry->hit.first_ns = bpf_ktime_get_ns();
	entry->hit.kind = kind | now << COVER_GENERATION_SHIFT;
	entry->hit.cpu = bpf_get_smp_processor_id();
	pid_tgid = bpf_get_current_pid_tgid();
	entry->hit.pid = pid_tgid;
	entry->hit.tgid = pid_tgid >> 32;
	bpf_get_current_comm(entry->comm, sizeof(entry->comm));
	entry->other = other;
	/* The address comes last, because the loader may be reading the entry. */
	barrier();
	*(volatile __u64 *)&entry->addr = addr;
	if (with_map) {
		struct cover_hit hit = entry->hit;

		keep_in_map(addr, &hit);
	}
	return 0;
}

static __always_inline bool this_cpu_followed(void)
{
	__u32 zero = 0, *flag;

	flag = bpf_map_lookup_elem(&cpu_followed, &zero);
	return flag && *flag && *flag == (__u32)bpf_get_current_pid_tgid();
}

static __always_inline bool has_comm(struct task_struct *task)
{
	for (int i = 0; i < TASK_COMM_LEN; i++) {
		if (task->comm[i] != comm[i])
			return false;
		if (!comm[i])
			break;
	}
	return true;
}

/*
 * Where x86 keeps preempt_count: from 6.2 to 6.14 in this struct, before and after that in a
 * variable of its own.
 */
struct pcpu_hot___since_6_2 {
	int preempt_count;
} __attribute__((preserve_access_index));

extern const int __preempt_count __ksym __weak;
extern const struct pcpu_hot___since_6_2 pcpu_hot __ksym __weak;

/*
 * The bits of include/linux/preempt.h for NMIs, interrupts, and running softirqs (but not for
 * disabled ones).
 */
#define IN_INTERRUPT 0xff0100

static __always_inline bool in_interrupt(void)
{
	if (bpf_ksym_exists(&__preempt_count))
		return *(const int *)bpf_this_cpu_ptr(&__preempt_count) & IN_INTERRUPT;
	if (bpf_ksym_exists(&pcpu_hot))
		return ((const struct pcpu_hot___since_6_2 *)bpf_this_cpu_ptr(&pcpu_hot))->preempt_count &
		       IN_INTERRUPT;
	return false;
}

/* Has the user asked for calls of the current task? This is checked only for new addresses. */
static __always_inline bool is_wanted(void)
{
	if (own_tgid && bpf_get_current_pid_tgid() >> 32 == own_tgid && !in_interrupt()) {
		__sync_fetch_and_add(&stats.own, 1);
		return false;
	}
	if (follow_tasks && !this_cpu_followed())
		return false;
	if (in_cgroup && bpf_current_task_under_cgroup(&cgroup, 0) != 1)
		return false;
	return !comm[0] || has_comm(bpf_get_current_task_btf());
}

static __always_inline __u32 gate(void)
{
	return *(volatile __u32 *)&recording;
}

/* The largest distance from a function's address to regs->ip: ENDBR64 and the call. */
#define FARTHEST_IP 9
/* An offset into the first instruction of a function, to which no call returns. */
#define INSIDE 1

/*
 * Records a new function. @key: regs->ip, or the function's address + INSIDE if ip does not give
 * the function. @caller: 0: unknown
 */
static __always_inline void first_call(struct pt_regs *ctx, __u64 key, __u64 caller)
{
	__u64 function = bpf_get_func_ip(ctx), ip = PT_REGS_IP(ctx);
	bool moved = ip - function > FARTHEST_IP;

	if (moved) {
		__sync_val_compare_and_swap(&recording, COVER_OPEN, COVER_OPEN_IP_MOVED);
		key = function + INSIDE;
	} else if (key != ip && is_known(ip)) {
		/* The function was recorded before a live patch changed an ip: it is in the log. */
		set_add(key_now(key));
		return;
	}
	first_hit(key, function, COVER_FUNCTION, caller);
}

/*
 * Records a new return address. The address of a trampoline never enters the set: it stands for
 * many callers. @at: where @caller is on the stack; 0: unknown. @function: the entered function
 */
static __always_inline void first_return(__u64 caller, __u64 at, __u64 function)
{
	if (is_return_trampoline(caller)) {
		caller = at ? true_caller(at, caller) : 0;
		if (!caller)
			__sync_fetch_and_add(&stats.parents_lost, 1);
		if (!caller || is_known(caller))
			return;
	}
	first_hit(caller, caller, COVER_CALLER, function);
}

/*
 * Records @key and @caller if they are new. @ctx: the registers, if called by kprobe.multi; NULL:
 * @key is a function's address + INSIDE. @at: where @caller is on the stack; 0: unknown
 */
static __noinline int note(struct pt_regs *ctx, __u64 key, __u64 caller, __u64 at)
{
	/* Finding a caller that a trampoline hides is slow, so only the hit of the caller does it. */
	__u64 shown = with_callers && !is_return_trampoline(caller) ? caller : 0;

	if (!is_wanted())
		return 0;
	if (!is_known(key)) {
		if (ctx)
			first_call(ctx, key, shown);
		else
			first_hit(key, key - INSIDE, COVER_FUNCTION, shown);
	}
	if (with_callers && !is_known(caller))
		first_return(caller, at, ctx ? bpf_get_func_ip(ctx) : key - INSIDE);
	return 0;
}

/* Called when at least one of the two addresses is not in its first place. */
static __noinline int are_farther(__u64 key, __u64 caller)
{
	return is_known(key) && is_known(caller);
}

/*
 * Nearly all calls end with this check. So programs pass @callers as a constant instead of reading with_callers,
 * and set_shift is read once: a volatile constant is loaded wherever it is named. Functions are called only after
 * both places were looked at, because values that are needed after a call take a register or a place on the stack.
 */
static __always_inline bool all_known(__u64 key, __u64 caller, bool callers, bool cuts)
{
	__u32 shift = set_shift;

	if (cuts)
		return is_known(key) && (!callers || is_known(caller));
	if (!callers) {
		__u64 other = set[place_by(key, shift)];

		return other == key || (other && is_farther(key));
	}
	return (set[place_by(key, shift)] == key && set[place_by(caller, shift)] == caller) || are_farther(key, caller);
}

static __always_inline int enter(struct pt_regs *ctx, bool callers, bool cuts)
{
	__u64 key = PT_REGS_IP(ctx), caller;

	if (gate() != COVER_OPEN) {
		if (gate() == COVER_CLOSED)
			return 0;
		key = bpf_get_func_ip(ctx) + INSIDE;
	}
	caller = callers ? return_address(ctx) : 0;
	if (!all_known(key, caller, callers, cuts))
		note(ctx, key, caller, PT_REGS_SP(ctx));
	return 0;
}

SEC("kprobe.multi")
int cover_entry(struct pt_regs *ctx)
{
	return enter(ctx, true, false);
}

/* Without callers. */
SEC("kprobe.multi")
int cover_entry_nc(struct pt_regs *ctx)
{
	return enter(ctx, false, false);
}

SEC("kprobe.multi")
int cover_entry_cuts(struct pt_regs *ctx)
{
	return enter(ctx, with_callers, true);
}

/* Skips the return address of the function's own call to the trampoline, if it is on the stack. */
static __always_inline void *past_own_call(void *at, __u64 key)
{
	return word_at(at) - key < FARTHEST_IP ? at + 8 : at;
}

static __always_inline int enter_by_fentry(void *ctx, bool callers, bool cuts)
{
	__u64 key, caller = 0;
	void *at;

	if (gate() == COVER_CLOSED)
		return 0;
	key = bpf_get_func_ip(ctx) + INSIDE;
	at = return_place(ctx);
	if (callers)
		caller = word_at(at);
	if (all_known(key, caller, callers, cuts))
		return 0;
	at = past_own_call(at, key);
	note(NULL, key, word_at(at), (__u64)at);
	return 0;
}

/*
 * libbpf before 1.8 does not know the right section name of fentry.multi, so the sections have a
 * name that no libbpf knows. The loader sets the type.
 */
SEC("entry")
int cover_fentry(void *ctx)
{
	return enter_by_fentry(ctx, true, false);
}

SEC("entry")
int cover_fentry_nc(void *ctx)
{
	return enter_by_fentry(ctx, false, false);
}

SEC("entry")
int cover_fentry_cuts(void *ctx)
{
	return enter_by_fentry(ctx, with_callers, true);
}

SEC("tracepoint")
int cover_event_entry(struct cover_event_ctx *ctx)
{
	__u64 key, caller;

	if (gate() == COVER_CLOSED)
		return 0;
	key = ctx->ip + INSIDE;
	caller = ctx->parent_ip;
	if (!all_known(key, caller, with_callers, false))
		note(NULL, key, caller, 0);
	return 0;
}

/*
 * Tests return_place() with this kernel's trampolines. The loader makes a known function call
 * functions to which this program is attached. It counts how many calls it sees to come from the
 * known function, and how many other calls.
 */
SEC("entry")
int check_caller(void *ctx)
{
	void *at = past_own_call(return_place(ctx), bpf_get_func_ip(ctx) + INSIDE);
	__u64 caller = word_at(at);

	if (is_return_trampoline(caller))
		caller = true_caller((__u64)at, caller);
	if (caller - checked_from < checked_bytes)
		__sync_fetch_and_add(&checked_right, 1);
	else
		__sync_fetch_and_add(&checked_wrong, 1);
	return 0;
}

static __always_inline bool task_followed(__u64 task)
{
	return bpf_map_lookup_elem(&followed, &task);
}

static __always_inline void follow(struct task_struct *task)
{
	__u64 key = (__u64)task;
	__u32 pid = task->pid;

	if (bpf_map_update_elem(&followed, &key, &pid, BPF_ANY))
		__sync_fetch_and_add(&stats.tasks_full, 1);
}

static __always_inline void set_cpu(__u32 pid)
{
	__u32 zero = 0, *flag;

	flag = bpf_map_lookup_elem(&cpu_followed, &zero);
	if (flag && *flag != pid)
		*flag = pid;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	set_cpu(task_followed((__u64)next) ? next->pid : 0);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	if (task_followed((__u64)parent))
		follow(child);
	return 0;
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(on_free, struct task_struct *task)
{
	__u64 key = (__u64)task;

	bpf_map_delete_elem(&followed, &key);
	return 0;
}

/* Adds the threads of a running process to the set. The loader attaches it to that process only. */
SEC("iter/task")
int take_threads(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (task)
		follow(task);
	return 0;
}

/* The loader runs this once on each CPU: on_switch() has not seen the task that runs there now. */
SEC("raw_tp/")
int refresh_cpu(void *ctx)
{
	set_cpu(task_followed(bpf_get_current_task()) ? (__u32)bpf_get_current_pid_tgid() : 0);
	return 0;
}

/* At this tracepoint, ftrace's list has the module's functions, and its init has not run. */
SEC("tp_btf/module_load")
int BPF_PROG(on_module, struct module *mod)
{
	struct cover_news one = { .ns = bpf_ktime_get_ns() };

	for (__u32 i = 0; i < sizeof(one.module) - 1; i++)
		one.module[i] = mod->name[i];
	if (bpf_ringbuf_output(&news, &one, sizeof(one), 0))
		__sync_fetch_and_add(&stats.news_lost, 1);
	return 0;
}

/* Kernels with this field (since Linux 6.7) count missed calls, for programs of any type. */
struct bpf_link_info___since_6_7 {
	struct {
		__u64 missed;
	} kprobe_multi;
} __attribute__((preserve_access_index));

/*
 * The loader runs this once, to learn its process id in the initial PID namespace, and whether the
 * kernel counts missed calls.
 */
SEC("raw_tp/")
int take_own(void *ctx)
{
	counts_misses = bpf_core_field_exists(struct bpf_link_info___since_6_7, kprobe_multi.missed);
	loader_tgid = bpf_get_current_pid_tgid() >> 32;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
