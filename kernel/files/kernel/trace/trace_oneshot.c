// SPDX-License-Identifier: GPL-2.0
/*
 * oneshot tracer: every function, and every address that a function was called
 * from, is recorded exactly once.
 *
 * The record is a set (oneshot_set.h), not the ring buffer: it cannot overflow
 * in practice, is the same for all CPUs, and can be read while tracing. First
 * hits are also written to the ring buffer, as events that show their time and
 * order.
 *
 *   oneshot_stub()          all calls, in the instance that has started first: two
 *                           look-ups in the set, in assembly, in place of ftrace's
 *                           trampoline (trace_oneshot_stub.c).
 *   oneshot_call()          calls that the stub does not know, calls in other instances,
 *                           and calls of functions that other tracers trace, too: the same
 *                           look-ups, in C. No lock, no recursion guard, no per-CPU data:
 *                           it calls and stores nothing.
 *   oneshot_first_hit()     an address is not in the set: find the true caller,
 *                           insert, then write the event.
 *
 * Contexts. These functions run wherever a function can be traced: NMI, interrupts, idle
 * (RCU is not watching), early boot. oneshot_first_hit() may call functions that are
 * traced themselves and so come back here. This recursion ends, because an address is in
 * the set before anything else is called for it. Writing the event takes the usual
 * recursion guard. If the guard refuses, the address is in the set without an event, and
 * events_lost counts it. If several tracers trace a function, ftrace takes a recursion
 * guard of its own before it calls them. So a call in the callback of another tracer does
 * not come here if this other tracer traces the called function, too.
 *
 * Callers. A function that was tail-called finds the address of a return
 * trampoline on its stack when its caller is watched by the function graph
 * tracer, a kretprobe or an fprobe. The trampolines' addresses are never put in
 * the set, so that such calls always come to oneshot_first_hit(), which asks the
 * shadow stacks for the address that was there before.
 *
 * The worker. A set has to grow, and a call site can be turned off after its first hit
 * (trace_oneshot_retire.c). First hits do not request this work: they may be in an NMI, on
 * a CPU that goes down, or between the last interrupt and the suspension of the machine. An
 * interrupt that is requested in this last case is lost, with all other interrupts of its
 * queue. Instead, a worker runs from time to time, as long as an instance traces. Between
 * its runs, there is only a timer. Timers survive suspension, as they are in memory, and
 * hibernation, as the image has them. They move to another CPU when their CPU goes down.
 * The work itself is static and unbound: it waits for no CPU, and looks for instances, sets
 * and modules under trace_types_lock, without which none of them comes or goes. Until there
 * are workqueues, ONESHOT_BEGIN_BLOCKS suffice; then oneshot_work_init() starts the worker.
 *
 * Callbacks also run where RCU is not watching: in the idle loop, and on a CPU that comes
 * online. So before an old set is given back, and before the tracer has stopped,
 * oneshot_synchronize() waits for both a rude and an ordinary RCU-tasks grace period, and
 * until no CPU comes or goes. Nothing waits for the few functions that a CPU calls after it
 * has reported its death. If ftrace has turned itself off, it can no longer take the tracer
 * out of the functions: the set then stays in use.
 *
 * trace_oneshot_internal.h lists the other parts.
 */
#include <linux/cpu.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/rcupdate_trace.h>
#include <linux/sched.h>
#include <linux/trace_clock.h>
#include <linux/workqueue.h>

#include "trace.h"
#include "trace_output.h"
#include "trace_parent.h"
#include "trace_oneshot_internal.h"

/*
 * The worker waits ONESHOT_WORK_MS after a run with much to do. Each run with little to do
 * doubles the wait, up to ONESHOT_WORK_MS_MOST: see ONESHOT_SPARE_RECS.
 */
#define ONESHOT_WORK_MS		25
#define ONESHOT_WORK_MS_MOST	800
#define ONESHOT_WORK_MUCH	256
#define ONESHOT_WORK_LITTLE	16

/* The limit on the command line, for all instances. */
static unsigned int oneshot_boot_size;

