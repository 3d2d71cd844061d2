// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: what happens when a function runs that someone wants events of.
 *
 * All events share one ftrace_ops, whose filter holds the functions of those that
 * are listened to, and only of those: nothing is registered while nobody listens.
 * With an ops each, thousands of events would be thousands of trampolines, each
 * enabled by a pass over all of ftrace's records, and a function that a second
 * tracer looks at would walk a list of all of them. With one ops it is one
 * trampoline, one pass however many events are switched on at once, and a look-up
 * for each call, which costs the same for one event as for thousands.
 *
 * The look-up: fevent_table, a flat hash of functions, at most half full, probed
 * linearly. A function's slot has its first event, and a list of the others, if it
 * has several. Nothing is added to a table: a new one is made of the list of armed
 * events, published, and the old one freed after a grace period.
 *
 * Patching runs functions that may have events, and many times for each site. So an
 * event is not found while its sites are patched: one that goes is first taken out
 * of its slots in the table there is, which is one store each, then ftrace gets to
 * know, and only then comes the new table, with those that are new.
 *
 *	enable / perf / BPF -> fevent_reg() -> on or off the list fevent_armed
 *	                                         |  (once for a batch)
 *	                                         v
 *	                                fevent_update_hooks(): ftrace, then table
 *
 *	function -> fevent_call() -> fevent_fast()              one ring buffer
 *	                         |-> fevent_call_bpf()          programs only
 *	                         \-> fevent_call_guarded()
 *	                                 |-> fevent_deliver()   ring buffers, perf, BPF
 *	                                 \-> rethook ... return -> fevent_return()
 *
 * The fast path is for a function with one event that has plain register arguments
 * only and one listener, an instance that has set neither filter nor trigger. It
 * calls nothing outside kernel/trace that could be traced, but for what wakes up a
 * reader, and what prints or exports a record. The ring buffer's own protection from
 * recursion ends that, and output_printk()'s; so it does without ftrace's. BPF
 * programs have bpf_prog_active, and do without as well. All else is under that.
 *
 * Who reads the table has preemption off and RCU watching. So events, their links
 * to instances, and tables are all freed after synchronize_rcu() or its like. When
 * RCU is not watching, in parts of the idle loop, nothing is recorded. What
 * recursion protection or a buffer refuses is counted as missed, and so is a return
 * that no rethook node was left for.
 *
 * Everything that changes is under event_mutex.
 */
#include <linux/bpf.h>
#include <linux/context_tracking.h>
#include <linux/filter.h>
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/trace_clock.h>
#include <linux/workqueue.h>

#include "trace_fevent.h"
#include "trace_parent.h"

/* Of the first rethook of a return event: see fevent_enter(). */
#define FEVENT_RETURN_NODES	(32 + num_possible_cpus())

/* With these a record takes the long way through the ring buffer. */
#define FEVENT_FILE_SPECIAL	(EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_NO_SET_FILTER |	\
				 EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_TRIGGER_MODE | \
				 EVENT_FILE_FL_TRIGGER_COND | EVENT_FILE_FL_PID_FILTER)
#define FEVENT_TRACE_SPECIAL	(TRACE_ITER_STACKTRACE | TRACE_ITER_USERSTACKTRACE)

struct fevent_site {
	unsigned long		ip;	/* 0: the slot is empty */
	struct fevent		*fe;	/* NULL: it is gone */
	struct fevent_site	*next;	/* of the same function, not in a slot */
};

/*
 * Runs do not wrap around: there is room behind the last slot for a run of all
 * sites that begins there, and an empty slot. The sites that are not the first of
 * their functions are behind that.
 */
struct fevent_table {
	struct rcu_head		rcu;
	unsigned int		shift;
	unsigned int		nr_slots;
	unsigned int		nr_extra;
	struct fevent_site	sites[];
};

/* A function that returns into an event. */
struct fevent_return_node {
	struct rethook_node	node;
	unsigned long		ip;
	unsigned long		parent_ip;
	u64			start;
	unsigned long		args[];
};

static struct fevent_table *fevent_table;
static LIST_HEAD(fevent_armed);

/* A state of RCU: when its grace period is over, no call is in an event that is not armed. */
static unsigned long fevent_forgotten;

/* Of the batch that is under way; ->fresh lists what it has armed. */
static struct {
	unsigned int		depth;
	bool			dirty;
	struct list_head	fresh;
} fevent_batch = {
	.fresh = LIST_HEAD_INIT(fevent_batch.fresh),
};

/* ---- records ---- */

