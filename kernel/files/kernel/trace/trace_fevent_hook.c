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
 * The look-up: fevent_table, a flat hash from a function's address to its events,
 * at most a quarter full, probed linearly. A function may be there several times,
 * once for each event. A table is not changed: a new one is made of the list of
 * armed events, published, and the old one freed after a grace period. Only where
 * there is no memory for a new one, and an event or a module must go all the same,
 * its sites in the old one are marked as gone, which is one store each.
 *
 *	enable / perf / BPF -> fevent_reg() -> on or off the list fevent_armed
 *	                                         |  (once for a batch)
 *	                                         v
 *	                                fevent_update_hooks(): table, then ftrace
 *
 *	function -> fevent_call() -> fevent_hit() -> ring buffers, perf, BPF
 *	                                 \-> rethook ... return -> fevent_return()
 *
 * Who reads the table has preemption off and RCU watching. So events, their links
 * to instances, and tables are all freed after synchronize_rcu() or its like. When
 * RCU is not watching, nothing is recorded, but it is counted as missed; so is
 * what recursion protection refuses, and a return that no rethook node was left
 * for.
 *
 * Everything that changes is under event_mutex.
 */
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/trace_clock.h>

#include "trace_fevent.h"
#include "trace_parent.h"

/* A return event whose function is running, or sleeping, more often misses returns. */
#define FEVENT_RETURN_NODES	(64 + 2 * num_possible_cpus())

/* With these a record takes the long way through the ring buffer. */
#define FEVENT_FILE_SPECIAL	(EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_NO_SET_FILTER |	\
				 EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_TRIGGER_MODE | \
				 EVENT_FILE_FL_TRIGGER_COND | EVENT_FILE_FL_PID_FILTER)
#define FEVENT_TRACE_SPECIAL	(TRACE_ITER_STACKTRACE | TRACE_ITER_USERSTACKTRACE)

/* Records of up to this many bytes are built on the stack for BPF programs. */
#define FEVENT_STACK_RECORD	256

struct fevent_site {
	unsigned long	ip;		/* 0: the slot is empty */
	struct fevent	*fe;
};

/* The address of a site that is no longer one. */
#define FEVENT_GONE	1UL

struct fevent_table {
	struct rcu_head		rcu;
	unsigned int		bits;
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

/* Of the batch that is under way; ->fresh lists what it has armed. */
static struct {
	unsigned int		depth;
	bool			dirty;
	struct list_head	fresh;
} fevent_batch = {
	.fresh = LIST_HEAD_INIT(fevent_batch.fresh),
};

/* ---- records ---- */

static nokprobe_inline struct pt_regs *
fevent_fill_regs(const struct fevent_values *values, struct pt_regs *regs)
{
	memset(regs, 0, sizeof(*regs));
	ftrace_fill_perf_regs(values->fregs, regs);
	return regs;
}

/* A filter, a trigger, a stack trace: as for all other events. */
static void fevent_trace_long(struct fevent *fe, struct trace_event_file *file, unsigned long ip,
			      unsigned long parent_ip, const struct fevent_values *values,
			      u64 duration, struct pt_regs *regs)
{
	struct trace_event_buffer fbuffer;
	struct pt_regs entry_regs;
	int dynamic_size;

	if (trace_trigger_soft_disabled(file))
		return;
	dynamic_size = fevent_dynamic_size(fe, values);
	if (!trace_event_buffer_reserve(&fbuffer, file,
					sizeof(struct fevent_entry) + fe->tp.size + dynamic_size))
		return;
	fevent_fill(fe, fbuffer.entry, ip, parent_ip, values, duration, dynamic_size);
	fbuffer.regs = regs ?: fevent_fill_regs(values, &entry_regs);
	trace_event_buffer_commit(&fbuffer);
}

NOKPROBE_SYMBOL(fevent_trace_long);

static nokprobe_inline void fevent_trace(struct fevent *fe, struct trace_event_file *file,
					 unsigned long ip, unsigned long parent_ip,
					 const struct fevent_values *values, u64 duration,
					 struct pt_regs *regs)
{
	struct trace_array *tr = file->tr;
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	int dynamic_size = 0;

