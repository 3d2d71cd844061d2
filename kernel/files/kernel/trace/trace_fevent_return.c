// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: what happens when a function returns. The rethook node keeps the
 * values from the function's entry that the record needs.
 */
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/rethook.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/trace_clock.h>
#include <linux/workqueue.h>

#include "trace_fevent.h"
#include "trace_fevent_hook.h"

/* Nodes of the first rethook of a return event, see fevent_enter(). */
#define FEVENT_RETURN_NODES	(32 + num_possible_cpus())

/* A call whose return is an event. */
struct fevent_return_node {
	struct rethook_node	node;
	unsigned long		ip;
	unsigned long		parent_ip;
	u64			start;
	struct fevent_returned	returned;
};

/* Return events that are armed. */
static LIST_HEAD(fevent_returning);

/* Kernels without the graph tracer have return events only if they cannot suspend. */
static nokprobe_inline bool fevent_returns_paused(void)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	return atomic_read(&current->tracing_graph_pause);
#else
	return false;
#endif
}

/*
 * The image of a hibernating system has the task that makes the image, inside some functions.
 * When the image is restored, the task goes on outside of these functions. Suspending to
 * memory pauses the function graph tracer by itself. For hibernation, this tracer has a
 * notifier, but only while it traces; so have another one here.
 */
static int fevent_pm_notify(struct notifier_block *nb, unsigned long state, void *unused)
{
	if (state == PM_HIBERNATION_PREPARE)
		pause_graph_tracing();
	else if (state == PM_POST_HIBERNATION)
		unpause_graph_tracing();
	return NOTIFY_DONE;
}

static int __init fevent_pm_init(void)
{
	static struct notifier_block fevent_pm = { .notifier_call = fevent_pm_notify };

	return register_pm_notifier(&fevent_pm);
}
core_initcall(fevent_pm_init);

static void fevent_return(struct rethook_node *node, void *data, unsigned long ret_ip,
			  struct pt_regs *regs)
{
	struct fevent_return_node *ret =
		container_of(node, struct fevent_return_node, node);
	struct fevent *fe = data;
	struct fevent_values values = { .returned = &ret->returned };
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
		ret->returned.duration = max(duration, 0LL);
		ret->returned.ret = regs_return_value(regs);
		fevent_deliver(fe, ret->ip, ret->parent_ip, &values, regs);
	} else {
		fevent_miss(fe);
	}
	ftrace_test_recursion_unlock(bit);
}

NOKPROBE_SYMBOL(fevent_return);

/*
 * Add a rethook with as many nodes as the event has, or with the first nodes. A load reads
 * a whole word, even if the field is the end of the last argument; hence one word more.
 */
static int fevent_add_rethook(struct fevent *fe)
{
	unsigned int i = fe->nr_rethooks;
	struct rethook *rh;

	rh = rethook_alloc(fe, fevent_return,
			   sizeof(struct fevent_return_node) + (fe->nr_saved + 1) * sizeof(long),
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
	list_for_each_entry(fe, &fevent_returning, returning) {
		if (!READ_ONCE(fe->wants_nodes))
			continue;
		/* If there is no memory, a later call asks again. */
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

/* By an irq_work: functions are also traced where no work can be scheduled. */
static void fevent_ask_for_nodes(struct fevent *fe)
{
	if (READ_ONCE(fe->wants_nodes) || fe->nr_rethooks == ARRAY_SIZE(fe->rethooks))
		return;
	WRITE_ONCE(fe->wants_nodes, true);
	irq_work_queue(&fevent_grow_irq_work);
}

NOKPROBE_SYMBOL(fevent_ask_for_nodes);

/**
 * fevent_enter - a function with a return event is called
 * @fe: the event
 * @ip: the function
 * @parent_ip: its caller
 * @fregs: registers at its entry
 *
 * Many tasks may sleep in an event's functions. The newest rethook has as many nodes as
 * all rethooks before it. When it has none left, at least half of all nodes are in use:
 * the next rethook is added, up to FEVENT_MAX_RETHOOKS. A call without a node is missed.
 *
 * Context: Any that functions are traced in; preemption is off, recursion is guarded
 * against.
 */
void fevent_enter(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
		  struct ftrace_regs *fregs)
{
	/* Pairs with fevent_add_rethook(). */
	unsigned int nr = smp_load_acquire(&fe->nr_rethooks);
	struct fevent_return_node *ret;
	struct rethook_node *node = NULL;
	unsigned int i;

	/* The event is being armed or disarmed: nobody listens at the moment. */
	if (unlikely(!nr))
		return;
	/*
	 * objpool_push() has interrupts off, but it is not NMI-safe: it makes a node visible
	 * in two steps. An NMI that gives back a node in between could make a stale node
	 * visible. So an NMI takes none.
	 *
	 * Some calls never return: a task that suspends the machine goes on elsewhere when
	 * it is resumed. The node of such a call would stay, and a later return of the task
	 * would go to the wrong place. The function graph tracer is paused for that time.
	 */
	if (unlikely(in_nmi() || fevent_returns_paused())) {
		fevent_miss(fe);
		return;
	}
	for (i = nr; i && !node; i--)
		node = rethook_try_get(fe->rethooks[i - 1]);
	if (unlikely(i != nr - 1))
		fevent_ask_for_nodes(fe);
	if (unlikely(!node)) {
		/* If the event has been disarmed meanwhile, nothing is missed. */
		if (READ_ONCE(fe->nr_rethooks))
			fevent_miss(fe);
		return;
	}
	ret = container_of(node, struct fevent_return_node, node);
	ret->ip = ip;
	ret->parent_ip = parent_ip;
	for (i = 0; i < fe->nr_saved; i++)
		ret->returned.args[i] = ftrace_regs_get_argument(fregs, i);
	ret->start = trace_clock_local();
	/* rethook_hook() only uses registers that ftrace always saves. */
	rethook_hook(node, &arch_ftrace_regs(fregs)->regs, true);
}

NOKPROBE_SYMBOL(fevent_enter);

/**
 * fevent_free_rethooks - a return event is not armed any more
 * @fe: the event, any event
 *
 * Nodes that are in use are freed when their functions return.
 *
 * Context: Process context, event_mutex is held.
 */
void fevent_free_rethooks(struct fevent *fe)
{
	unsigned int i, nr = fe->nr_rethooks;

	WRITE_ONCE(fe->nr_rethooks, 0);
	for (i = 0; i < nr; i++)
		rethook_free(fe->rethooks[i]);
	list_del_init(&fe->returning);
}

/**
 * fevent_alloc_rethooks - a return event is going to be armed
 * @fe: the event
 *
 * Context: Process context, event_mutex is held, may sleep.
 * Return: 0 or -ENOMEM.
 */
int fevent_alloc_rethooks(struct fevent *fe)
{
	int ret;

	/* It may still be set by a call that was under way when the event was disarmed. */
	WRITE_ONCE(fe->wants_nodes, false);
	ret = fevent_add_rethook(fe) ?: fevent_add_rethook(fe);
	if (ret)
		fevent_free_rethooks(fe);
	else
		list_add_tail(&fe->returning, &fevent_returning);
	return ret;
}
