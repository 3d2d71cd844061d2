// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: what happens when a function returns. The rethook node keeps the
 * values from the function's entry that the record needs.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/rethook.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/trace_clock.h>
#include <linux/workqueue.h>

#include "trace_fevent_types.h"
#include "trace_fevent_hook.h"

/*
 * All events take their nodes from the same rethooks: a rethook has, for each possible
 * CPU, a list with room for all of its nodes. So the number of nodes only grows with the
 * first 64 CPUs. The newest rethook has as many nodes as all rethooks before it. A call
 * that finds it empty only sets fevent_wants_nodes: the call may be where nobody can be
 * woken. A worker looks at this flag from time to time, as long as a return event is
 * armed, and adds the next rethook.
 */
#define FEVENT_RETURN_NODES	(256 + 4 * min(num_possible_cpus(), 64U))
#define FEVENT_GROW_MS		50

/* Together, they have 2 ^ 9 times as many nodes as the first rethook. */
static struct rethook *fevent_rethooks[10];
static unsigned int fevent_nr_rethooks;
static bool fevent_wants_nodes;

/*
 * A return event that is armed. Calls that have not returned point to this, for an
 * unlimited time. So it is never freed, but used again, with another number.
 */
struct fevent_returning {
	struct list_head	unused;
	struct fevent		*fe;
	unsigned int		number;
};

static LIST_HEAD(fevent_unused);
static unsigned int fevent_nr_returning;

/* A call whose return will be recorded. */
struct fevent_return_node {
	struct rethook_node	node;
	struct fevent_returning	*returning;
	unsigned int		number;
	unsigned long		ip;
	unsigned long		parent_ip;
	u64			start;
	struct fevent_returned	returned;
};

static bool fevent_hibernating;

/* Kernels without the graph tracer have return events only if they cannot suspend. */
static nokprobe_inline bool fevent_returns_paused(void)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (atomic_read(&current->tracing_graph_pause))
		return true;
#endif
	return READ_ONCE(fevent_hibernating);
}

/*
 * The image of a hibernating system has the task that makes the image, inside some functions.
 * When the image is restored, the task goes on outside of these functions. Suspending to
 * memory pauses the function graph tracer for its task. For hibernation, pause all tasks: one
 * task may begin it, and another one end it.
 */
static int fevent_pm_notify(struct notifier_block *nb, unsigned long state, void *unused)
{
	if (state == PM_HIBERNATION_PREPARE || state == PM_POST_HIBERNATION)
		WRITE_ONCE(fevent_hibernating, state == PM_HIBERNATION_PREPARE);
	return NOTIFY_DONE;
}

static void fevent_return(struct rethook_node *node, void *data, unsigned long ret_ip,
			  struct pt_regs *regs)
{
	struct fevent_return_node *ret =
		container_of(node, struct fevent_return_node, node);
	struct fevent_values values = { .returned = &ret->returned };
	struct fevent *fe;
	s64 duration;
	int bit;

	/* Without RCU, the event could be freed. No function that can be traced returns there. */
	if (unlikely(!rcu_is_watching()))
		return;
	fe = READ_ONCE(ret->returning->fe);
	/* Pairs with fevent_stop_returns(). */
	smp_rmb();
	if (unlikely(!fe || READ_ONCE(ret->returning->number) != ret->number))
		return;
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
 * Add a rethook with as many nodes as all rethooks have, or the first rethook. A load reads
 * a whole word, even if the field is the end of the last argument; hence one word more.
 */
static int fevent_add_rethook(void)
{
	unsigned int i = fevent_nr_rethooks;
	struct rethook *rh;

	rh = rethook_alloc(NULL, fevent_return,
			   sizeof(struct fevent_return_node) + (FEVENT_MAX_ARGS + 1) * sizeof(long),
			   FEVENT_RETURN_NODES << max_t(int, i - 1, 0));
	if (IS_ERR(rh))
		return PTR_ERR(rh);
	fevent_rethooks[i] = rh;
	/* Pairs with fevent_enter(). */
	smp_store_release(&fevent_nr_rethooks, i + 1);
	return 0;
}

static void fevent_grow(struct work_struct *work);
static DECLARE_DELAYED_WORK(fevent_grow_work, fevent_grow);

/* Unbound: it may wait for event_mutex, and leaves the CPU that armed an event alone. */
static void fevent_grow_soon(void)
{
	queue_delayed_work(system_dfl_wq, &fevent_grow_work, msecs_to_jiffies(FEVENT_GROW_MS));
}

static void fevent_grow(struct work_struct *work)
{
	if (READ_ONCE(fevent_wants_nodes)) {
		guard(mutex)(&event_mutex);
		/* If there is no memory, a later call asks again. */
		if (fevent_nr_returning && fevent_nr_rethooks < ARRAY_SIZE(fevent_rethooks))
			fevent_add_rethook();
		WRITE_ONCE(fevent_wants_nodes, false);
	}
	/* Whoever arms the first event queues this work after the event is counted. */
	if (READ_ONCE(fevent_nr_returning))
		fevent_grow_soon();
}

static int __init fevent_return_init(void)
{
	static struct notifier_block fevent_pm = { .notifier_call = fevent_pm_notify };

	/* For events of the command line. */
	fevent_grow_soon();
	return register_pm_notifier(&fevent_pm);
}
core_initcall(fevent_return_init);

/**
 * fevent_enter - hook the return of a function that has a return event
 * @fe: the event
 * @ip: the function
 * @parent_ip: its caller
 * @fregs: registers at its entry
 *
 * Many tasks may sleep in an event's functions. When the newest rethook has no node left,
 * at least half of all nodes are in use: the next rethook is added soon. A call without
 * a node is missed.
 *
 * Context: Any that functions are traced in; preemption is off, recursion is guarded
 * against.
 */
void fevent_enter(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
		  struct ftrace_regs *fregs)
{
	/* Pairs with fevent_add_rethook(). */
	unsigned int nr = smp_load_acquire(&fevent_nr_rethooks);
	struct fevent_returning *returning = READ_ONCE(fe->returning);
	struct fevent_return_node *ret;
	struct rethook_node *node = NULL;
	unsigned int i, number;

