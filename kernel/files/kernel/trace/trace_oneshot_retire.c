// SPDX-License-Identifier: GPL-2.0
/*
 * oneshot tracer: functions from which there is nothing more to learn retire.
 *
 * Without callers, a call site has nothing more to tell once its function is in the
 * set. With options/oneshot-retire, the function then retires: its call site is
 * turned off for this tracer. It becomes a NOP if nobody else traces the function.
 *
 *	first hit -> the set's records -> worker -> ftrace_retire_ips()
 *
 * The records, in order of first hit, are the queue. The worker remembers how far it
 * has looked at them. It takes the functions after this place in batches, sorted by
 * address. Each batch interrupts all CPUs a few times, so the worker waits until
 * there are some: ONESHOT_RETIRE_MS, and longer if the last run found few. Without
 * callers, it is woken as soon as ONESHOT_RETIRE_BATCH records are waiting.
 *
 * With oneshot-parent, a function that retires shows no further callers. So the two
 * options exclude each other, unless oneshot_retire_ms tells how long each function
 * is watched. Then oneshot_stats counts the functions of which callers may be missing.
 *
 * Call sites come back when the set is cleared, when oneshot-parent is turned on,
 * when the option is turned off, and when the tracer starts again. They do not come
 * back when the filter changes. The call sites of a module go with it. When it is
 * loaded again, they are new to ftrace, and the worker looks at all records again.
 *
 * ftrace lets only one ops retire at a time, so only one instance can have the option.
 *
 * Everything runs under trace_types_lock, except oneshot_retire_soon() and its
 * irq_work.
 */
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/sort.h>
#include <linux/trace_clock.h>
#include <linux/workqueue.h>

#include "trace.h"
#include "trace_oneshot_internal.h"

/* As many as x86 pokes at once, if they are in order of address. */
#define ONESHOT_RETIRE_BATCH	256
#define ONESHOT_RETIRE_MS	100
/* If fewer retire in a run, the next wait is twice as long, up to this limit. */
#define ONESHOT_RETIRE_FEW	16
#define ONESHOT_RETIRE_MS_MOST	1600

/* The instance that has the option, and how long the worker waits, in ms. */
static struct trace_array *oneshot_retirer;
static unsigned int oneshot_retire_wait = ONESHOT_RETIRE_MS;

/* The worker's batch: records, in order of address, and their addresses. */
static struct oneshot_rec *oneshot_batch[ONESHOT_RETIRE_BATCH];
static unsigned long oneshot_batch_ips[ONESHOT_RETIRE_BATCH];

/* The worker has been woken and has not begun. */
static unsigned int oneshot_retire_kicked;

static int oneshot_compare_recs(const void *a, const void *b)
{
	const struct oneshot_rec *left = *(const struct oneshot_rec **)a;
	const struct oneshot_rec *right = *(const struct oneshot_rec **)b;

	return left->addr < right->addr ? -1 : left->addr > right->addr;
}

/* May the function of a record retire, if it is traced at all? */
static bool oneshot_may_retire(const struct oneshot_rec *rec, u32 meta)
{
	return meta && !(meta & ONESHOT_REC_FORGOTTEN) &&
	       oneshot_meta_kind(meta) == ONESHOT_FUNCTION &&
	       /* Another module may be at this address now. */
	       oneshot_owner(oneshot_rec_addr(rec, meta)) == oneshot_meta_owner(meta);
}