/* Registers to unwind the stack from, beginning with the function itself. */
static nokprobe_inline struct pt_regs *
fevent_entry_regs(struct ftrace_regs *fregs, struct pt_regs *regs)
{
	ftrace_fill_perf_regs(fregs, regs);
#ifdef CONFIG_X86
	regs->bp = ftrace_regs_get_frame_pointer(fregs);
	/* perf takes registers with this flag for those of an interrupt: ->ip comes first. */
	regs->flags = X86_EFLAGS_FIXED;
#endif
	return regs;
}

/* One set for each context that may interrupt another; nothing else in them ever changes. */
static DEFINE_PER_CPU(struct pt_regs, fevent_regs[TRACE_CTX_TRANSITION + 1]);

static struct pt_regs *fevent_context_regs(const struct fevent_values *values)
{
	return fevent_entry_regs(values->fregs, this_cpu_ptr(&fevent_regs[values->context]));
}

/*
 * Recording has disabled preemption @by times when the context is looked at, of which
 * the event is to show nothing.
 */
static nokprobe_inline unsigned int fevent_trace_ctx(unsigned int by)
{
	return tracing_gen_ctx() - (IS_ENABLED(CONFIG_PREEMPT_COUNT) ? by : 0);
}

/* Nothing is recorded of a call that programs were to see as well. */
static noinline void fevent_miss(struct fevent *fe)
{
	atomic_long_inc(&fe->missed);
#ifdef CONFIG_BPF_EVENTS
	rcu_lock_acquire(&rcu_lock_map);
	bpf_prog_inc_misses_counters(rcu_dereference(fe->tp.event->call.prog_array));
	rcu_lock_release(&rcu_lock_map);
#endif
}

NOKPROBE_SYMBOL(fevent_miss);

/* An instance's buffer has no room, or is being written to in this context. */
static noinline void fevent_refused(struct fevent *fe, struct trace_event_file *file)
{
	/* Where recording is switched off, nothing is lost. */
	if (tracer_tracing_is_on(file->tr) &&
	    cpumask_test_cpu(raw_smp_processor_id(), file->tr->tracing_cpumask) &&
	    !((file->flags & EVENT_FILE_FL_PID_FILTER) && trace_event_ignore_this_pid(file)))
		atomic_long_inc(&fe->missed);
}

NOKPROBE_SYMBOL(fevent_refused);

/* A filter, a trigger, a stack trace: as for all other events. */
static void fevent_trace_long(struct fevent *fe, struct trace_event_file *file, unsigned long ip,
			      unsigned long parent_ip, const struct fevent_values *values,
			      u64 duration, struct pt_regs *regs)
{
	int dynamic_size, by, cpu = raw_smp_processor_id();
	struct trace_event_buffer fbuffer;
	unsigned long dropped;
	bool refused, aside;

	if (trace_trigger_soft_disabled(file))
		return;
	dynamic_size = fevent_dynamic_size(fe, values);
	if (!trace_event_buffer_reserve(&fbuffer, file,
					sizeof(struct fevent_entry) + fe->tp.size +
					dynamic_size)) {
		fevent_refused(fe, file);
		return;
	}
	/* By fevent_call() or rethook, and recursion protection. It knows of one, or of none. */
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT)) {
		by = 2 - IS_ENABLED(CONFIG_PREEMPTION);
		((struct trace_entry *)fbuffer.entry)->preempt_count -= by;
		fbuffer.trace_ctx -= by;
	}
	fevent_fill(fe, fbuffer.entry, ip, parent_ip, values, duration, dynamic_size);
	fbuffer.regs = regs ?: fevent_context_regs(values);
	/*
	 * Without room there is a record nevertheless, for triggers alone, if there are
	 * some; and what is put aside for a filter looks for room when that has let it pass.
	 */
	refused = fbuffer.buffer != file->tr->array_buffer.buffer &&
		  !(file->flags & (EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_SOFT_DISABLED));
	aside = fbuffer.event == this_cpu_read(trace_buffered_event);
	dropped = ring_buffer_dropped_events_cpu(fbuffer.buffer, cpu);
	trace_event_buffer_commit(&fbuffer);
	if (aside)
		refused = ring_buffer_dropped_events_cpu(fbuffer.buffer, cpu) != dropped;
	if (unlikely(refused))
		fevent_refused(fe, file);
}

NOKPROBE_SYMBOL(fevent_trace_long);

static nokprobe_inline bool fevent_is_plain(const struct trace_event_file *file)
{
	return likely(!(READ_ONCE(file->flags) & FEVENT_FILE_SPECIAL) &&
		      !(READ_ONCE(file->tr->trace_flags) & FEVENT_TRACE_SPECIAL));
}

