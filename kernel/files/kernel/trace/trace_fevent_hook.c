// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: what happens when a function with events is called.
 *
 * All events share one ftrace_ops. Its filter has only the functions of events that
 * someone listens to; it is not registered while nobody listens. With one ops for
 * each event, thousands of events would need thousands of trampolines, and each would
 * be enabled by a pass over all of ftrace's records. A function that a second tracer
 * traces would walk a list of all these ops. One ops needs one trampoline, and one
 * pass however many events are enabled at once. Each call needs a look-up, which costs
 * the same for one event as for thousands.
 *
 * The look-up: fevent_table is a flat hash of functions, at most half full, probed
 * linearly. The entry of a function has its first event, and a list of the others if
 * there are several. Nothing is added to a table: a new table is made from the list of
 * armed events and published, and the old one is freed after a grace period.
 *
 * Patching calls functions that may have events, many times for each site. So an event
 * must not be found while its sites are patched. An event that goes is first taken out
 * of the present table, which is one store for each function. Then ftrace's filter is
 * changed. Only then the new table is published, which has the new events.
 *
 *	enable / perf / BPF -> fevent_class_reg() -> on or off the list fevent_armed
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
 * The fast path is for a function with one event. The event has only plain register
 * arguments and one listener: an instance that has set neither filter nor trigger.
 * Outside kernel/trace, it only calls functions that could be traced to wake up a
 * reader, and to print or export a record. The ring buffer and output_printk() protect
 * these calls from recursion, so the fast path does not need ftrace's protection. BPF
 * programs do not need it either, as they have bpf_prog_active. All else runs under
 * ftrace's recursion protection.
 *
 * A reader of the table has preemption off, and RCU is watching. So events, their links
 * to instances, and tables are all freed after a grace period of RCU. Where RCU is not
 * watching, in parts of the idle loop, nothing is recorded. A call counts as missed if
 * recursion protection or a buffer refuses it, or if no rethook node is left for its
 * return.
 *
 * event_mutex protects all changes.
 */
#include <linux/context_tracking.h>
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "trace_fevent_types.h"
#include "trace_fevent_hook.h"
#include "trace_fevent_record.h"
#include "trace_parent.h"

struct fevent_site {
	unsigned long		ip;	/* 0: this entry of the hash is empty */
	struct fevent		*fe;	/* NULL: the event is gone */
	struct fevent_site	*next;	/* next event of the function, not in the hash */
};

/*
 * Probing does not wrap around: after the last entry that the hash function can give,
 * there is room for a run of all sites, and for an empty entry. After that come the
 * sites that are not the first of their functions.
 */
struct fevent_table {
	struct rcu_head		rcu;
	unsigned int		shift;
	unsigned int		nr_slots;
	unsigned int		nr_extra;
	struct fevent_site	sites[];
};

static struct fevent_table *fevent_table;
static LIST_HEAD(fevent_armed);

/* RCU's state at fevent_forget(). A grace period later, no call uses an event unarmed then. */
static unsigned long fevent_forgotten;

/* The present batch; ->fresh lists the events that it has armed. */
static struct {
	unsigned int		depth;
	bool			dirty;
	struct list_head	fresh;
} fevent_batch = {
	.fresh = LIST_HEAD_INIT(fevent_batch.fresh),
};

/* ---- a call ---- */

static nokprobe_inline unsigned long fevent_slot(const struct fevent_table *table,
						 unsigned long ip)
{
	return (ip * GOLDEN_RATIO_64) >> table->shift;
}

/* For simple events only. */
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
	/* fevent_call() and the ring buffer have disabled preemption. */
	entry = fevent_begin(fe, event, fevent_trace_ctx(2));
	entry->ip = ip;
	entry->parent_ip = parent_ip;
	fevent_fill_loads(fe, entry + 1, &arch_ftrace_regs(fregs)->regs);
	trace_event_commit_plain(file, buffer, event);
}

static nokprobe_inline bool fevent_rcu_is_watching(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	return rcu_is_watching_curr_cpu();
#else
	return rcu_is_watching();
#endif
}

/* Not inlined: its variables on the stack would give all calls a stack protector. */
static noinline unsigned long fevent_true_parent(unsigned long parent_ip)
{
	return trace_true_parent(parent_ip);
}