static struct tracer_opt oneshot_opts[] = {
	/* Record callers, too */
	{ .name = "oneshot-parent", .bit = ONESHOT_OPT_PARENT },
	/* Print the addresses that the kernel was linked to */
	{ .name = "oneshot-linkaddr", .bit = ONESHOT_OPT_LINKADDR },
	/* Print symbols in trace and trace_pipe */
	{ .name = "oneshot-sym", .bit = ONESHOT_OPT_SYM },
	/* Turn off call sites that have nothing more to tell */
	{ .name = "oneshot-retire", .bit = ONESHOT_OPT_RETIRE },
	{ }
};

static struct tracer_flags oneshot_flags = {
	.val = ONESHOT_OPT_DEFAULT,
	.opts = oneshot_opts,
};

/* Like trace_function(), but returns false if the buffer is off or full. */
static bool oneshot_write_function(struct trace_buffer *buffer, unsigned long ip,
				   unsigned long parent_ip)
{
	struct ring_buffer_event *event;
	struct ftrace_entry *entry;

	event = trace_buffer_lock_reserve(buffer, TRACE_FN, sizeof(*entry), tracing_gen_ctx());
	if (!event)
		return false;

	entry = ring_buffer_event_data(event);
	entry->ip = ip;
	entry->parent_ip = parent_ip;
	trace_buffer_unlock_commit_nostack(buffer, event);
	return true;
}

/* The event has its own type, so that readers do not take a caller for a function. */
static bool oneshot_write_caller(struct trace_buffer *buffer, unsigned long ip)
{
	struct oneshot_caller_entry *entry;
	struct ring_buffer_event *event;

	event = trace_buffer_lock_reserve(buffer, TRACE_ONESHOT_CALLER, sizeof(*entry),
					  tracing_gen_ctx());
	if (!event)
		return false;

	entry = ring_buffer_event_data(event);
	entry->ip = ip;
	trace_buffer_unlock_commit_nostack(buffer, event);
	return true;
}

/**
 * oneshot_event - write the event of a first hit to the ring buffer
 * @tr: the instance
 * @set: its set
 * @kind: ONESHOT_FUNCTION or ONESHOT_CALLER
 * @ip: the function
 * @parent_ip: its caller
 *
 * Context: Any that functions are traced in; preemption is off.
 */
void oneshot_event(struct trace_array *tr, struct oneshot_set *set, unsigned int kind,
		   unsigned long ip, unsigned long parent_ip)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	bool written = false;
	int bit;

	bit = ftrace_test_recursion_trylock(ip, parent_ip);
	if (bit >= 0) {
		written = kind == ONESHOT_FUNCTION ?
			  oneshot_write_function(buffer, ip, parent_ip) :
			  oneshot_write_caller(buffer, parent_ip);
		/* Cheaper than probes in the scheduler while we trace. */
		if (written && tr->trace_flags & TRACE_ITER(RECORD_CMD))
			trace_save_cmdline(current);
		ftrace_test_recursion_unlock(bit);
	}

	if (!written)
		this_cpu_inc(set->counts->events_lost);
}

static void oneshot_count_unlisted(struct oneshot_set *set, unsigned int owner,
				   unsigned int kind)
{
	if (owner == ONESHOT_OWNER_INIT && kind == ONESHOT_FUNCTION)
		this_cpu_inc(set->counts->init.functions);
	else if (owner == ONESHOT_OWNER_INIT)
		this_cpu_inc(set->counts->init.callers);
	else if (kind == ONESHOT_FUNCTION)
		this_cpu_inc(set->counts->unknown.functions);
	else
		this_cpu_inc(set->counts->unknown.callers);
}

/**
 * oneshot_record - put an address into a set
 * @set: the set
 * @addr: the address
 * @kind: ONESHOT_FUNCTION or ONESHOT_CALLER
 * @other: the caller of a function, or the function that a caller has entered; 0 if it
 *	is not known
 * @ns: time of the hit, by the local clock, or NULL for now
 *
 * Context: Any that functions are traced in; preemption is off.
 * Return: true if the address was new, is in the set now, and has a record.
 */