/* ring_buffer_event_data(), without a call where the event is short and has no time stamp. */
static nokprobe_inline void *fevent_event_data(struct ring_buffer_event *event)
{
	if (likely(event->type_len - 1U < RINGBUF_TYPE_DATA_TYPE_LEN_MAX))
		return event->array;
	return ring_buffer_event_data(event);
}

/* The record of an event that was reserved. */
static nokprobe_inline struct fevent_entry *
fevent_begin(struct fevent *fe, struct ring_buffer_event *event, unsigned int trace_ctx)
{
	struct fevent_entry *entry = fevent_event_data(event);

	tracing_generic_entry_update(&entry->ent, fe->tp.event->call.event.type, trace_ctx);
	return entry;
}

static void fevent_trace(struct fevent *fe, struct trace_event_file *file, unsigned long ip,
			 unsigned long parent_ip, const struct fevent_values *values,
			 u64 duration, struct pt_regs *regs)
{
	struct trace_buffer *buffer = file->tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct fevent_entry *entry;
	int dynamic_size;

	if (!fevent_is_plain(file)) {
		fevent_trace_long(fe, file, ip, parent_ip, values, duration, regs);
		return;
	}
	dynamic_size = fevent_dynamic_size(fe, values);
	event = ring_buffer_lock_reserve(buffer, sizeof(*entry) + fe->tp.size + dynamic_size);
	if (!event) {
		fevent_refused(fe, file);
		return;
	}
	/* By fevent_call() or rethook, recursion protection, and the ring buffer. */
	entry = fevent_begin(fe, event, fevent_trace_ctx(3));
	fevent_fill(fe, entry, ip, parent_ip, values, duration, dynamic_size);
	trace_event_commit_plain(file, buffer, event);
}

NOKPROBE_SYMBOL(fevent_trace);

/* Of simple events only. */
static nokprobe_inline void fevent_fast(struct fevent *fe, struct trace_event_file *file,
					unsigned long ip, unsigned long parent_ip,
					struct ftrace_regs *fregs)
{
	struct trace_buffer *buffer = file->tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct fevent_entry *entry;

	event = ring_buffer_lock_reserve(buffer, sizeof(*entry) + fe->tp.size);
	if (unlikely(!event)) {
		fevent_refused(fe, file);
		return;
	}
	/* By fevent_call() and the ring buffer. */
	entry = fevent_begin(fe, event, fevent_trace_ctx(2));
	entry->ip = ip;
	entry->parent_ip = parent_ip;
	fevent_fill_loads(fe, entry + 1, fregs);
	trace_event_commit_plain(file, buffer, event);
}

#ifdef CONFIG_BPF_EVENTS
/*
 * There is one for a CPU, as bpf_prog_active lets only one program run there. The
 * verifier lets a program of type TRACEPOINT read as much as @record; how long the
 * event's record is, is only asked when one is attached, not when it is tail-called.
 */
struct fevent_bpf_slot {
	struct pt_regs	regs;
	u64		record[PERF_MAX_TRACE_SIZE / sizeof(u64)];
};

/* Made when perf first listens to an event, and kept. */
static struct fevent_bpf_slot __percpu *fevent_bpf_slots;

static int fevent_alloc_slots(void)
{
	if (!fevent_bpf_slots)
		fevent_bpf_slots = alloc_percpu(struct fevent_bpf_slot);
	return fevent_bpf_slots ? 0 : -ENOMEM;
}

/*
 * What trace_call_bpf() does, for a caller that has preemption off: that keeps it on
 * this CPU and is a read-side section of RCU, so all that is left of these two is
 * what lockdep wants to know.
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
 * Has an event's programs run. The first 8 bytes that a BPF program of type
 * TRACEPOINT is given are not the record's but the address of registers, for its
 * helpers.
 *
 * Nothing that is traced is called before bpf_prog_active is taken, or when that
 * fails: this needs no other protection from recursion.
 *
 * Returns whether perf is to have the event, too, which is what the programs say.
 */
static nokprobe_inline bool fevent_run_bpf(struct fevent *fe, unsigned long ip,
					   unsigned long parent_ip,
					   const struct fevent_values *values, u64 duration,
					   struct pt_regs *regs)
{
	struct fevent_bpf_slot *slot;
	struct fevent_entry *entry;
	bool ret = false;