/* Collect the next batch. Stop at a record that is not published or still watched. */
static unsigned int oneshot_collect(struct trace_array *tr)
{
	struct oneshot_retire *retire = &tr->oneshot.retire;
	bool parent = tr->oneshot.flags & ONESHOT_OPT_PARENT;
	struct oneshot_set *set = tr->oneshot.set;
	u64 watched = parent ? (u64)retire->quiet_ms * NSEC_PER_MSEC : 0;
	u64 now = trace_clock_local();
	unsigned int nr = 0;
	u32 next;

	for (next = retire->next; next < oneshot_set_nr(set) && nr < ONESHOT_RETIRE_BATCH; next++) {
		struct oneshot_rec *rec = oneshot_set_rec(set, next);
		u32 meta = oneshot_rec_meta(rec);

		if (!meta && !oneshot_rec_is_void(rec))
			break;
		if (!oneshot_may_retire(rec, meta))
			continue;
		if (parent && max(rec->ns, retire->armed) + watched > now)
			break;
		oneshot_batch[nr++] = rec;
	}
	/* oneshot_retire_soon() reads it. */
	WRITE_ONCE(retire->next, next);
	return nr;
}

/* Let the functions of a batch retire. Returns how many have, or an error. */
static int oneshot_retire_batch(struct trace_array *tr, unsigned int nr)
{
	bool parent = tr->oneshot.flags & ONESHOT_OPT_PARENT;
	unsigned int i;
	int ret, done;

	sort(oneshot_batch, nr, sizeof(*oneshot_batch), oneshot_compare_recs, NULL);
	for (i = 0; i < nr; i++)
		oneshot_batch_ips[i] = oneshot_text_addr(oneshot_batch[i]->addr);

	ret = ftrace_retire_ips(tr->ops, oneshot_batch_ips, nr);
	for (i = 0, done = 0; parent && done < ret; i++) {
		if (oneshot_text_addr(oneshot_batch[i]->addr) == oneshot_batch_ips[done]) {
			oneshot_rec_mark(oneshot_batch[i]);
			done++;
		}
	}
	return ret;
}

static void oneshot_retire_work(struct work_struct *work)
{
	struct oneshot_retire *retire;
	unsigned int nr, all = 0;
	struct trace_array *tr;

	guard(mutex)(&trace_types_lock);

	/* Clear it before looking for work: a later kick then runs the worker once more. */
	xchg(&oneshot_retire_kicked, 0);
	tr = oneshot_retirer;
	if (!tr || !tr->oneshot.registered)
		return;

	retire = &tr->oneshot.retire;
	do {
		u64 began = ktime_get_ns();
		int ret;

		nr = oneshot_collect(tr);
		if (!nr)
			break;
		ret = oneshot_retire_batch(tr, nr);
		if (ret < 0) {
			pr_warn_once("oneshot: call sites cannot be turned off: %d\n", ret);
			return;
		}
		/* It is 0 if all of them have retired before. */
		if (ret) {
			retire->sites += ret;
			retire->batches++;
			retire->ns += ktime_get_ns() - began;
			all += ret;
		}
		cond_resched();
	} while (nr == ONESHOT_RETIRE_BATCH);

	if (all >= ONESHOT_RETIRE_FEW)
		oneshot_retire_wait = ONESHOT_RETIRE_MS;
	else if (oneshot_retire_wait < ONESHOT_RETIRE_MS_MOST)
		oneshot_retire_wait *= 2;
	/* A kick may have queued it already. Unbound, because the work waits for all CPUs. */
	queue_delayed_work(system_dfl_wq, to_delayed_work(work),
			   msecs_to_jiffies(oneshot_retire_wait));
}

static DECLARE_DELAYED_WORK(oneshot_retire_dwork, oneshot_retire_work);

static void oneshot_retire_kick(struct irq_work *work)
{
	mod_delayed_work(system_dfl_wq, &oneshot_retire_dwork, 0);
}

static DEFINE_IRQ_WORK(oneshot_retire_kick_work, oneshot_retire_kick);

/**
 * oneshot_retire_soon - wake the worker if enough new functions may retire
 * @tr: the instance
 * @set: its set
 *
 * Context: any, NMI included; preemption is off.
 */