	if (unlikely((READ_ONCE(file->flags) & FEVENT_FILE_SPECIAL) ||
		     (tr->trace_flags & FEVENT_TRACE_SPECIAL))) {
		fevent_trace_long(fe, file, ip, parent_ip, values, duration, regs);
		return;
	}
	if (!fe->simple)
		dynamic_size = fevent_dynamic_size(fe, values);
	event = trace_buffer_lock_reserve(buffer, trace_probe_event_call(&fe->tp)->event.type,
					  sizeof(struct fevent_entry) + fe->tp.size + dynamic_size,
					  tracing_gen_ctx_dec());
	if (!event)
		return;
	fevent_fill(fe, ring_buffer_event_data(event), ip, parent_ip, values, duration,
		    dynamic_size);
	trace_event_commit_plain(file, buffer, event);
}

#ifdef CONFIG_PERF_EVENTS
static bool fevent_fits_stack(const struct fevent *fe)
{
	int i;

	if (sizeof(struct fevent_entry) + fe->tp.size > FEVENT_STACK_RECORD)
		return false;
	if (fe->faults_arg < 0)
		return true;
	for (i = 0; i < fe->tp.nr_args; i++) {
		if (fe->tp.args[i].dynamic)
			return false;
	}
	return true;
}

/*
 * The first 8 bytes that a BPF program of type TRACEPOINT is given are not the
 * record's but the address of registers, for its helpers. Returns whether perf is
 * to have the event, too, which is what the programs return.
 */
static bool fevent_run_bpf(struct fevent *fe, struct trace_event_call *call, unsigned long ip,
			   unsigned long parent_ip, const struct fevent_values *values,
			   u64 duration, struct pt_regs *regs)
{
	u64 record[FEVENT_STACK_RECORD / sizeof(u64)];
	struct pt_regs entry_regs;

	fevent_fill(fe, (struct fevent_entry *)record, ip, parent_ip, values, duration, 0);
	*(struct pt_regs **)record = regs ?: fevent_fill_regs(values, &entry_regs);
	return trace_call_bpf(call, record);
}

NOKPROBE_SYMBOL(fevent_run_bpf);

/*
 * libbpf opens an event on one CPU, its programs run on all: there may be programs
 * and no listener. Where there are both, programs get a record of their own, as
 * hardly ever one asks for perf to have the event.
 */
static void fevent_perf(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
			const struct fevent_values *values, u64 duration, struct pt_regs *regs)
{
	struct trace_event_call *call = trace_probe_event_call(&fe->tp);
	struct hlist_head *head = this_cpu_ptr(call->perf_events);
	bool bpf = bpf_prog_array_valid(call);
	struct fevent_entry *entry;
	struct pt_regs *entry_regs;
	int dynamic_size, size, rctx;

	if (bpf && fevent_fits_stack(fe)) {
		if (!fevent_run_bpf(fe, call, ip, parent_ip, values, duration, regs))
			return;
		bpf = false;
	}
	if (!bpf && hlist_empty(head))
		return;
	dynamic_size = fevent_dynamic_size(fe, values);
	size = ALIGN(sizeof(*entry) + fe->tp.size + dynamic_size + sizeof(u32), sizeof(u64));
	size -= sizeof(u32);
	entry = perf_trace_buf_alloc(size, &entry_regs, &rctx);
	if (!entry)
		return;
	fevent_fill(fe, entry, ip, parent_ip, values, duration, dynamic_size);
	if (!regs)
		regs = fevent_fill_regs(values, entry_regs);
	if (bpf)
		perf_trace_run_bpf_submit(entry, size, rctx, call, 1, regs, head, NULL);
	else
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
	if (flags & TP_FLAG_PROFILE)
		fevent_perf(fe, ip, parent_ip, values, duration, regs);
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

	bit = ftrace_test_recursion_trylock(ret->ip, ret->parent_ip);
	if (bit < 0) {
		atomic_long_inc(&fe->missed);
		return;
	}
	if (likely(rcu_is_watching())) {
		/* Clocks of two CPUs may disagree a little. */
		duration = trace_clock_local() - ret->start;
		fevent_deliver(fe, ret->ip, ret->parent_ip, &values, max(duration, 0LL), regs);
	} else {
		atomic_long_inc(&fe->missed);
	}
	ftrace_test_recursion_unlock(bit);
}

NOKPROBE_SYMBOL(fevent_return);

static void fevent_enter(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
			 struct ftrace_regs *fregs)
{
	struct rethook *rh = READ_ONCE(fe->rethook);
	struct fevent_return_node *ret;
	struct rethook_node *node;
	unsigned int i;

