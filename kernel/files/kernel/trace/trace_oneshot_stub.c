// SPDX-License-Identifier: GPL-2.0
/*
 * oneshot tracer: the stub. Nearly all calls end there.
 *
 * An ops may bring its own trampoline. ftrace calls it from functions that no other
 * ops traces. The stub, in ftrace_64.S, does what oneshot_call() does, but it saves
 * no registers: it only uses two that pass no arguments to functions. It looks up
 * the function, and its caller if callers are recorded, and returns if the set has
 * both. Otherwise it saves registers as ftrace's own trampoline does, and calls the
 * ops' ->func. If processes are filtered, ->func is ftrace's filter. A known address
 * needs no filter.
 *
 * There is only one stub, so one instance at a time has it: the first that starts
 * the tracer.
 *
 * Everything runs under trace_types_lock, except the stub and oneshot_long_way().
 */
#include <linux/ftrace.h>

#include "trace.h"
#include "trace_oneshot_internal.h"

/* What the stub reads: the instance's set, ops, and option. */
const struct oneshot_set *oneshot_stub_set __read_mostly;
struct ftrace_ops *oneshot_stub_ops __read_mostly;
bool oneshot_stub_parent __read_mostly;

/* The instance that has the stub, and the trampoline that its ops had from ftrace, if any. */
static struct trace_array *oneshot_stub_user;
static unsigned long oneshot_stub_replaced;
static unsigned long oneshot_stub_replaced_size;

static bool oneshot_stub_wanted __ro_after_init = true;

/**
 * oneshot_long_way - called by the stub when an address is not in the set
 * @ip: the function
 * @parent_ip: its caller
 * @op: oneshot_stub_ops
 * @fregs: registers
 *
 * Context: Any that functions are traced in.
 */
void oneshot_long_way(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		      struct ftrace_regs *fregs)
{
	ftrace_func_t func = READ_ONCE(op->func);

	/* The stub relies on this. */
	static_assert(ONESHOT_CHUNK_SHIFT == 20 && ONESHOT_SITE_BYTES == MCOUNT_INSN_SIZE);
	static_assert(!offsetof(struct oneshot_set, map));

	func(ip, parent_ip, op, fregs);
}

/**
 * oneshot_stub_look_into - have the stub look into a set
 * @tr: the instance of the set; nothing happens unless it has the stub
 * @set: the set; NULL if the stub is not called any more
 *
 * Calls may use the former set until the end of oneshot_synchronize().
 */
void oneshot_stub_look_into(struct trace_array *tr, const struct oneshot_set *set)
{
	if (tr != oneshot_stub_user)
		return;
	/* Pairs with the stub, by dependency. */
	smp_store_release(&oneshot_stub_set, set);
}

/**
 * oneshot_stub_set_parent - tell the stub whether callers are recorded
 * @tr: the instance; nothing happens unless it has the stub
 * @parent: whether the instance records callers
 */
void oneshot_stub_set_parent(struct trace_array *tr, bool parent)
{
	if (tr == oneshot_stub_user)
		WRITE_ONCE(oneshot_stub_parent, parent);
}

/**
 * oneshot_stub_take - let an instance have the stub, if nobody has it
 * @tr: the instance, which has a set, and whose ops is about to be registered
 */
void oneshot_stub_take(struct trace_array *tr)
{
	struct ftrace_ops *ops = tr->ops;

	lockdep_assert_held(&trace_types_lock);

	if (oneshot_stub_user || !oneshot_stub_wanted)
		return;
	oneshot_stub_user = tr;
	oneshot_stub_ops = ops;
	oneshot_stub_look_into(tr, tr->oneshot.set);
	oneshot_stub_set_parent(tr, tr->oneshot.flags & ONESHOT_OPT_PARENT);

	/* ftrace keeps the trampoline of a static ops; the function tracer may have left one. */
	oneshot_stub_replaced = ops->trampoline;
	oneshot_stub_replaced_size = ops->trampoline_size;
	ops->flags &= ~FTRACE_OPS_FL_ALLOC_TRAMP;
	ops->trampoline = (unsigned long)oneshot_stub;
	ops->trampoline_size = 0;
}

/**
 * oneshot_stub_release - an instance does not need the stub any more
 * @tr: the instance; its ops is no longer called. It need not have the stub.
 */
void oneshot_stub_release(struct trace_array *tr)
{
	struct ftrace_ops *ops = tr->ops;

	if (tr != oneshot_stub_user)
		return;
	ops->trampoline = oneshot_stub_replaced;
	ops->trampoline_size = oneshot_stub_replaced_size;
	if (oneshot_stub_replaced)
		ops->flags |= FTRACE_OPS_FL_ALLOC_TRAMP;
	oneshot_stub_user = NULL;
}

static int __init oneshot_stub_setup(char *str)
{
	if (kstrtobool(str, &oneshot_stub_wanted))
		pr_warn("oneshot_stub=%s: neither on nor off, ignored\n", str);
	return 1;
}
__setup("oneshot_stub=", oneshot_stub_setup);