bool oneshot_record(struct oneshot_set *set, unsigned long addr, unsigned int kind,
		    unsigned long other, const u64 *ns)
{
	unsigned long key = oneshot_key(addr, kind);
	enum oneshot_insert found;
	struct oneshot_rec *rec;
	unsigned int owner;
	bool listed;

	if (oneshot_set_has(set, key))
		return false;

	owner = oneshot_owner(addr);
	listed = oneshot_owner_listed(owner);
	found = oneshot_set_insert(set, key, listed ? &rec : NULL);
	if (found == ONESHOT_INSERTED && listed) {
		/* The low half of another address would stand for text. */
		rec->other = oneshot_is_text(other) ? other : 0;
		rec->tgid = current->tgid;
		BUILD_BUG_ON(sizeof(rec->comm) != sizeof(current->comm));
		/*
		 * No lock, and no function that could be traced. The name may be changing, and
		 * lack the zero at its end for a moment.
		 */
		data_race(memcpy(rec->comm, current->comm, sizeof(rec->comm)));
		rec->comm[sizeof(rec->comm) - 1] = '\0';
		oneshot_rec_publish(rec, addr, kind, ns ? *ns : trace_clock_local(), current->pid,
				    raw_smp_processor_id(), owner);
	} else if (found == ONESHOT_INSERTED) {
		oneshot_count_unlisted(set, owner, kind);
	} else if (found == ONESHOT_REFUSED && listed) {
		this_cpu_inc(set->counts->refused);
	}
	return found == ONESHOT_INSERTED && listed;
}

static noinline void oneshot_first_hit(unsigned long ip, unsigned long parent_ip,
				       struct ftrace_ops *op)
{
	struct trace_array *tr = op->private;
	struct oneshot_set *set = READ_ONCE(tr->oneshot.set);
	bool parent = READ_ONCE(tr->oneshot.flags) & ONESHOT_OPT_PARENT;
	bool hidden = trace_is_return_trampoline(parent_ip);
	bool new_function, new_caller = false;

	if (!tracer_tracing_is_on(tr))
		return;

	preempt_disable_notrace();

	/* This comes first: looking for the true caller may call traced functions. */
	new_function = oneshot_record(set, ip, ONESHOT_FUNCTION,
				      parent && !hidden ? parent_ip : 0, NULL);

	if (hidden)
		parent_ip = trace_true_parent(parent_ip);

	if (parent) {
		if (likely(!trace_is_return_trampoline(parent_ip)))
			new_caller = oneshot_record(set, parent_ip, ONESHOT_CALLER, ip, NULL);
		else
			this_cpu_inc(set->counts->parents_lost);
	}

	if (new_function)
		oneshot_event(tr, set, ONESHOT_FUNCTION, ip, parent_ip);
	if (new_caller)
		oneshot_event(tr, set, ONESHOT_CALLER, ip, parent_ip);

	preempt_enable_notrace();
}

static void oneshot_call(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct trace_array *tr = op->private;
	/* Pairs with the release in oneshot_swap(), by dependency. */
	const struct oneshot_set *set = READ_ONCE(tr->oneshot.set);

	if (likely(oneshot_set_has(set, oneshot_key(ip, ONESHOT_FUNCTION)))) {
		if (!(READ_ONCE(tr->oneshot.flags) & ONESHOT_OPT_PARENT))
			return;
		if (likely(oneshot_set_has(set, oneshot_key(parent_ip, ONESHOT_CALLER))))
			return;
	}

	oneshot_first_hit(ip, parent_ip, op);
}

static unsigned int oneshot_work_ms;

static void oneshot_work(struct work_struct *work)
{
	struct trace_array *tr;
	unsigned int done = 0;
	bool traces = false;

	guard(mutex)(&trace_types_lock);

	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		if (!tr->oneshot.registered)
			continue;
		traces = true;
		if (oneshot_set_feed(tr->oneshot.set))
			done += ONESHOT_WORK_MUCH;
		done += oneshot_retire(tr);
	}
	if (!traces)
		return;
	if (done >= ONESHOT_WORK_MUCH)
		oneshot_work_ms = ONESHOT_WORK_MS;
	else if (done < ONESHOT_WORK_LITTLE && oneshot_work_ms < ONESHOT_WORK_MS_MOST)
		oneshot_work_ms *= 2;
	/* Unbound, because turning call sites off waits for all CPUs. */
	queue_delayed_work(system_dfl_wq, to_delayed_work(work),
			   msecs_to_jiffies(oneshot_work_ms));
}