	node = rh ? rethook_try_get(rh) : NULL;
	if (!node) {
		atomic_long_inc(&fe->missed);
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

static int fevent_alloc_rethook(struct fevent *fe)
{
	struct rethook *rh;

	rh = rethook_alloc(fe, fevent_return,
			   sizeof(struct fevent_return_node) + fe->nr_saved * sizeof(long),
			   FEVENT_RETURN_NODES);
	if (IS_ERR(rh))
		return PTR_ERR(rh);
	fe->rethook = rh;
	return 0;
}

/* Nodes that are in use are freed when their functions return. */
static void fevent_free_rethook(struct fevent *fe)
{
	struct rethook *rh = fe->rethook;

	WRITE_ONCE(fe->rethook, NULL);
	if (rh)
		rethook_free(rh);
}
#else
static inline void fevent_enter(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
				struct ftrace_regs *fregs)
{
}

static inline int fevent_alloc_rethook(struct fevent *fe)
{
	return -EOPNOTSUPP;
}

static inline void fevent_free_rethook(struct fevent *fe)
{
}
#endif /* CONFIG_FUNCTION_EVENTS_RETURN */

/* ---- a call ---- */

static nokprobe_inline unsigned int fevent_hash(unsigned long ip, unsigned int bits)
{
	return hash_long(ip, bits);
}

/* The next site of a function from slot *@slot on, or NULL. */
static nokprobe_inline const struct fevent_site *
fevent_next_site(const struct fevent_table *table, unsigned long ip, unsigned int *slot)
{
	unsigned int mask = (1U << table->bits) - 1;
	const struct fevent_site *site;

	while ((site = &table->sites[(*slot)++ & mask])->ip) {
		if (site->ip == ip)
			return site;
	}
	return NULL;
}

static void fevent_count_missed(unsigned long ip)
{
	const struct fevent_site *site;
	struct fevent_table *table;
	unsigned int slot;

	preempt_disable_notrace();
	/* Without RCU a table might be freed below us. */
	table = rcu_is_watching() ? READ_ONCE(fevent_table) : NULL;
	if (table) {
		slot = fevent_hash(ip, table->bits);
		while ((site = fevent_next_site(table, ip, &slot)))
			atomic_long_inc(&site->fe->missed);
	}
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(fevent_count_missed);

static void fevent_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			struct ftrace_regs *fregs)
{
	struct fevent_values values = { .fregs = fregs };
	const struct fevent_site *site;
	struct fevent_table *table;
	unsigned int slot;
	int bit;

	bit = ftrace_test_recursion_trylock(ip, parent_ip);
	if (unlikely(bit < 0)) {
		fevent_count_missed(ip);
		return;
	}
	table = READ_ONCE(fevent_table);
	if (unlikely(!rcu_is_watching() || !table))
		goto unlock;
	if (unlikely(trace_is_return_trampoline(parent_ip)))
		parent_ip = trace_true_parent(parent_ip, fregs);
	slot = fevent_hash(ip, table->bits);
	while ((site = fevent_next_site(table, ip, &slot))) {
		if (site->fe->proto->returns)
			fevent_enter(site->fe, ip, parent_ip, fregs);
		else
			fevent_deliver(site->fe, ip, parent_ip, &values, 0, NULL);
	}
unlock:
	ftrace_test_recursion_unlock(bit);
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
	unsigned int bits = max(ilog2(roundup_pow_of_two(nr)) + 2, 4);
	struct fevent_table *table;

	table = kvzalloc(struct_size(table, sites, 1UL << bits), GFP_KERNEL);
	if (table)
		table->bits = bits;
	return table;
}

static void fevent_table_add(struct fevent_table *table, unsigned long ip, struct fevent *fe)
{
	unsigned int i = fevent_hash(ip, table->bits);
	unsigned int mask = (1U << table->bits) - 1;

	while (table->sites[i & mask].ip)
		i++;
	table->sites[i & mask].ip = ip;
	table->sites[i & mask].fe = fe;
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

static void fevent_free_table(struct fevent_table *table)
{
	if (table)
		kvfree_rcu(table, rcu);
}

/* An ops with an empty filter would be called for everything. */
static int fevent_unhook(void)
{
	struct fevent_table *table = fevent_table;
	int ret = 0;

	if (fevent_ops.flags & FTRACE_OPS_FL_ENABLED)
		ret = unregister_ftrace_function(&fevent_ops);
	WRITE_ONCE(fevent_table, NULL);
	fevent_free_table(table);
	return ret;
}

static int fevent_hook(struct fevent_table *table, unsigned long *ips, unsigned int nr)
{
	struct fevent_table *old = fevent_table;
	int ret;

	/* Events of the new table are not called before ftrace knows of them. */
	smp_store_release(&fevent_table, table);
	ret = ftrace_set_filter_ips(&fevent_ops, ips, nr, 0, 1);
	if (!ret && !(fevent_ops.flags & FTRACE_OPS_FL_ENABLED))
		ret = register_ftrace_function(&fevent_ops);
	if (ret) {
		WRITE_ONCE(fevent_table, old);
		old = table;
	}
	fevent_free_table(old);
	return ret;
}

/**
 * fevent_update_hooks - have ftrace call for the functions of all armed events
 *
 * Context: Process context, event_mutex is held, may sleep.
 * Return: 0, -ENOMEM, or what ftrace said; then all is as it was before.
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
	ret = fevent_hook(table, ips, nr);
	table = NULL;
cleanup:
	kvfree(table);
	kvfree(ips);
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

static void fevent_unlist(struct fevent *fe)
{
	list_del_init(&fe->armed);
	list_del_init(&fe->fresh);
	fevent_free_rethook(fe);
}

static int fevent_arm(struct fevent *fe)
{
	int ret;

	if (fevent_is_armed(fe))
		return 0;
	if (fe->proto->returns) {
		ret = fevent_alloc_rethook(fe);
		if (ret)
			return ret;
	}
	list_add_tail(&fe->armed, &fevent_armed);
	if (fevent_batch.depth)
		list_add_tail(&fe->fresh, &fevent_batch.fresh);
	ret = fevent_update_hooks();
	if (ret)
		fevent_unlist(fe);
	return ret;
}

/**
 * fevent_forget - make sure that nobody finds events that are not armed
 * @mod: a module whose text goes away, or NULL
 *
 * For when fevent_update_hooks() has failed: ftrace goes on calling for those
 * functions, in vain.
 *
 * Context: Process context, event_mutex is held.
 */
void fevent_forget(struct module *mod)
{
	struct fevent_table *table = fevent_table;
	struct fevent_site *site;
	unsigned int i;

	if (!table)
		return;
	for (i = 0; i < 1U << table->bits; i++) {
		site = &table->sites[i];
		if (site->ip <= FEVENT_GONE)
			continue;
		if (!fevent_is_armed(site->fe) || (mod && within_module(site->ip, mod)))
			WRITE_ONCE(site->ip, FEVENT_GONE);
	}
}

/* That ftrace cannot be told is no reason to refuse. */
static void fevent_disarm(struct fevent *fe)
{
	if (!fevent_is_armed(fe))
		return;
	fevent_unlist(fe);
	if (fevent_update_hooks())
		fevent_forget(NULL);
}

static int fevent_enable(struct fevent *fe, struct trace_event_file *file)
{
	int ret;

	if (file) {
		ret = trace_probe_add_file(&fe->tp, file);
		if (ret)
			return ret;
	} else {
		trace_probe_set_flag(&fe->tp, TP_FLAG_PROFILE);
	}
	ret = fevent_arm(fe);
	if (!ret)
		return 0;
	if (file)
		trace_probe_remove_file(&fe->tp, file);
	else
		trace_probe_clear_flag(&fe->tp, TP_FLAG_PROFILE);
	return ret;
}

static int fevent_disable(struct fevent *fe, struct trace_event_file *file)
{
	if (!file)
		trace_probe_clear_flag(&fe->tp, TP_FLAG_PROFILE);
	else if (trace_probe_remove_file(&fe->tp, file))
		return -ENOENT;
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
 * The same limits as for ftrace:function: it may be the page fault handler that is
 * traced, so nothing may be read from user space to find out who called.
 *
 * Return: 0, -EPERM or -EACCES without privileges, or -EINVAL.
 */
int fevent_perf_perm(struct trace_event_call *call, struct perf_event *p_event)
{
	u64 sample = p_event->attr.sample_type;
	int ret;

	if (p_event->parent)
		return 0;
	ret = perf_allow_tracepoint();
	if (ret)
		return ret;
	if (!is_sampling_event(p_event))
		return 0;
	if ((sample & PERF_SAMPLE_CALLCHAIN) && !p_event->attr.exclude_callchain_user)
		return -EINVAL;
	return sample & PERF_SAMPLE_STACK_USER ? -EINVAL : 0;
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
			fevent_forget(NULL);
		}
	}
	list_for_each_entry_safe(fe, tmp, &fevent_batch.fresh, fresh)
		list_del_init(&fe->fresh);
	return ret;
}
