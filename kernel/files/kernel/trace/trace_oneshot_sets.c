// SPDX-License-Identifier: GPL-2.0
/*
 * oneshot tracer: the sets of its instances, from their allocation to their end.
 *
 * A set is kept when the tracer stops, so that it can be read later. It is replaced
 * when the tracer starts again or when 0 is written to oneshot_seen. Callbacks also
 * run where RCU is not watching: in the idle loop, and on a CPU that comes online. So
 * stopping waits for both a rude and an ordinary RCU-tasks grace period, and until no
 * CPU comes or goes. So does replacing a set that is in use, before the old set is
 * freed. Replacing, reading, growing and forgetting hold trace_types_lock.
 * If ftrace has turned itself off, it can no longer take the tracer out of the
 * functions: the set then stays in use.
 *
 * A new set has chunks for all text that is loaded, and ONESHOT_BEGIN_BLOCKS blocks
 * of records. The chunks of a module are added before its code runs. When records
 * run short, the context that has taken one kicks a worker, which adds blocks. It
 * may be an NMI, so it kicks by irq_work, as pid_list does. An address that finds no
 * room meanwhile is refused, counted, and recorded at a later call. Nobody announces
 * the code of JIT compilers: its chunk is added after the set has refused an address
 * of it.
 */
#include <linux/cpu.h>
#include <linux/irq_work.h>
#include <linux/kmemleak.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/rcupdate_trace.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <asm/sections.h>

#include "trace.h"
#include "trace_oneshot_internal.h"

/*
 * 32,768 records: twice as many as a boot finds before the worker can run. The
 * worker is woken when half of them are left. It runs before a storm of first hits
 * fills that half (12,000 in a second, when all functions begin to be traced).
 */
#define ONESHOT_BEGIN_BLOCKS	8
#define ONESHOT_LOW_RECS	(ONESHOT_BEGIN_BLOCKS / 2 * ONESHOT_BLOCK_RECS)

/* The limit on the command line, for all instances. */
static unsigned int oneshot_boot_size;

/* There are workqueues, and interrupts to wake their workers from. */
static bool oneshot_can_kick __read_mostly;
/* The worker has been kicked and has not begun. */
static unsigned int oneshot_kicked;

/* The chunk that all missing chunks share: one page, mapped many times. Never freed. */
static void *oneshot_zeros(void)
{
	struct page *pages[ONESHOT_CHUNK_BYTES / PAGE_SIZE];
	static void *zeros;
	unsigned int i;

	lockdep_assert_held(&trace_types_lock);

	if (zeros)
		return zeros;
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		pages[i] = ZERO_PAGE(0);
	zeros = vmap(pages, ARRAY_SIZE(pages), VM_MAP, PAGE_KERNEL_RO);
	return zeros;
}

/**
 * oneshot_set_cover - add the missing chunks for the bits of some text
 * @set: the set
 * @start: where the text begins
 * @size: its bytes
 *
 * Context: May sleep.
 * Return: 0; -ENOMEM, and then the chunks that have been added stay.
 */
int oneshot_set_cover(struct oneshot_set *set, unsigned long start, unsigned long size)
{
	unsigned long chunk = 1UL << ONESHOT_CHUNK_SHIFT;
	unsigned long addr;
	void *bits;

	lockdep_assert_held(&trace_types_lock);

	if (!size)
		return 0;
	for (addr = round_down(start, chunk); addr < start + size; addr += chunk) {
		if (!oneshot_set_lacks_chunk(set, addr))
			continue;
		/* Looked up on every call: contiguous pages spare the TLB. */
		bits = kvzalloc(ONESHOT_CHUNK_BYTES, GFP_KERNEL);
		if (!bits)
			return -ENOMEM;
		/* The set only has the address with a bias, see oneshot_bias(). */
		kmemleak_not_leak(bits);
		oneshot_set_add_chunk(set, addr, bits);
	}
	return 0;
}

/* Add blocks until there is room for @recs more records, or the limit is reached. */
static int oneshot_set_grow(struct oneshot_set *set, u32 recs)
{
	void *block;

	while (oneshot_set_spare(set) < recs && set->room < set->limit) {
		block = kvzalloc(ONESHOT_BLOCK_BYTES, GFP_KERNEL);
		if (!block)
			return -ENOMEM;
		oneshot_set_add_block(set, block);
	}
	return 0;
}

/**
 * oneshot_set_free - free a set that nobody uses any more
 * @set: from oneshot_set_alloc(), or NULL
 */
void oneshot_set_free(struct oneshot_set *set)
{
	unsigned int i;

	if (!set)
		return;
	for (i = 0; i < ONESHOT_CHUNKS; i++)
		kvfree(oneshot_set_chunk(set, i));
	for (i = 0; i < set->nr_blocks; i++)
		kvfree(set->blocks[i]);
	free_percpu(set->counts);
	vfree(set);
}

/**
 * oneshot_set_alloc - allocate an empty set
 * @limit: the largest number of records, 0 for ONESHOT_MAX_RECS
 *
 * Return: the set, for oneshot_set_free(), or NULL.
 */
struct oneshot_set *oneshot_set_alloc(unsigned int limit)
{
	const void *zeros = oneshot_zeros();
	struct oneshot_set *set;

