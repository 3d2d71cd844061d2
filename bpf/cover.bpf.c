// SPDX-License-Identifier: GPL-2.0
/*
 * Coverage by BPF: a program on every traced function's entry that keeps each function address, and each
 * address that called one, once, in a hash map. It has two entry points, of which a run attaches one:
 * for kprobe.multi, which any kernel has, and for function events of the hytrace series, whose records
 * hold both addresses.
 *
 * The map is the record: an address is in it or it is not, whatever happened to the ring buffer, which
 * only carries the news of new ones in order. The loader attaches everything with `recording` off and
 * then opens the gate, so that attaching, which takes a while and runs much of the kernel, does not
 * show up as the workload's.
 *
 * In front of the map stands a cache of what is in it, which is plain memory: nearly all calls are of
 * addresses that are known, and of those the program calls no function of the kernel. That would be a
 * call more for each address, and one that may be traced itself: by a function event over everything,
 * which can leave nothing out, each would come as a call that the program cannot be run for. (With
 * kprobe.multi there is one, which tells the function's address; it is left out of what is traced.)
 *
 * Following tasks is done as the kernel's set_ftrace_pid and function-fork do it, so that the two
 * engines agree: a set of tasks, extended at fork and cut when a task is freed, is consulted at each
 * context switch, and leaves the next task's pid with its CPU if it is one of them; a traced function
 * counts when it is run by that task. So the half of a context switch before the task has become the
 * current one is nobody's, and what runs in interrupts belongs to the task that was interrupted.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "cover.h"

#define E2BIG	7
#define EBUSY	16
#define EEXIST	17

/* Set before loading. */
const volatile bool with_callers = true;
const volatile bool follow_tasks;

/* The gate: nothing is recorded while it is 0. */
__u32 recording;
struct cover_stats stats;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);		/* the loader sizes it */
	__type(key, __u64);
	__type(value, struct cover_hit);
} seen SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);	/* the loader sizes it */
} news SEC(".maps");

/* Key: address of the task_struct, which unlike a pid is never swapped (exec by a thread does that). */
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
	__type(value, __u32);		/* pid of the followed task that runs here; 0: another does */
} cpu_followed SEC(".maps");

/*
 * An address and a kind of it that are in the map, hashed to one of a few places from there on. Nothing
 * is ever taken out, and what finds no place is looked for in the map each time. Racing writers may
 * overwrite each other, which costs one of them the same.
 */
#define KNOWN_BITS	16
#define KNOWN_MASK	((1u << KNOWN_BITS) - 1)
#define KNOWN_PLACES	4
__u64 known[1 << KNOWN_BITS] SEC(".bss.known");

extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

/*
 * At function entry the return address is the word that sp points to. A cast to a read-only kernel
 * type makes it a plain load with a fixup; bpf_probe_read_kernel() would call copy_from_kernel_nofault(),
 * which is itself traced.
 */
static __always_inline __u64 return_address(struct pt_regs *ctx)
{
	__u64 sp = PT_REGS_SP(ctx), addr = 0;

	if (bpf_ksym_exists(bpf_rdonly_cast)) {
		struct pt_regs *word;

		/* Whatever begins with a number: the address of something could not be hashed. */
		word = bpf_rdonly_cast((void *)sp, bpf_core_type_id_kernel(struct pt_regs));
		addr = word->r15;
	} else {
		bpf_probe_read_kernel(&addr, sizeof(addr), (void *)sp);
	}
	return addr;
}

