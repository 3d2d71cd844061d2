// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: delivering them to perf and BPF programs.
 *
 * Programs are of type TRACEPOINT, and read the event's record. If they are the only
 * listeners, bpf_prog_active is the only protection from recursion.
 */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>

#include "trace_fevent_types.h"
#include "trace_fevent_hook.h"
#include "trace_fevent_record.h"

DEFINE_PER_CPU(struct pt_regs, fevent_regs[TRACE_CTX_TRANSITION + 1]);

/**
 * fevent_miss - count a call that is neither recorded nor seen by programs
 * @fe: the event
 */
noinline void fevent_miss(struct fevent *fe)
{
	atomic_long_inc(&fe->missed);
#ifdef CONFIG_BPF_EVENTS
	rcu_lock_acquire(&rcu_lock_map);
	bpf_prog_inc_misses_counters(rcu_dereference(fe->tp.event->call.prog_array));
	rcu_lock_release(&rcu_lock_map);
#endif
}

NOKPROBE_SYMBOL(fevent_miss);

#ifdef CONFIG_BPF_EVENTS
/*
 * Each CPU has one slot, as bpf_prog_active lets only one program run on a CPU. The verifier
 * lets a program of type TRACEPOINT read as much as @record. The length of the event's
 * record is checked only when a program is attached, and not when it is tail-called.
 */
struct fevent_bpf_slot {
	struct pt_regs	regs;
	u64		record[PERF_MAX_TRACE_SIZE / sizeof(u64)];
};

/* Allocated when perf first listens to an event, and never freed. */
static struct fevent_bpf_slot __percpu *fevent_bpf_slots;

/**
 * fevent_perf_init - prepare for perf to listen to an event
 *
 * Context: Process context, event_mutex is held.
 * Return: 0 or -ENOMEM.
 */
int fevent_perf_init(void)
{
	if (!fevent_bpf_slots)
		fevent_bpf_slots = alloc_percpu(struct fevent_bpf_slot);
	return fevent_bpf_slots ? 0 : -ENOMEM;
}

/*
 * Like trace_call_bpf(), for a caller that has preemption off. This keeps the caller on
 * its CPU and is a read-side section of RCU, so that only lockdep has to be told.
 */
static nokprobe_inline u32 fevent_run_programs(struct trace_event_call *call, void *ctx)
{
	const struct bpf_prog_array_item *item;
	const struct bpf_prog_array *array;
	struct bpf_trace_run_ctx run_ctx;
	struct bpf_run_ctx *old_run_ctx;
	const struct bpf_prog *prog;
	u32 ret = 1;

	rcu_lock_acquire(&rcu_lock_map);
	array = rcu_dereference(call->prog_array);
	if (likely(array)) {
		run_ctx.is_uprobe = false;
		old_run_ctx = bpf_set_run_ctx(&run_ctx.run_ctx);
		for (item = array->items; (prog = READ_ONCE(item->prog)); item++) {
			run_ctx.bpf_cookie = item->bpf_cookie;
			ret &= bpf_prog_run(prog, ctx);
		}
		bpf_reset_run_ctx(old_run_ctx);
	}
	rcu_lock_release(&rcu_lock_map);
	return ret;
}

/*
 * Run an event's programs. In the data of a BPF program of type TRACEPOINT, the first
 * 8 bytes are not those of the record: they are the address of registers, for its
 * helpers.
 *
 * No traced function is called before bpf_prog_active is taken, or if that fails. So
 * this needs no other protection from recursion.
 *
 * Returns whether perf gets the event, too: the programs decide.
 */
static nokprobe_inline bool fevent_run_bpf(struct fevent *fe, unsigned long ip,
					   unsigned long parent_ip,
					   const struct fevent_values *values,
					   struct pt_regs *regs)
{
	struct fevent_bpf_slot *slot;
	struct fevent_entry *entry;
	bool ret = false;

	if (likely(__this_cpu_inc_return(bpf_prog_active) == 1)) {
		slot = this_cpu_ptr(fevent_bpf_slots);
		entry = (struct fevent_entry *)slot->record;
		if (likely(fe->layout.simple)) {
			entry->ip = ip;
			entry->parent_ip = parent_ip;
			fevent_fill_loads(fe, entry + 1, fevent_load_base(values, regs));
		} else {
			fevent_fill(fe, entry, ip, parent_ip, values,
				    fevent_dynamic_size(fe, values));
		}
		if (likely(!regs))
			regs = fevent_entry_regs(values->fregs, &slot->regs);
		*(struct pt_regs **)slot->record = regs;
		ret = fevent_run_programs(trace_probe_event_call(&fe->tp), slot->record);
	} else {
		fevent_miss(fe);
	}
	__this_cpu_dec(bpf_prog_active);
	return ret;
}
#else
int fevent_perf_init(void)
{
	return 0;
}