	/* The event is being armed or disarmed: nobody listens at the moment. */
	if (unlikely(!returning || !nr))
		return;
	number = READ_ONCE(returning->number);
	/* Pairs with fevent_stop_returns(): the number is not that of another event. */
	smp_rmb();
	if (unlikely(READ_ONCE(returning->fe) != fe))
		return;
	/*
	 * objpool_push() has interrupts off, but it is not NMI-safe: it makes a node visible
	 * in two steps. An NMI that gives back a node in between could make a stale node
	 * visible. So an NMI takes no node.
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
		node = rethook_try_get(fevent_rethooks[i - 1]);
	if (unlikely(i + 1 != nr && !READ_ONCE(fevent_wants_nodes)))
		WRITE_ONCE(fevent_wants_nodes, true);
	if (unlikely(!node)) {
		/* If the event has been disarmed meanwhile, nothing is missed. */
		if (READ_ONCE(fe->returning))
			fevent_miss(fe);
		return;
	}
	ret = container_of(node, struct fevent_return_node, node);
	ret->returning = returning;
	ret->number = number;
	ret->ip = ip;
	ret->parent_ip = parent_ip;
	for (i = 0; i < fe->layout.nr_saved; i++)
		ret->returned.args[i] = ftrace_regs_get_argument(fregs, i);
	ret->start = trace_clock_local();
	/* rethook_hook() only uses registers that ftrace always saves. */
	rethook_hook(node, &arch_ftrace_regs(fregs)->regs, true);
}

NOKPROBE_SYMBOL(fevent_enter);

/**
 * fevent_stop_returns - forget the calls of a return event that is not armed any more
 * @fe: any event
 *
 * When no return event is left, the nodes of calls that have not returned are freed
 * when these calls return.
 *
 * Context: Process context, event_mutex is held.
 */
void fevent_stop_returns(struct fevent *fe)
{
	struct fevent_returning *returning = fe->returning;
	unsigned int nr = fevent_nr_rethooks;

	if (!returning)
		return;
	WRITE_ONCE(fe->returning, NULL);
	WRITE_ONCE(returning->number, returning->number + 1);
	/* Pairs with fevent_return(): who finds another event finds another number. */
	smp_wmb();
	WRITE_ONCE(returning->fe, NULL);
	list_add(&returning->unused, &fevent_unused);
	WRITE_ONCE(fevent_nr_returning, fevent_nr_returning - 1);
	if (fevent_nr_returning)
		return;
	WRITE_ONCE(fevent_nr_rethooks, 0);
	while (nr)
		rethook_free(fevent_rethooks[--nr]);
}

/**
 * fevent_start_returns - prepare a return event that is going to be armed
 * @fe: the event
 *
 * Context: Process context, event_mutex is held, may sleep.
 * Return: 0 or -ENOMEM.
 */
int fevent_start_returns(struct fevent *fe)
{
	struct fevent_returning *returning;

	returning = list_first_entry_or_null(&fevent_unused, struct fevent_returning, unused);
	if (returning)
		list_del(&returning->unused);
	else
		returning = kzalloc(sizeof(*returning), GFP_KERNEL);
	if (!returning)
		return -ENOMEM;
	WRITE_ONCE(returning->fe, fe);
	/* Pairs with the reading in fevent_enter(), by dependency. */
	smp_store_release(&fe->returning, returning);
	/* A call of an event that is gone may have set it. */
	if (!fevent_nr_returning)
		WRITE_ONCE(fevent_wants_nodes, false);
	WRITE_ONCE(fevent_nr_returning, fevent_nr_returning + 1);
	if (fevent_nr_returning == 1 && (fevent_add_rethook() || fevent_add_rethook())) {
		fevent_stop_returns(fe);
		return -ENOMEM;
	}
	/* Earlier, there are no timers: fevent_return_init() queues the work. */
	if (system_state >= SYSTEM_SCHEDULING)
		fevent_grow_soon();
	return 0;
}