static __always_inline void tell(__u64 addr, const struct cover_hit *hit)
{
	struct cover_event *event;

	event = bpf_ringbuf_reserve(&news, sizeof(*event), 0);
	if (!event) {
		__sync_fetch_and_add(&stats.ring_dropped, 1);
		return;
	}
	event->addr = addr;
	event->first_ns = hit->first_ns;
	event->kind = hit->kind;
	event->cpu = hit->cpu;
	event->pid = hit->pid;
	event->reserved = 0;
	/* No wake-up: it would run in the middle of whatever function was hit, and be recorded. */
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

/* Kernel addresses begin with ones: two of them are free for the kind, and 0 is none. */
static __always_inline __u64 known_key(__u64 addr, __u32 kind)
{
	return (addr & ~(3ULL << 62)) | (__u64)kind << 62;
}

/* The golden ratio's bits spread what lies close together. */
static __always_inline __u32 known_place(__u64 addr)
{
	return addr * 0x9e3779b97f4a7c15ULL >> (64 - KNOWN_BITS);
}

static __always_inline bool is_known(__u64 addr, __u32 kind)
{
	__u64 key = known_key(addr, kind);
	__u32 place = known_place(addr);

	for (__u32 i = 0; i < KNOWN_PLACES; i++) {
		if (known[(place + i) & KNOWN_MASK] == key)
			return true;
	}
	return false;
}

static __always_inline void remember(__u64 addr, __u32 kind)
{
	__u64 key = known_key(addr, kind);
	__u32 place = known_place(addr);

	for (__u32 i = 0; i < KNOWN_PLACES; i++) {
		__u64 *at = &known[(place + i) & KNOWN_MASK];

		/* Another CPU may have come with the same. */
		if (!*at || *at == key) {
			*at = key;
			break;
		}
	}
}

/* Whether it is in the map then, and with that kind. */
static __noinline int first_hit(__u64 addr, __u32 kind)
{
	struct cover_hit hit = {
		.first_ns = bpf_ktime_get_ns(),
		.kind = kind,
		.cpu = bpf_get_smp_processor_id(),
		.pid = (__u32)bpf_get_current_pid_tgid(),
	};
	struct cover_hit *other;
	long err;

	err = bpf_map_update_elem(&seen, &addr, &hit, BPF_NOEXIST);
	switch (err) {
	case 0:
		__sync_fetch_and_add(&stats.inserted, 1);
		tell(addr, &hit);
		return 1;
	case -EEXIST:
		/* Another CPU was faster; it may have come with the other kind. */
		other = bpf_map_lookup_elem(&seen, &addr);
		if (other && !(other->kind & kind))
			__sync_fetch_and_or(&other->kind, kind);
		return other != NULL;
	case -E2BIG:
		__sync_fetch_and_add(&stats.map_full, 1);
		break;
	case -EBUSY:
		__sync_fetch_and_add(&stats.map_busy, 1);
		break;
	default:
		__sync_fetch_and_add(&stats.map_error, 1);
	}
	return 0;
}

static __always_inline void note(__u64 addr, __u32 kind)
{
	struct cover_hit *hit;

	if (is_known(addr, kind))
		return;
	hit = bpf_map_lookup_elem(&seen, &addr);
	if (hit && !(hit->kind & kind))
		__sync_fetch_and_or(&hit->kind, kind);
	if (hit || first_hit(addr, kind))
		remember(addr, kind);
}

static __always_inline bool this_cpu_followed(void)
{
	__u32 zero = 0, *flag;

	flag = bpf_map_lookup_elem(&cpu_followed, &zero);
	return flag && *flag && *flag == (__u32)bpf_get_current_pid_tgid();
}

static __always_inline int cover(__u64 function, __u64 caller)
{
	/* Whose call it is matters only when there is something to be noted. */
	if (is_known(function, COVER_FUNCTION) &&
	    (!with_callers || is_known(caller, COVER_CALLER)))
		return 0;
	if (follow_tasks && !this_cpu_followed())
		return 0;
	note(function, COVER_FUNCTION);
	if (with_callers)
		note(caller, COVER_CALLER);
	return 0;
}

static __always_inline bool is_recording(void)
{
	return *(volatile __u32 *)&recording;
}

SEC("kprobe.multi")
int cover_entry(struct pt_regs *ctx)
{
	if (!is_recording())
		return 0;
	return cover(bpf_get_func_ip(ctx), with_callers ? return_address(ctx) : 0);
}

SEC("tracepoint")
int cover_event_entry(struct cover_event_ctx *ctx)
{
	if (!is_recording())
		return 0;
	return cover(ctx->ip, ctx->parent_ip);
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

/* Takes the threads of a running process into the set: this is attached to its threads only. */
SEC("iter/task")
int take_threads(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (task)
		follow(task);
	return 0;
}

/* Run once on each CPU: what runs there now may not be switched out for a long time. */
SEC("raw_tp/")
int refresh_cpu(void *ctx)
{
	set_cpu(task_followed(bpf_get_current_task()) ? (__u32)bpf_get_current_pid_tgid() : 0);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