	if (!zeros)
		return NULL;
	set = vzalloc(sizeof(*set));
	if (!set)
		return NULL;
	oneshot_set_init(set, zeros, limit ?: ONESHOT_MAX_RECS);
	set->counts = alloc_percpu(struct oneshot_counts);

	if (!set->counts ||
	    oneshot_set_cover(set, (unsigned long)_stext, _etext - _stext) ||
	    oneshot_set_cover(set, (unsigned long)_sinittext, _einittext - _sinittext) ||
	    oneshot_cover_modules(set) ||
	    oneshot_set_grow(set, ONESHOT_BEGIN_BLOCKS * ONESHOT_BLOCK_RECS)) {
		oneshot_set_free(set);
		return NULL;
	}
	return set;
}

static void oneshot_grow(struct work_struct *work)
{
	struct trace_array *tr;
	struct oneshot_set *set;
	u32 wanted;

	guard(mutex)(&trace_types_lock);

	/* Clear it before looking for work: a later kick then runs the worker once more. */
	xchg(&oneshot_kicked, 0);
	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		set = tr->oneshot.set;
		if (!set)
			continue;
		/* Without memory, the next first hit asks again. */
		oneshot_set_grow(set, ONESHOT_LOW_RECS + ONESHOT_BLOCK_RECS);
		wanted = xchg(&set->wanted, 0);
		if (wanted)
			oneshot_set_cover(set, (wanted - 1UL) << ONESHOT_CHUNK_SHIFT, 1);
	}
}

static DECLARE_WORK(oneshot_grow_work, oneshot_grow);

static void oneshot_kick(struct irq_work *work)
{
	schedule_work(&oneshot_grow_work);
}

static DEFINE_IRQ_WORK(oneshot_kick_work, oneshot_kick);

/**
 * oneshot_may_kick - may a worker be woken by an irq_work?
 *
 * Context: any, NMI included; preemption is off.
 * Return: false early in the boot; false where RCU is not watching, as raising an
 *	interrupt may be traced by code that needs RCU; false on a CPU that is coming
 *	or going. A CPU that goes takes no more interrupts: the irq_work would stay in
 *	its queue while it is off and longer, and so would all that is queued after.
 */
bool oneshot_may_kick(void)
{
	return READ_ONCE(oneshot_can_kick) && rcu_is_watching() &&
	       cpu_online(raw_smp_processor_id());
}

/**
 * oneshot_grow_soon - wake the worker if a set has to grow
 * @set: the set
 *
 * Context: any, NMI included.
 */
void oneshot_grow_soon(struct oneshot_set *set)
{
	if (likely(oneshot_set_spare(set) >= ONESHOT_LOW_RECS && !READ_ONCE(set->wanted)))
		return;
	if (READ_ONCE(set->room) == set->limit && !READ_ONCE(set->wanted))
		return;
	if (!oneshot_may_kick())
		return;
	/* Kick only once: this calls traced functions, which may be refused and come here. */
	if (!READ_ONCE(oneshot_kicked) && !xchg(&oneshot_kicked, 1))
		irq_work_queue(&oneshot_kick_work);
}

static int __init oneshot_grow_init(void)
{
	WRITE_ONCE(oneshot_can_kick, true);
	/* Sets of tracers that started earlier may have to grow. */
	schedule_work(&oneshot_grow_work);
	return 0;
}
core_initcall(oneshot_grow_init);

/**
 * oneshot_synchronize - wait for all callbacks that are under way
 *
 * Callbacks run where RCU is not watching, and may be preempted. RCU does not wait for
 * a CPU that comes online, as it does not know it yet, and newer kernels have no rude
 * grace periods where the code of the idle loop is not traced. That CPU begins before
 * cpus_write_lock() is released. Those that come later find the new set.
 */
void oneshot_synchronize(void)
{
	cpus_read_lock();
	cpus_read_unlock();
	synchronize_rcu_tasks_rude();
	synchronize_rcu_tasks();
}

/**
 * oneshot_replace - give an instance another set, and free the old one
 * @tr: the instance
 * @set: its new set, or NULL if no callback is left
 *
 * Callbacks may use either set meanwhile. When this returns, all use the new one.
 */
void oneshot_replace(struct trace_array *tr, struct oneshot_set *set)
{
	struct oneshot_set *old = tr->oneshot.set;

	lockdep_assert_held(&trace_types_lock);

	/* Pairs with the reading in oneshot_call(). */
	smp_store_release(&tr->oneshot.set, set);
	oneshot_stub_look_into(tr, set);
	tr->oneshot.generation++;
	oneshot_retire_begin(tr);
	if (tr->oneshot.registered)
		oneshot_synchronize();
	oneshot_set_free(old);
}

/**
 * oneshot_renew - give an instance a new set of the size that the user asked for
 * @tr: the instance; no callback uses its set
 *
 * Return: 0 or -ENOMEM.
 */
int oneshot_renew(struct trace_array *tr)
{
	struct oneshot_set *set;

	set = oneshot_set_alloc(tr->oneshot.size);
	if (!set)
		return -ENOMEM;

	oneshot_replace(tr, set);
	return 0;
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
	oneshot_replace(tr, NULL);
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