NOKPROBE_SYMBOL(fevent_true_parent);

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
			fevent_deliver(fe, ip, parent_ip, &values, NULL);
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
		parent_ip = fevent_true_parent(parent_ip);
	fe = READ_ONCE(site->fe);
	if (likely(fe && !site->next)) {
		file = READ_ONCE(fe->listen.fast_file);
		if (file && fevent_is_plain(file)) {
			fevent_fast(fe, file, ip, parent_ip, fregs);
			goto out;
		}
		if (fe->listen.only_perf && fevent_has_bpf(fe)) {
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

	list_for_each_entry(fe, &fevent_armed, listen.armed)
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
 * A function whose text is gone, as .init.text is after boot, has no record with ftrace
 * any more. ftrace would refuse all functions because of it.
 */
static unsigned int fevent_fill_table(struct fevent_table *table, unsigned long *ips)
{
	struct fevent *fe;
	unsigned int i, nr = 0;

	list_for_each_entry(fe, &fevent_armed, listen.armed) {
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

	/* A reader that finds the table finds it filled. */
	smp_store_release(&fevent_table, table);
	if (old)
		kvfree_rcu(old, rcu);
}

/* Unregister it: an ops with an empty filter would be called for all functions. */
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
	return !list_empty(&fe->listen.armed);
}

/**
 * fevent_forget - make sure that calls find no events that are not armed
 * @mod: a module whose text goes away: its functions are not found either; or NULL
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
 * fevent_update_hooks - let ftrace call for exactly the functions of all armed events
 *
 * Context: Process context, event_mutex is held, may sleep.
 * Return: 0, -ENOMEM, or an error of ftrace. After an error, events that are no longer
 * armed are forgotten, although ftrace may go on calling for their functions. All else
 * is as before.
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
 * fevent_wait_idle - wait until no call uses an event that nobody listens to
 * @fe: the event
 *
 * Context: Process context, may sleep.
 */
void fevent_wait_idle(struct fevent *fe)
{
	if (fe->listen.was_armed)
		cond_synchronize_rcu(fevent_forgotten);
}

static void fevent_unlist(struct fevent *fe)
{
	list_del_init(&fe->listen.armed);
	list_del_init(&fe->listen.fresh);
	fevent_stop_returns(fe);
}

/* The fast paths are for one file without perf, or for perf without files. */
static void fevent_set_fast(struct fevent *fe)
{
	struct event_file_link *link;
	struct trace_event_file *file = NULL;

	WRITE_ONCE(fe->listen.only_perf, !fe->proto->returns &&
		   trace_probe_load_flag(&fe->tp) == TP_FLAG_PROFILE);
	if (fe->layout.simple && !fe->proto->returns && trace_probe_has_single_file(&fe->tp) &&
	    !trace_probe_test_flag(&fe->tp, TP_FLAG_PROFILE)) {
		link = list_first_entry(&fe->tp.event->files, struct event_file_link, list);
		file = link->file;
	}
	WRITE_ONCE(fe->listen.fast_file, file);
}

static int fevent_arm(struct fevent *fe)
{
	int ret;

	if (fevent_is_armed(fe))
		return 0;
	if (fe->proto->returns) {
		ret = fevent_start_returns(fe);
		if (ret)
			return ret;
	}
	fe->listen.was_armed = true;
	list_add_tail(&fe->listen.armed, &fevent_armed);
	if (fevent_batch.depth)
		list_add_tail(&fe->listen.fresh, &fevent_batch.fresh);
	ret = fevent_update_hooks();
	if (ret)
		fevent_unlist(fe);
	return ret;
}

/* This succeeds even if ftrace's filter cannot be changed. */
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
		ret = fevent_perf_init();
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
 * fevent_class_reg - a trace_event_class's reg()
 * @call: the event
 * @type: what to do
 * @data: the trace_event_file to enable or disable, else unused
 *
 * Context: Process context, event_mutex is held, may sleep.
 * Return: 0 or a negative errno.
 */
int fevent_class_reg(struct trace_event_call *call, enum trace_reg type, void *data)
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

/* ---- many at once ---- */

/**
 * fevent_batch_begin - begin to enable or disable several events
 *
 * Until fevent_batch_end(), these changes are only noted. Batches may nest.
 *
 * Context: Process context, event_mutex is held.
 */
void fevent_batch_begin(void)
{
	lockdep_assert_held(&event_mutex);
	fevent_batch.depth++;
}

/* Events that could not be armed must not look enabled. */
static void fevent_batch_undo(void)
{
	struct event_file_link *link, *next;
	struct fevent *fe, *tmp;

	list_for_each_entry_safe(fe, tmp, &fevent_batch.fresh, listen.fresh) {
		list_for_each_entry_safe(link, next, &fe->tp.event->files, list)
			trace_event_enable_disable(link->file, 0, 0);
		/* With a file in soft mode, the event stays enabled, but it is not armed. */
		if (fevent_is_armed(fe))
			fevent_unlist(fe);
	}
}

/**
 * fevent_batch_end - make the changes that were noted since fevent_batch_begin()
 *
 * Context: Process context, event_mutex is held, may sleep.
 * Return: 0, or a negative errno if the events could not be enabled: then none is enabled.
 */
int fevent_batch_end(void)
{
	struct fevent *fe, *tmp;
	bool enabling;
	int ret = 0;

	lockdep_assert_held(&event_mutex);
	if (--fevent_batch.depth)
		return 0;
	enabling = !list_empty(&fevent_batch.fresh);
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
	list_for_each_entry_safe(fe, tmp, &fevent_batch.fresh, listen.fresh)
		list_del_init(&fe->listen.fresh);
	/* Disabling has succeeded anyway: calls that go on cost time, but do nothing. */
	return enabling ? ret : 0;
}

/* For code that enables many events: ftrace then passes over the text once. */
const struct trace_event_batch fevent_batch_ops = {
	.begin	= fevent_batch_begin,
	.end	= fevent_batch_end,
};