void oneshot_retire_soon(struct trace_array *tr, const struct oneshot_set *set)
{
	u32 flags = READ_ONCE(tr->oneshot.flags);

	/* With callers, each function has to be watched for its time. */
	if (!(flags & ONESHOT_OPT_RETIRE) || flags & ONESHOT_OPT_PARENT)
		return;
	if (oneshot_set_nr(set) - READ_ONCE(tr->oneshot.retire.next) < ONESHOT_RETIRE_BATCH)
		return;
	if (!oneshot_may_kick())
		return;
	if (!READ_ONCE(oneshot_retire_kicked) && !xchg(&oneshot_retire_kicked, 1))
		irq_work_queue(&oneshot_retire_kick_work);
}

/**
 * oneshot_retire_again - have the worker look at all records again
 * @tr: the instance; nothing happens unless it has the option
 *
 * For a tracer that has started, and for call sites that have come back.
 */
void oneshot_retire_again(struct trace_array *tr)
{
	lockdep_assert_held(&trace_types_lock);

	if (tr != oneshot_retirer || !tr->oneshot.registered)
		return;
	WRITE_ONCE(tr->oneshot.retire.next, 0);
	/* With ftrace=, there may be no workqueue yet: oneshot_retire_init() does it. */
	if (system_dfl_wq)
		mod_delayed_work(system_dfl_wq, &oneshot_retire_dwork,
				 msecs_to_jiffies(ONESHOT_RETIRE_MS));
}

/* For a tracer that started before there were workqueues. */
static int __init oneshot_retire_init(void)
{
	guard(mutex)(&trace_types_lock);

	if (oneshot_retirer)
		oneshot_retire_again(oneshot_retirer);
	return 0;
}
postcore_initcall(oneshot_retire_init);

/**
 * oneshot_retire_came_back - some call sites that were off are on again
 * @tr: the instance
 *
 * The time for which callers are watched begins again.
 */
void oneshot_retire_came_back(struct trace_array *tr)
{
	tr->oneshot.retire.armed = trace_clock_local();
	oneshot_retire_again(tr);
}

/**
 * oneshot_retire_rearm - have all call sites call the tracer again
 * @tr: the instance; nothing happens unless its tracer is registered
 *
 * If the instance still has the option, the worker looks at all records again.
 */
void oneshot_retire_rearm(struct trace_array *tr)
{
	if (!tr->oneshot.registered)
		return;
	ftrace_rearm(tr->ops);
	oneshot_retire_came_back(tr);
}

/**
 * oneshot_retire_begin - there is a new set
 * @tr: the instance
 */
void oneshot_retire_begin(struct trace_array *tr)
{
	struct oneshot_retire *retire = &tr->oneshot.retire;

	/* oneshot_retire_soon() reads it. */
	WRITE_ONCE(retire->next, 0);
	retire->armed = 0;
	retire->sites = 0;
	retire->batches = 0;
	retire->ns = 0;
	if (tr == oneshot_retirer)
		oneshot_retire_wait = ONESHOT_RETIRE_MS;
}

/**
 * oneshot_retire_may - are these options allowed with this oneshot_retire_ms?
 * @tr: the instance
 * @flags: its options
 * @quiet_ms: how long callers are watched
 *
 * Return: 0; -EINVAL if functions would retire while callers are recorded, and no time
 *	is given; -EBUSY if another instance has the option.
 */
int oneshot_retire_may(const struct trace_array *tr, u32 flags, unsigned int quiet_ms)
{
	if (!(flags & ONESHOT_OPT_RETIRE))
		return 0;
	if (flags & ONESHOT_OPT_PARENT && !quiet_ms)
		return -EINVAL;
	return oneshot_retirer && oneshot_retirer != tr ? -EBUSY : 0;
}

/**
 * oneshot_retire_changed - an option has been changed
 * @tr: the instance
 * @flags: its new options, which oneshot_retire_may() has allowed
 */
void oneshot_retire_changed(struct trace_array *tr, u32 flags)
{
	if (flags & ONESHOT_OPT_RETIRE)
		oneshot_retirer = tr;
	else if (oneshot_retirer == tr)
		oneshot_retirer = NULL;
	else
		return;
	oneshot_retire_rearm(tr);
}