static DECLARE_DELAYED_WORK(oneshot_dwork, oneshot_work);

/**
 * oneshot_work_soon - let the worker run soon, as it has or will have work
 *
 * Called when a tracer has started, a set is new, or functions may retire now.
 */
void oneshot_work_soon(void)
{
	unsigned long at = jiffies + msecs_to_jiffies(ONESHOT_WORK_MS);

	lockdep_assert_held(&trace_types_lock);

	oneshot_work_ms = ONESHOT_WORK_MS;
	/* With ftrace=, there may be no workqueue yet: oneshot_work_init() calls this again. */
	if (!system_dfl_wq)
		return;
	/* Never delay a pending run: if this is called again and again, it would never come. */
	if (!delayed_work_pending(&oneshot_dwork) ||
	    time_after(READ_ONCE(oneshot_dwork.timer.expires), at))
		mod_delayed_work(system_dfl_wq, &oneshot_dwork, msecs_to_jiffies(ONESHOT_WORK_MS));
}

static int __init oneshot_work_init(void)
{
	guard(mutex)(&trace_types_lock);

	oneshot_work_soon();
	return 0;
}
core_initcall(oneshot_work_init);

/* Until the end of this function, oneshot_call() uses the old value. */
static int oneshot_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, int set)
{
	u32 flags = set ? old_flags | bit : old_flags & ~bit;
	int ret = oneshot_retire_may(tr, flags, tr->oneshot.retire_ms);

	if (ret)
		return ret;
	if (bit == ONESHOT_OPT_PARENT)
		oneshot_stub_set_parent(tr, set);
	if (bit == ONESHOT_OPT_RETIRE || (bit == ONESHOT_OPT_PARENT && set))
		oneshot_retire_changed(tr, flags);
	if (bit == ONESHOT_OPT_RETIRE || bit == ONESHOT_OPT_PARENT)
		oneshot_work_soon();
	WRITE_ONCE(tr->oneshot.flags, flags);
	return 0;
}

static void oneshot_print_header(struct seq_file *m)
{
}

/**
 * oneshot_open_iter - check whether the user who opens a trace may see addresses
 * @iter: the iterator for the trace
 *
 * Called for all tracers: oneshot may be the current tracer when the trace is read.
 */
void oneshot_open_iter(struct trace_iterator *iter)
{
	if (kallsyms_show_value(current_cred()))
		iter->iter_flags |= TRACE_FILE_SHOW_ADDR;
	else
		iter->iter_flags &= ~TRACE_FILE_SHOW_ADDR;
}

/**
 * oneshot_dump_iter - show addresses in a dump to the console
 * @iter: the iterator for the dump
 *
 * Context: any, also when other CPUs are stopped. No permission is checked.
 */
void oneshot_dump_iter(struct trace_iterator *iter)
{
	iter->iter_flags |= TRACE_FILE_SHOW_ADDR;
}

static enum print_line_t oneshot_print_line(struct trace_iterator *iter)
{
	bool caller = iter->ent->type == TRACE_ONESHOT_CALLER;
	struct trace_array *tr = iter->tr;
	struct trace_seq *s = &iter->seq;
	struct oneshot_place place;
	unsigned long ip;

	if (caller)
		ip = ((struct oneshot_caller_entry *)iter->ent)->ip;
	else if (iter->ent->type == TRACE_FN)
		ip = ((struct ftrace_entry *)iter->ent)->ip;
	else
		return TRACE_TYPE_UNHANDLED;

