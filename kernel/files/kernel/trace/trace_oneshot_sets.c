// SPDX-License-Identifier: GPL-2.0
/*
 * oneshot tracer: the sets of its instances, from their allocation to their end.
 *
 * A set is kept when the tracer stops, so that it can be read at
 * leisure, and is replaced when the tracer starts again or when 0 is written to
 * oneshot_seen. Callbacks run also where RCU does not watch: stopping waits for
 * them by both a rude and an ordinary RCU-tasks grace period, and so does
 * replacing a set that is in use, before it is freed. Replacing, reading and
 * forgetting hold trace_types_lock. When ftrace has turned itself off, it cannot
 * take the tracer out of the functions any more: then a set stays in use.
 */
#include <linux/ftrace.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/rcupdate_trace.h>
#include <linux/vmalloc.h>

#include "trace.h"
#include "trace_oneshot_internal.h"

/*
 * A kernel has some 4.4 call instructions for each function that can be traced
 * (119,000 for 27,000, x86-64), and not all of them call such a function.
 */
#define ONESHOT_ADDRS_PER_2_FUNCTIONS	11

/* Slots asked for on the command line, for all instances. */
static unsigned int oneshot_boot_size;

#ifdef CONFIG_ONESHOT_TRACER_STATIC
#define ONESHOT_STATIC_SHIFT	CONFIG_ONESHOT_TRACER_SHIFT
/* As oneshot_set_bytes(), which the compiler cannot evaluate here. */
#define ONESHOT_STATIC_BYTES						\
	(sizeof(struct oneshot_set) +					\
	 (1UL << ONESHOT_STATIC_SHIFT) * sizeof(unsigned long) +	\
	 (1UL << ONESHOT_STATIC_SHIFT) / 4 * 3 * sizeof(struct oneshot_rec))

static unsigned long oneshot_static_mem[ONESHOT_STATIC_BYTES / sizeof(unsigned long)]
	__aligned(__alignof__(struct oneshot_set));
static bool oneshot_static_used;

static struct oneshot_set *oneshot_set_alloc_static(unsigned int shift)
{
	struct oneshot_set *set = (struct oneshot_set *)oneshot_static_mem;

	if (oneshot_static_used || shift != ONESHOT_STATIC_SHIFT)
		return NULL;

	oneshot_static_used = true;
	memset(set, 0, ONESHOT_STATIC_BYTES);
	return set;
}

static bool oneshot_set_free_static(struct oneshot_set *set)
{
	if (set != (struct oneshot_set *)oneshot_static_mem)
		return false;

	oneshot_static_used = false;
	return true;
}
#else
static struct oneshot_set *oneshot_set_alloc_static(unsigned int shift)
{
	return NULL;
}

static bool oneshot_set_free_static(struct oneshot_set *set)
{
	return false;
}
#endif

/**
 * oneshot_set_alloc - allocate an empty set
 * @shift: log2 of its slots
 *
 * Return: the set, for oneshot_set_free(), or NULL.
 */
struct oneshot_set *oneshot_set_alloc(unsigned int shift)
{
	struct oneshot_set *set = oneshot_set_alloc_static(shift);

	/* Looked up on every call: huge pages spare the TLB. */
	if (!set)
		set = vmalloc_huge(oneshot_set_bytes(shift), GFP_KERNEL | __GFP_ZERO);
	if (set)
		oneshot_set_init(set, shift);
	return set;
}

/**
 * oneshot_set_free - free a set that nobody uses any more
 * @set: from oneshot_set_alloc()
 */
void oneshot_set_free(struct oneshot_set *set)
{
	if (!oneshot_set_free_static(set))
		vfree(set);
}

/* log2 of the number of slots for the next set of @tr. */
static unsigned int oneshot_next_shift(struct trace_array *tr)
{
	unsigned int shift;

	if (tr->oneshot.size)
		shift = order_base_2(tr->oneshot.size);
	else if (CONFIG_ONESHOT_TRACER_SHIFT)
		shift = CONFIG_ONESHOT_TRACER_SHIFT;
	else
		shift = oneshot_set_shift_for(ftrace_update_tot_cnt *
					      ONESHOT_ADDRS_PER_2_FUNCTIONS / 2);

	return clamp(shift, ONESHOT_MIN_SHIFT, ONESHOT_MAX_SHIFT);
}

/**
 * oneshot_synchronize - wait for all callbacks that are under way
 *
 * They run where RCU is not watching, and may be preempted.
 */
void oneshot_synchronize(void)
{
	synchronize_rcu_tasks_rude();
	synchronize_rcu_tasks();
}

/**
 * oneshot_swap - give an instance another set
 * @tr: the instance
 * @set: its new set
 *
 * Callbacks go on with the old one until they see the new one, which all do when this
 * returns.
 *
 * Return: the old one.
 */
struct oneshot_set *oneshot_swap(struct trace_array *tr, struct oneshot_set *set)
{
	struct oneshot_set *old = tr->oneshot.set;

	lockdep_assert_held(&trace_types_lock);

	/* Pairs with the reading in oneshot_call(). */
	smp_store_release(&tr->oneshot.set, set);
	tr->oneshot.generation++;
	if (tr->oneshot.registered)
		oneshot_synchronize();
	return old;
}

/**
 * oneshot_replace - have an instance begin anew
 * @tr: the instance
 * @set: its new set, or NULL if no callback is left
 */
void oneshot_replace(struct trace_array *tr, struct oneshot_set *set)
{
	struct oneshot_set *old = oneshot_swap(tr, set);
	int cpu;

	memset(&tr->oneshot.init, 0, sizeof(tr->oneshot.init));
	memset(&tr->oneshot.unknown, 0, sizeof(tr->oneshot.unknown));
	if (tr->oneshot.lost) {
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(tr->oneshot.lost, cpu), 0, sizeof(*tr->oneshot.lost));
	}

	if (old)
		oneshot_set_free(old);
}

/**
 * oneshot_renew - have an instance begin anew with a set of the size asked for
 * @tr: the instance, no callback uses its set
 *
 * Return: 0 or -ENOMEM.
 */
int oneshot_renew(struct trace_array *tr)
{
	struct oneshot_set *set;

	if (!tr->oneshot.lost)
		tr->oneshot.lost = alloc_percpu(struct oneshot_lost);
	if (!tr->oneshot.lost)
		return -ENOMEM;

	set = oneshot_set_alloc(oneshot_next_shift(tr));
	if (!set)
		return -ENOMEM;

	oneshot_replace(tr, set);
	return 0;
}

void oneshot_init_array(struct trace_array *tr)
{
	tr->oneshot.flags = ONESHOT_OPT_PARENT;
	tr->oneshot.size = oneshot_boot_size;
}

/* Would the tracer be called for an instance that goes away? */
bool oneshot_is_stuck(const struct trace_array *tr)
{
	return tr->oneshot.registered && ftrace_is_dead();
}

/* The instance goes away: its tracer has been stopped, and nobody has a file open. */
void oneshot_free_array(struct trace_array *tr)
{
	oneshot_replace(tr, NULL);
	free_percpu(tr->oneshot.lost);
}

static int __init oneshot_size_setup(char *str)
{
	unsigned int size;

	if (kstrtouint(str, 0, &size) || size > 1U << ONESHOT_MAX_SHIFT) {
		pr_warn("oneshot_size=%s: not a number of slots from 0 to %u, ignored\n",
			str, 1U << ONESHOT_MAX_SHIFT);
		return 1;
	}

	oneshot_boot_size = size;
	return 1;
}
__setup("oneshot_size=", oneshot_size_setup);