	if (likely(__this_cpu_inc_return(bpf_prog_active) == 1)) {
		slot = this_cpu_ptr(fevent_bpf_slots);
		entry = (struct fevent_entry *)slot->record;
		if (likely(fe->simple)) {
			entry->ip = ip;
			entry->parent_ip = parent_ip;
			fevent_fill_loads(fe, entry + 1, values->fregs);
		} else {
			fevent_fill(fe, entry, ip, parent_ip, values, duration,
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

static nokprobe_inline bool fevent_has_bpf(const struct fevent *fe)
{
	return bpf_prog_array_valid(&fe->tp.event->call);
}
#else
static inline int fevent_alloc_slots(void)
{
	return 0;
}

static inline bool fevent_run_bpf(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
				  const struct fevent_values *values, u64 duration,
				  struct pt_regs *regs)
{
	return true;
}

static inline bool fevent_has_bpf(const struct fevent *fe)
{
	return false;
}
#endif

#ifdef CONFIG_PERF_EVENTS
/*
 * libbpf opens an event on one CPU, its programs run on all: there may be programs
 * and no listener.
 */
static void fevent_perf(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
			const struct fevent_values *values, u64 duration, struct pt_regs *regs)
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
	fevent_fill(fe, entry, ip, parent_ip, values, duration, dynamic_size);
	if (!regs)
		regs = fevent_context_regs(values);
	perf_trace_buf_submit(entry, size, rctx, call->event.type, 1, regs, head, NULL);
}

NOKPROBE_SYMBOL(fevent_perf);
#else
static inline void fevent_perf(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
			       const struct fevent_values *values, u64 duration,
			       struct pt_regs *regs)
{
}
#endif

static nokprobe_inline void fevent_deliver(struct fevent *fe, unsigned long ip,
					   unsigned long parent_ip,
					   const struct fevent_values *values, u64 duration,
					   struct pt_regs *regs)
{
	unsigned int flags = trace_probe_load_flag(&fe->tp);
	struct event_file_link *link;

	if (flags & TP_FLAG_TRACE) {
		trace_probe_for_each_link_rcu(link, &fe->tp)
			fevent_trace(fe, link->file, ip, parent_ip, values, duration, regs);
	}
	if (flags & TP_FLAG_PROFILE) {
		if (!fevent_has_bpf(fe) ||
		    fevent_run_bpf(fe, ip, parent_ip, values, duration, regs))
			fevent_perf(fe, ip, parent_ip, values, duration, regs);
	}
}

/*
 * Recursion protection lets one call through in a recording, as it cannot tell that from
 * an interrupt's first steps. Of an event that follows pointers that is one too many:
 * a page fault calls dozens of functions, so that with events on all of them each fault
 * would make for hundreds.
 */
static nokprobe_inline bool fevent_is_nested(const struct fevent *fe, int bit)
{
	return bit == TRACE_FTRACE_START + TRACE_CTX_TRANSITION && fe->faults_arg >= 0;
}

/* ---- returns ---- */

#ifdef CONFIG_FUNCTION_EVENTS_RETURN
static void fevent_return(struct rethook_node *node, void *data, unsigned long ret_ip,
			  struct pt_regs *regs)
{
	struct fevent_return_node *ret =
		container_of(node, struct fevent_return_node, node);
	struct fevent *fe = data;
	struct fevent_values values = {
		.args = ret->args, .ret = regs_return_value(regs),
	};
	s64 duration;
	int bit;

	if (unlikely(!rcu_is_watching())) {
		atomic_long_inc(&fe->missed);
		return;
	}
	bit = ftrace_test_recursion_trylock(ret->ip, ret->parent_ip);
	if (unlikely(bit < 0)) {
		fevent_miss(fe);
		return;
	}
	if (likely(!fevent_is_nested(fe, bit))) {
		/* Clocks of two CPUs may disagree a little. */
		duration = trace_clock_local() - ret->start;
		fevent_deliver(fe, ret->ip, ret->parent_ip, &values, max(duration, 0LL), regs);
	} else {
		fevent_miss(fe);
	}
	ftrace_test_recursion_unlock(bit);
}

NOKPROBE_SYMBOL(fevent_return);

/* Doubles the nodes of an event. */
static int fevent_add_rethook(struct fevent *fe)
{
	unsigned int i = fe->nr_rethooks;
	struct rethook *rh;

	rh = rethook_alloc(fe, fevent_return,
			   sizeof(struct fevent_return_node) + fe->nr_saved * sizeof(long),
			   FEVENT_RETURN_NODES << max_t(int, i - 1, 0));
	if (IS_ERR(rh))
		return PTR_ERR(rh);
	fe->rethooks[i] = rh;
	/* Pairs with fevent_enter(). */
	smp_store_release(&fe->nr_rethooks, i + 1);
	return 0;
}

static void fevent_grow(struct work_struct *work)
{
	struct fevent *fe;

	guard(mutex)(&event_mutex);
	list_for_each_entry(fe, &fevent_armed, armed) {
		if (!READ_ONCE(fe->wants_nodes))
			continue;
		/* If there is no memory, it will ask again. */
		if (fe->nr_rethooks < ARRAY_SIZE(fe->rethooks))
			fevent_add_rethook(fe);
		WRITE_ONCE(fe->wants_nodes, false);
	}
}

static DECLARE_WORK(fevent_grow_work, fevent_grow);

static void fevent_schedule_grow(struct irq_work *work)
{
	schedule_work(&fevent_grow_work);
}

static DEFINE_IRQ_WORK(fevent_grow_irq_work, fevent_schedule_grow);

/* Functions are traced where no work can be scheduled. */
static void fevent_ask_for_nodes(struct fevent *fe)
{
	if (READ_ONCE(fe->wants_nodes) || fe->nr_rethooks == ARRAY_SIZE(fe->rethooks))
		return;
	WRITE_ONCE(fe->wants_nodes, true);
	irq_work_queue(&fevent_grow_irq_work);
}

NOKPROBE_SYMBOL(fevent_ask_for_nodes);

/*
 * Any number of tasks may sleep in an event's functions. The newest rethook has as many
 * nodes as all before it: when it has none left, half of all are in use, and it is
 * time for the next.
 */
static void fevent_enter(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
			 struct ftrace_regs *fregs)
{
	/* Pairs with fevent_add_rethook(). */
	unsigned int nr = smp_load_acquire(&fe->nr_rethooks);
	struct fevent_return_node *ret;
	struct rethook_node *node = NULL;
	unsigned int i;

	/* It is being switched on or off: nobody listens yet, or any more. */
	if (unlikely(!nr))
		return;
	/*
	 * Interrupts are off while a node is given back, which tells others of it in two
	 * steps: one that an NMI gives back in between makes an older one seem to be there.
	 */
	if (unlikely(in_nmi())) {
		fevent_miss(fe);
		return;
	}
	for (i = nr; i && !node; i--)
		node = rethook_try_get(fe->rethooks[i - 1]);
	if (unlikely(i != nr - 1))
		fevent_ask_for_nodes(fe);
	if (unlikely(!node)) {
		/* Nothing is missed of what has been switched off meanwhile. */
		if (READ_ONCE(fe->nr_rethooks))
			fevent_miss(fe);
		return;
	}
	ret = container_of(node, struct fevent_return_node, node);
	ret->ip = ip;
	ret->parent_ip = parent_ip;
	for (i = 0; i < fe->nr_saved; i++)
		ret->args[i] = ftrace_regs_get_argument(fregs, i);
	ret->start = trace_clock_local();
	/* Of the registers only those are looked at that ftrace saves in any case. */
	rethook_hook(node, &arch_ftrace_regs(fregs)->regs, true);
}

NOKPROBE_SYMBOL(fevent_enter);

/* Nodes that are in use are freed when their functions return. */
static void fevent_free_rethooks(struct fevent *fe)
{
	unsigned int i, nr = fe->nr_rethooks;

	WRITE_ONCE(fe->nr_rethooks, 0);
	for (i = 0; i < nr; i++)
		rethook_free(fe->rethooks[i]);
}

static int fevent_alloc_rethooks(struct fevent *fe)
{
	int ret;

	/* A call that was under way when the event was disarmed may have asked in vain. */
	WRITE_ONCE(fe->wants_nodes, false);
	ret = fevent_add_rethook(fe) ?: fevent_add_rethook(fe);
	if (ret)
		fevent_free_rethooks(fe);
	return ret;
}
#else
static inline void fevent_enter(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
				struct ftrace_regs *fregs)
{
}

static inline int fevent_alloc_rethooks(struct fevent *fe)
{
	return -EOPNOTSUPP;
}

static inline void fevent_free_rethooks(struct fevent *fe)
{
}
#endif /* CONFIG_FUNCTION_EVENTS_RETURN */

/* ---- a call ---- */

static nokprobe_inline unsigned long fevent_slot(const struct fevent_table *table,
						 unsigned long ip)
{
	return (ip * GOLDEN_RATIO_64) >> table->shift;
}

static nokprobe_inline bool fevent_rcu_is_watching(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	return rcu_is_watching_curr_cpu();
#else
	return rcu_is_watching();
#endif
}

/* Not inlined: what it needs on the stack would cost all calls a stack protector. */
static noinline unsigned long fevent_true_parent(unsigned long parent_ip,
						 struct ftrace_regs *fregs)
{
	return trace_true_parent(parent_ip, fregs);
}

NOKPROBE_SYMBOL(fevent_true_parent);

/* A program wants perf to have the event, which is rare. */
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
	fevent_perf(fe, ip, parent_ip, &values, 0, NULL);
	ftrace_test_recursion_unlock(bit);
}

NOKPROBE_SYMBOL(fevent_perf_guarded);

static noinline void fevent_call_bpf(struct fevent *fe, unsigned long ip,
				     unsigned long parent_ip, struct ftrace_regs *fregs)
{
	struct fevent_values values = { .fregs = fregs };

	if (unlikely(fevent_run_bpf(fe, ip, parent_ip, &values, 0, NULL)))
		fevent_perf_guarded(fe, ip, parent_ip, fregs);
}

NOKPROBE_SYMBOL(fevent_call_bpf);

static noinline void fevent_call_guarded(const struct fevent_site *site, unsigned long parent_ip,
					 struct ftrace_regs *fregs)
{
	struct fevent_values values = { .fregs = fregs };
	unsigned long ip = site->ip;
	struct fevent *fe;
	int bit;

	bit = ftrace_test_recursion_trylock(ip, parent_ip);
	values.context = bit - TRACE_FTRACE_START;
	for (; site; site = site->next) {
		fe = READ_ONCE(site->fe);
		if (unlikely(!fe))
			continue;
		if (unlikely(bit < 0 || fevent_is_nested(fe, bit)))
			fevent_miss(fe);
		else if (fe->proto->returns)
			fevent_enter(fe, ip, parent_ip, fregs);
		else
			fevent_deliver(fe, ip, parent_ip, &values, 0, NULL);
	}
	if (likely(bit >= 0))
		ftrace_test_recursion_unlock(bit);
}

NOKPROBE_SYMBOL(fevent_call_guarded);

static void fevent_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			struct ftrace_regs *fregs)
{
	struct trace_event_file *file;
	struct fevent_table *table;
	struct fevent_site *site;
	struct fevent *fe;

	preempt_disable_notrace();
	table = READ_ONCE(fevent_table);
	if (unlikely(!table || !fevent_rcu_is_watching()))
		goto out;
	for (site = &table->sites[fevent_slot(table, ip)]; site->ip != ip; site++) {
		if (unlikely(!site->ip))
			goto out;
	}
	if (unlikely(trace_is_return_trampoline(parent_ip)))
		parent_ip = fevent_true_parent(parent_ip, fregs);
	fe = READ_ONCE(site->fe);
	if (likely(fe && !site->next)) {
		file = READ_ONCE(fe->fast_file);
		if (file && fevent_is_plain(file)) {
			fevent_fast(fe, file, ip, parent_ip, fregs);
			goto out;
		}
		if (fe->only_perf && fevent_has_bpf(fe)) {
			fevent_call_bpf(fe, ip, parent_ip, fregs);
			goto out;
		}
	}
	fevent_call_guarded(site, parent_ip, fregs);
out:
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(fevent_call);

static struct ftrace_ops fevent_ops = {
	.func = fevent_call,
};

/* ---- arming ---- */

static unsigned int fevent_count_sites(void)
{
	struct fevent *fe;
	unsigned int nr = 0;

	list_for_each_entry(fe, &fevent_armed, armed)
		nr += fe->nr_ips;
	return nr;
}

static struct fevent_table *fevent_alloc_table(unsigned int nr)
{
	unsigned int bits = max(ilog2(roundup_pow_of_two(nr)) + 1, 4);
	unsigned int nr_slots = (1U << bits) + nr + 1;
	struct fevent_table *table;

	table = kvzalloc(struct_size(table, sites, nr_slots + nr), GFP_KERNEL);
	if (!table)
		return NULL;
	table->shift = 64 - bits;
	table->nr_slots = nr_slots;
	return table;
}

static void fevent_table_add(struct fevent_table *table, unsigned long ip, struct fevent *fe)
{
	struct fevent_site *site = &table->sites[fevent_slot(table, ip)], *extra;

	while (site->ip && site->ip != ip)
		site++;
	if (site->ip) {
		extra = &table->sites[table->nr_slots + table->nr_extra++];
		extra->next = site->next;
		site->next = extra;
		site = extra;
	}
	site->ip = ip;
	site->fe = fe;
}

/*
 * Functions whose text is gone, as .init.text is after boot, have no record with
 * ftrace any more, and it would refuse all for one of them.
 */
static unsigned int fevent_fill_table(struct fevent_table *table, unsigned long *ips)
{
	struct fevent *fe;
	unsigned int i, nr = 0;

	list_for_each_entry(fe, &fevent_armed, armed) {
		for (i = 0; i < fe->nr_ips; i++) {
			if (!ftrace_location(fe->ips[i]))
				continue;
			fevent_table_add(table, fe->ips[i], fe);
			ips[nr++] = fe->ips[i];
		}
	}
	return nr;
}

static void fevent_publish(struct fevent_table *table)
{
	struct fevent_table *old = fevent_table;

	/* Who finds the table finds it filled. */
	smp_store_release(&fevent_table, table);
	if (old)
		kvfree_rcu(old, rcu);
}

/* An ops with an empty filter would be called for everything. */
static int fevent_unhook(void)
{
	int ret = 0;

	if (fevent_ops.flags & FTRACE_OPS_FL_ENABLED)
		ret = unregister_ftrace_function(&fevent_ops);
	fevent_publish(NULL);
	return ret;
}

static int fevent_hook(unsigned long *ips, unsigned int nr)
{
	int ret = ftrace_set_filter_ips(&fevent_ops, ips, nr, 0, 1);

	if (!ret && !(fevent_ops.flags & FTRACE_OPS_FL_ENABLED))
		ret = register_ftrace_function(&fevent_ops);
	return ret;
}

/**
 * fevent_is_armed - is an event in use?
 * @fe: the event
 *
 * Context: event_mutex is held.
 * Return: whether someone listens to it.
 */
bool fevent_is_armed(struct fevent *fe)
{
	return !list_empty(&fe->armed);
}

/**
 * fevent_forget - make sure that nobody finds events that are not armed
 * @mod: a module whose text goes away, or NULL
 *
 * Context: Process context, event_mutex is held.
 */
void fevent_forget(struct module *mod)
{
	struct fevent_table *table = fevent_table;
	struct fevent_site *site;
	unsigned int i;

	for (i = 0; table && i < table->nr_slots + table->nr_extra; i++) {
		site = &table->sites[i];
		if (site->fe &&
		    (!fevent_is_armed(site->fe) || (mod && within_module(site->ip, mod))))
			WRITE_ONCE(site->fe, NULL);
	}
	fevent_forgotten = get_state_synchronize_rcu();
}

/**
 * fevent_update_hooks - have ftrace call for the functions of all armed events
 *
 * Context: Process context, event_mutex is held, may sleep.
 * Return: 0, -ENOMEM, or what ftrace said; then those that are not armed any more are
 * forgotten, all else is as it was before, and ftrace calls for some in vain.
 */
int fevent_update_hooks(void)
{
	unsigned int nr = fevent_count_sites();
	struct fevent_table *table;
	unsigned long *ips;
	int ret;

	lockdep_assert_held(&event_mutex);
	if (fevent_batch.depth) {
		fevent_batch.dirty = true;
		return 0;
	}
	fevent_forget(NULL);
	if (!nr)
		return fevent_unhook();
	table = fevent_alloc_table(nr);
	ips = kvmalloc_array(nr, sizeof(*ips), GFP_KERNEL);
	if (!table || !ips) {
		ret = -ENOMEM;
		goto cleanup;
	}
	nr = fevent_fill_table(table, ips);
	if (!nr) {
		ret = fevent_unhook();
		goto cleanup;
	}
	ret = fevent_hook(ips, nr);
	if (!ret) {
		fevent_publish(table);
		table = NULL;
	}
cleanup:
	kvfree(table);
	kvfree(ips);
	return ret;
}

/**
 * fevent_wait_idle - wait until no call is in an event that nobody listens to
 * @fe: the event
 *
 * Context: Process context, may sleep.
 */
void fevent_wait_idle(struct fevent *fe)
{
	if (fe->was_armed)
		cond_synchronize_rcu(fevent_forgotten);
}

static void fevent_unlist(struct fevent *fe)
{
	list_del_init(&fe->armed);
	list_del_init(&fe->fresh);
	fevent_free_rethooks(fe);
}

/* The fast paths are for one file and nothing else, or for perf and nothing else. */
static void fevent_set_fast(struct fevent *fe)
{
	struct event_file_link *link;
	struct trace_event_file *file = NULL;

	WRITE_ONCE(fe->only_perf, !fe->proto->returns &&
		   trace_probe_load_flag(&fe->tp) == TP_FLAG_PROFILE);
	if (fe->simple && trace_probe_has_single_file(&fe->tp) &&
	    !trace_probe_test_flag(&fe->tp, TP_FLAG_PROFILE)) {
		link = list_first_entry(&fe->tp.event->files, struct event_file_link, list);
		file = link->file;
	}
	WRITE_ONCE(fe->fast_file, file);
}

static int fevent_arm(struct fevent *fe)
{
	int ret;

	if (fevent_is_armed(fe))
		return 0;
	if (fe->proto->returns) {
		ret = fevent_alloc_rethooks(fe);
		if (ret)
			return ret;
	}
	fe->was_armed = true;
	list_add_tail(&fe->armed, &fevent_armed);
	if (fevent_batch.depth)
		list_add_tail(&fe->fresh, &fevent_batch.fresh);
	ret = fevent_update_hooks();
	if (ret)
		fevent_unlist(fe);
	return ret;
}

/* That ftrace cannot be told is no reason to refuse. */
static void fevent_disarm(struct fevent *fe)
{
	if (!fevent_is_armed(fe))
		return;
	fevent_unlist(fe);
	fevent_update_hooks();
}

static int fevent_enable(struct fevent *fe, struct trace_event_file *file)
{
	int ret;

	if (file) {
		ret = trace_probe_add_file(&fe->tp, file);
		if (ret)
			return ret;
	} else {
		ret = fevent_alloc_slots();
		if (ret)
			return ret;
		trace_probe_set_flag(&fe->tp, TP_FLAG_PROFILE);
	}
	fevent_set_fast(fe);
	ret = fevent_arm(fe);
	if (!ret)
		return 0;
	if (file)
		trace_probe_remove_file(&fe->tp, file);
	else
		trace_probe_clear_flag(&fe->tp, TP_FLAG_PROFILE);
	fevent_set_fast(fe);
	return ret;
}

static int fevent_disable(struct fevent *fe, struct trace_event_file *file)
{
	if (!file)
		trace_probe_clear_flag(&fe->tp, TP_FLAG_PROFILE);
	else if (trace_probe_remove_file(&fe->tp, file))
		return -ENOENT;
	fevent_set_fast(fe);
	if (!trace_probe_is_enabled(&fe->tp))
		fevent_disarm(fe);
	return 0;
}

/**
 * fevent_reg - a trace_event_class's reg()
 * @call: the event
 * @type: what to do
 * @data: the trace_event_file to enable or disable, else unused
 *
 * Context: Process context, event_mutex is held, may sleep.
 * Return: 0 or a negative errno.
 */
int fevent_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct fevent *fe = to_fevent(call);

	switch (type) {
	case TRACE_REG_REGISTER:
		return fevent_enable(fe, data);
	case TRACE_REG_UNREGISTER:
		return fevent_disable(fe, data);
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		return fevent_enable(fe, NULL);
	case TRACE_REG_PERF_UNREGISTER:
		return fevent_disable(fe, NULL);
	default:
		return 0;
#endif
	}
	return 0;
}

#ifdef CONFIG_PERF_EVENTS
/**
 * fevent_perf_perm - may a perf event listen to a function event?
 * @call: the event
 * @p_event: the perf event
 *
 * By root only, as for ftrace:function. Unlike there, stacks of user space may be
 * asked for, as they are by userstacktrace and by programs, and as fields read user
 * memory: who reads does not wait for what is paged out, and recursion protection
 * ends what a fault calls.
 *
 * Return: 0, -EPERM or -EACCES without privileges.
 */
int fevent_perf_perm(struct trace_event_call *call, struct perf_event *p_event)
{
	return p_event->parent ? 0 : perf_allow_tracepoint();
}
#endif

/* ---- many at once ---- */

/**
 * fevent_batch_begin - events are going to be enabled or disabled
 *
 * Until fevent_batch_end(), enabling and disabling only takes notes. May nest.
 *
 * Context: Process context, event_mutex is held.
 */
void fevent_batch_begin(void)
{
	lockdep_assert_held(&event_mutex);
	fevent_batch.depth++;
}

/* What could not be armed must not look enabled. */
static void fevent_batch_undo(void)
{
	struct event_file_link *link, *next;
	struct fevent *fe, *tmp;

	list_for_each_entry_safe(fe, tmp, &fevent_batch.fresh, fresh) {
		list_for_each_entry_safe(link, next, &fe->tp.event->files, list)
			trace_event_enable_disable(link->file, 0, 0);
		/* Of a file in soft mode the event stays enabled, and unarmed. */
		if (fevent_is_armed(fe))
			fevent_unlist(fe);
	}
}

/**
 * fevent_batch_end - do what has been noted since fevent_batch_begin()
 *
 * Context: Process context, event_mutex is held, may sleep.
 * Return: 0, or a negative errno; then those that were to be enabled are not.
 */
int fevent_batch_end(void)
{
	struct fevent *fe, *tmp;
	int ret = 0;

	lockdep_assert_held(&event_mutex);
	if (--fevent_batch.depth)
		return 0;
	if (fevent_batch.dirty) {
		fevent_batch.dirty = false;
		ret = fevent_update_hooks();
		if (ret) {
			fevent_batch.depth++;
			fevent_batch_undo();
			fevent_batch.depth--;
			fevent_batch.dirty = false;
		}
	}
	list_for_each_entry_safe(fe, tmp, &fevent_batch.fresh, fresh)
		list_del_init(&fe->fresh);
	return ret;
}