static inline bool fevent_run_bpf(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
				  const struct fevent_values *values, struct pt_regs *regs)
{
	return true;
}
#endif

#ifdef CONFIG_PERF_EVENTS
/*
 * libbpf opens an event on one CPU, but its programs run on all. So on this CPU, there
 * may be programs without a perf event.
 */
static void fevent_perf(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
			const struct fevent_values *values, struct pt_regs *regs)
{
	struct trace_event_call *call = trace_probe_event_call(&fe->tp);
	struct hlist_head *head = this_cpu_ptr(call->perf_events);
	struct fevent_entry *entry;
	int dynamic_size, size, rctx;

	if (hlist_empty(head))
		return;
	dynamic_size = fevent_dynamic_size(fe, values);
	size = ALIGN(sizeof(*entry) + fe->tp.size + dynamic_size + sizeof(u32), sizeof(u64));
	size -= sizeof(u32);
	entry = perf_trace_buf_alloc(size, NULL, &rctx);
	if (!entry) {
		atomic_long_inc(&fe->missed);
		return;
	}
	fevent_fill(fe, entry, ip, parent_ip, values, dynamic_size);
	if (!regs)
		regs = fevent_context_regs(values);
	perf_trace_buf_submit(entry, size, rctx, call->event.type, 1, regs, head, NULL);
}

NOKPROBE_SYMBOL(fevent_perf);
#else
static inline void fevent_perf(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
			       const struct fevent_values *values, struct pt_regs *regs)
{
}
#endif

/**
 * fevent_deliver_perf - deliver an event to programs and perf
 * @fe: the event
 * @ip: the function
 * @parent_ip: its caller
 * @values: where the values come from
 * @regs: for a return event, the registers after the return, else NULL
 *
 * Context: Any that functions are traced in; preemption is off, recursion is guarded
 * against.
 */
void fevent_deliver_perf(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
			 const struct fevent_values *values, struct pt_regs *regs)
{
	if (!fevent_has_bpf(fe) || fevent_run_bpf(fe, ip, parent_ip, values, regs))
		fevent_perf(fe, ip, parent_ip, values, regs);
}

NOKPROBE_SYMBOL(fevent_deliver_perf);

#ifdef CONFIG_BPF_EVENTS
/* The programs let perf have the event, which is rare. */
static noinline void fevent_perf_guarded(struct fevent *fe, unsigned long ip,
					 unsigned long parent_ip, struct ftrace_regs *fregs)
{
	struct fevent_values values = { .fregs = fregs };
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);

	if (bit < 0) {
		atomic_long_inc(&fe->missed);
		return;
	}
	values.context = bit - TRACE_FTRACE_START;
	fevent_perf(fe, ip, parent_ip, &values, NULL);
	ftrace_test_recursion_unlock(bit);
}

NOKPROBE_SYMBOL(fevent_perf_guarded);

/**
 * fevent_call_bpf - deliver an event that only programs listen to; no return event
 * @fe: the event
 * @ip: the function
 * @parent_ip: its caller
 * @fregs: registers at its entry
 *
 * Context: Any that functions are traced in; preemption is off.
 */
void fevent_call_bpf(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
		     struct ftrace_regs *fregs)
{
	struct fevent_values values = { .fregs = fregs };

	if (unlikely(fevent_run_bpf(fe, ip, parent_ip, &values, NULL)))
		fevent_perf_guarded(fe, ip, parent_ip, fregs);
}

NOKPROBE_SYMBOL(fevent_call_bpf);
#endif

#ifdef CONFIG_PERF_EVENTS
/**
 * fevent_perf_perm - may a perf event listen to a function event?
 * @call: the event
 * @p_event: the perf event
 *
 * Users who may trace the kernel may listen, as with ftrace:function. Unlike there,
 * they may ask for stacks of user space: userstacktrace and programs read such stacks,
 * too, and fields read user memory. Such a read does not wait for memory that is paged
 * out, and recursion protection stops events of functions that a fault calls.
 *
 * Return: 0, -EPERM or -EACCES without privileges.
 */
int fevent_perf_perm(struct trace_event_call *call, struct perf_event *p_event)
{
	return p_event->parent ? 0 : perf_allow_tracepoint();
}
#endif