	if (tr->oneshot.flags & ONESHOT_OPT_SYM) {
		unsigned long sym_flags = tr->trace_flags & TRACE_ITER_SYM_MASK;

		/* A caller's symbol says little without the offset. */
		if (caller)
			sym_flags |= TRACE_ITER(SYM_OFFSET);
		seq_print_ip_sym(s, ip, sym_flags);
		trace_seq_putc(s, '\n');
		return trace_handle_return(s);
	}

	place = oneshot_place(tr, ip, oneshot_owner(ip), false);
	if (!(iter->iter_flags & TRACE_FILE_SHOW_ADDR))
		place.addr = 0;

	if (place.module)
		trace_seq_printf(s, "%lx %s\n", place.addr, place.module);
	else
		trace_seq_printf(s, "%0*lx\n", 2 * (int)sizeof(long), place.addr);

	return trace_handle_return(s);
}

/* Print the event of a new caller when another tracer prints the buffer. */
static enum print_line_t oneshot_caller_print(struct trace_iterator *iter, int flags,
					      struct trace_event *event)
{
	struct oneshot_caller_entry *field = (struct oneshot_caller_entry *)iter->ent;

	trace_seq_puts(&iter->seq, "oneshot_caller: ");
	seq_print_ip_sym(&iter->seq, trace_adjust_address(iter->tr, field->ip),
			 flags | TRACE_ITER(SYM_OFFSET));
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static enum print_line_t oneshot_caller_raw(struct trace_iterator *iter, int flags,
					    struct trace_event *event)
{
	struct oneshot_caller_entry *field = (struct oneshot_caller_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%lx\n", field->ip);
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions oneshot_caller_funcs = {
	.trace		= oneshot_caller_print,
	.raw		= oneshot_caller_raw,
};

static struct trace_event oneshot_caller_event = {
	.type		= TRACE_ONESHOT_CALLER,
	.funcs		= &oneshot_caller_funcs,
};

/*
 * A CPU that comes online begins to run while cpus_write_lock() is held: wait for
 * that lock. CPUs that come online later find the new set.
 */
static void oneshot_synchronize_cpus(void)
{
	cpus_read_lock();
	cpus_read_unlock();
}

/* Wait for all callbacks that are under way. */
static void oneshot_synchronize(void)
{
	oneshot_synchronize_cpus();
	synchronize_rcu_tasks_rude();
	synchronize_rcu_tasks();
}

static struct oneshot_set *oneshot_new_set(unsigned int limit)
{
	struct oneshot_set *set = oneshot_set_alloc(limit);

	if (set && oneshot_cover_modules(set)) {
		oneshot_set_put(set);
		return NULL;
	}
	return set;
}

/*
 * Give an instance another set, or NULL if no callback is left. The caller gets the old
 * set, for oneshot_set_put() after oneshot_synchronize(): callbacks may use it until then.
 */
static struct oneshot_set *oneshot_swap(struct trace_array *tr, struct oneshot_set *set)
{
	struct oneshot_set *old = tr->oneshot.set;

	lockdep_assert_held(&trace_types_lock);

	/* Pairs with the reading in oneshot_call(). */
	smp_store_release(&tr->oneshot.set, set);
	oneshot_stub_look_into(tr, set);
	return old;
}

/*
 * Sets that were replaced while calls may use them. Waiting for these calls can take long:
 * meanwhile, trace_types_lock is free, and one wait is for all of the sets. Who does not wait
 * may have ONESHOT_OLD sets here, which have some 5 MB each.
 */
#define ONESHOT_OLD	32

static LIST_HEAD(oneshot_old_tables);
static unsigned int oneshot_nr_old;

static void oneshot_free_old(struct work_struct *work)
{
	struct oneshot_table *table, *next;
	LIST_HEAD(old);

	scoped_guard(mutex, &trace_types_lock)
		list_splice_init(&oneshot_old_tables, &old);
	oneshot_synchronize();
	guard(mutex)(&trace_types_lock);
	list_for_each_entry_safe(table, next, &old, old) {
		oneshot_nr_old--;
		oneshot_set_put(&table->set);
	}
}

static DECLARE_WORK(oneshot_old_work, oneshot_free_old);

static int oneshot_replace_set(struct trace_array *tr, bool wait)
{
	struct oneshot_set *set, *old;

	guard(mutex)(&trace_types_lock);

	if (!tr->oneshot.registered) {
		oneshot_set_put(oneshot_swap(tr, NULL));
		return 0;
	}
	if (!wait && oneshot_nr_old >= ONESHOT_OLD)
		return -EAGAIN;
	set = oneshot_new_set(tr->oneshot.set->limit);
	if (!set)
		return -ENOMEM;
	/* First, or the new set would miss calls of functions that have retired. */
	oneshot_retire_rearm(tr);
	oneshot_work_soon();
	old = oneshot_swap(tr, set);
	list_add_tail(&oneshot_table(old)->old, &oneshot_old_tables);
	oneshot_nr_old++;
	queue_work(system_dfl_wq, &oneshot_old_work);
	return 0;
}

/**
 * oneshot_wait_for_old - wait until no call uses a set that oneshot_clear() has replaced
 *
 * Whoever has opened such a set can then read all of it.
 *
 * Context: May sleep; trace_types_lock is not held.
 */
void oneshot_wait_for_old(void)
{
	flush_work(&oneshot_old_work);
}

/**
 * oneshot_clear - begin a new set; no set if the tracer does not run
 * @tr: the instance
 * @wait: whether to wait for oneshot_wait_for_old()
 *
 * When this returns, all new calls use the new set.
 *
 * Context: May sleep; trace_types_lock is not held.
 * Return: 0; -ENOMEM; -EAGAIN: too many replaced sets are there, and @wait is false.
 */
int oneshot_clear(struct trace_array *tr, bool wait)
{
	int ret = oneshot_replace_set(tr, wait);

	if (!ret && wait)
		oneshot_wait_for_old();
	return ret;
}

static int oneshot_trace_init(struct trace_array *tr)
{
	struct oneshot_set *set;
	int ret;

	/* The ops is allocated with the instance, unless that failed. */
	if (!tr->ops)
		return -ENOMEM;
	/* The ops may still be registered, see oneshot_trace_reset(). */
	if (ftrace_is_dead())
		return -ENODEV;

	set = oneshot_new_set(tr->oneshot.size);
	if (!set)
		return -ENOMEM;
	oneshot_set_put(oneshot_swap(tr, set));

	ftrace_init_array_ops(tr, oneshot_call);
	tr->array_buffer.cpu = raw_smp_processor_id();
	oneshot_stub_take(tr);

	ret = register_ftrace_function(tr->ops);
	if (ret && !ftrace_is_dead()) {
		oneshot_stub_release(tr);
		ftrace_reset_array_ops(tr);
		return ret;
	}

	/* Set this even if ftrace has just turned itself off: it may have changed call sites. */
	tr->oneshot.registered = true;
	oneshot_work_soon();
	return ret;
}

static void oneshot_trace_reset(struct trace_array *tr)
{
	int ret = unregister_ftrace_function(tr->ops);

	if (ret || ftrace_is_dead()) {
		/* ftrace leaves the call sites as they are. */
		pr_warn_once("oneshot: ftrace has turned itself off: the set stays in use\n");
	} else {
		/*
		 * Unregistering a dynamic ops, as instances have, has waited for all
		 * callbacks, except on CPUs that come online.
		 */
		if (tr->ops->flags & FTRACE_OPS_FL_DYNAMIC)
			oneshot_synchronize_cpus();
		else
			oneshot_synchronize();
		oneshot_stub_release(tr);
		tr->oneshot.registered = false;
	}
	ftrace_reset_array_ops(tr);
}

void oneshot_init_array(struct trace_array *tr)
{
	tr->oneshot.flags = ONESHOT_OPT_DEFAULT;
	tr->oneshot.size = oneshot_boot_size;
}

/* Would ftrace go on calling the tracer for an instance that is removed? */
bool oneshot_is_stuck(const struct trace_array *tr)
{
	return tr->oneshot.registered && ftrace_is_dead();
}

/* The instance is being removed: its tracer has stopped, and nobody has a file open. */
void oneshot_free_array(struct trace_array *tr)
{
	oneshot_retire_changed(tr, 0);
	oneshot_set_put(oneshot_swap(tr, NULL));
}

static int __init oneshot_size_setup(char *str)
{
	unsigned int size;

	if (kstrtouint(str, 0, &size) || size > ONESHOT_MAX_RECS) {
		pr_warn("oneshot_size=%s: not a number of addresses from 0 to %u, ignored\n",
			str, ONESHOT_MAX_RECS);
		return 1;
	}

	oneshot_boot_size = size;
	return 1;
}
__setup("oneshot_size=", oneshot_size_setup);

#ifdef CONFIG_FTRACE_STARTUP_TEST
/* How many records of the function at @addr are there? */
static __init int oneshot_selftest_count(struct oneshot_set *set, unsigned long addr)
{
	u32 i, nr = oneshot_set_nr(set);
	int count = 0;

	for (i = 0; i < nr; i++) {
		struct oneshot_rec *rec = oneshot_set_rec(set, i);
		u32 meta = oneshot_rec_meta(rec);

		count += meta && oneshot_rec_addr(rec, meta) == addr &&
			 oneshot_meta_kind(meta) == ONESHOT_FUNCTION;
	}
	return count;
}

static __init int trace_selftest_startup_oneshot(struct tracer *trace, struct trace_array *tr)
{
	int save_ftrace_enabled = ftrace_enabled;
	unsigned long ip;
	int i, ret;

	if (ftrace_filter_param) {
		pr_info("oneshot: kernel command line filter set: not tested\n");
		return 0;
	}

	ftrace_enabled = 1;

	ret = tracer_init(trace, tr);
	if (ret) {
		pr_warn("oneshot: cannot start: %d\n", ret);
		goto out;
	}

	for (i = 0; i < 3; i++)
		DYN_FTRACE_TEST_NAME();

	/* Tracing is off, so this function is not recorded, although it is new. */
	tracer_tracing_off(tr);
	DYN_FTRACE_TEST_NAME2();
	tracer_tracing_on(tr);

	trace->reset(tr);

	if (!ring_buffer_entries(tr->array_buffer.buffer)) {
		pr_warn("oneshot: no events\n");
		ret = -EINVAL;
	}

	ip = ftrace_location((unsigned long)DYN_FTRACE_TEST_NAME);
	if (!ret && oneshot_selftest_count(tr->oneshot.set, ip) != 1) {
		pr_warn("oneshot: called 3 times, recorded %d times\n",
			oneshot_selftest_count(tr->oneshot.set, ip));
		ret = -EINVAL;
	}

	ip = ftrace_location((unsigned long)DYN_FTRACE_TEST_NAME2);
	if (!ret && oneshot_selftest_count(tr->oneshot.set, ip)) {
		pr_warn("oneshot: recorded while tracing was off\n");
		ret = -EINVAL;
	}

	oneshot_set_put(oneshot_swap(tr, NULL));
out:
	ftrace_enabled = save_ftrace_enabled;
	return ret;
}
#endif /* CONFIG_FTRACE_STARTUP_TEST */

static struct tracer oneshot_trace __tracer_data = {
	.name		= "oneshot",
	.init		= oneshot_trace_init,
	.reset		= oneshot_trace_reset,
	.print_header	= oneshot_print_header,
	.print_line	= oneshot_print_line,
	.default_flags	= &oneshot_flags,
	.own_flags	= true,
	.set_flag	= oneshot_set_flag,
	.allow_instances = true,
#ifdef CONFIG_FTRACE_STARTUP_TEST
	.selftest	= trace_selftest_startup_oneshot,
#endif
};

/* Its trace file has only lines of events: readers would take a header for an address. */
bool tracer_is_oneshot(const struct tracer *tracer)
{
	return tracer == &oneshot_trace;
}

__init int init_oneshot_trace(void)
{
	if (!register_trace_event(&oneshot_caller_event))
		pr_warn("oneshot: events of callers cannot be printed\n");

	return register_tracer(&oneshot_trace);
}
