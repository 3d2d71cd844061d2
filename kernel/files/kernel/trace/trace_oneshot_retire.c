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
 * The records, in order of first hit, are the queue. The worker of trace_oneshot.c runs
 * from time to time. The set keeps the worker's position in the records. The worker takes
 * the functions after this position in batches, sorted by address. Each batch interrupts
 * all CPUs a few times, so the worker waits longer if there were few functions.
 *
 * With oneshot-parent, a function that retires shows no further callers. So the two
 * options exclude each other, unless oneshot_retire_ms tells how long each function
 * is watched. Then oneshot_stats counts the functions of which callers may be missing.
 *
 * Call sites come back when the set is cleared, when oneshot-parent is turned on, when
 * the option is turned off, and when the tracer starts again. They do not come back
 * when the filter changes. The call sites of a module go with the module. When it is
 * loaded again, they are new to ftrace, and the worker looks at all records again.
 *
 * ftrace lets only one ops retire at a time, so only one instance can have the option.
 * Not every architecture can change the call of one function at little cost. On the
 * others, nothing retires.
 *
 * Everything runs under trace_types_lock.
 */
#include <linux/ftrace.h>
#include <linux/sort.h>
#include <linux/trace_clock.h>

#include "trace.h"
#include "trace_oneshot_internal.h"

/* x86 pokes so many call sites at once if they are sorted by address. */
#define ONESHOT_RETIRE_BATCH	256

/* The instance that has options/oneshot-retire. */
static struct trace_array *oneshot_retirer;

/* A batch: records, in order of address, and their addresses. */
static struct oneshot_rec *oneshot_batch[ONESHOT_RETIRE_BATCH];
static unsigned long oneshot_batch_ips[ONESHOT_RETIRE_BATCH];

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

/* Collect the next batch. Stop at a record that is not published, or that is still watched. */
static unsigned int oneshot_collect(struct trace_array *tr)
{
	bool parent = tr->oneshot.flags & ONESHOT_OPT_PARENT;
	struct oneshot_set *set = tr->oneshot.set;
	struct oneshot_retire *retire = &oneshot_table(set)->retire;
	u64 watched = parent ? (u64)tr->oneshot.retire_ms * NSEC_PER_MSEC : 0;
	u64 now = trace_clock_local();
	unsigned int nr = 0;

	for (; retire->next < oneshot_set_nr(set) && nr < ONESHOT_RETIRE_BATCH; retire->next++) {
		struct oneshot_rec *rec = oneshot_set_rec(set, retire->next);
		u32 meta = oneshot_rec_meta(rec);

		if (!meta && !oneshot_rec_is_void(rec))
			break;
		if (!oneshot_may_retire(rec, meta))
			continue;
		if (parent && max(rec->ns, retire->armed) + watched > now)
			break;
		oneshot_batch[nr++] = rec;
	}
	return nr;
}

/* Let the functions of a batch retire. Returns how many have retired, or an error. */
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

/**
 * oneshot_retire - let the functions retire that are due
 * @tr: the instance; nothing happens unless it has the option
 *
 * Context: May sleep.
 * Return: how many have retired.
 */
unsigned int oneshot_retire(struct trace_array *tr)
{
	struct oneshot_retire *retire = &oneshot_table(tr->oneshot.set)->retire;
	unsigned long before = retire->sites;
	unsigned int nr;

	if (tr != oneshot_retirer)
		return 0;
	do {
		u64 began = ktime_get_ns();
		int ret;

		nr = oneshot_collect(tr);
		if (!nr)
			break;
		ret = oneshot_retire_batch(tr, nr);
		if (ret < 0) {
			pr_warn_once("oneshot: call sites cannot be turned off: %d\n", ret);
			break;
		}
		/* It is 0 if all functions of the batch had retired before. */
		if (ret) {
			retire->sites += ret;
			retire->batches++;
			retire->ns += ktime_get_ns() - began;
		}
		cond_resched();
	} while (nr == ONESHOT_RETIRE_BATCH);
	return retire->sites - before;
}

/**
 * oneshot_retire_rearm - have all call sites call the tracer again
 * @tr: the instance; nothing happens unless its tracer is registered
 *
 * The time for which callers are watched begins again. If the instance still has the
 * option, the worker looks at all records again.
 */
void oneshot_retire_rearm(struct trace_array *tr)
{
	struct oneshot_retire *retire;

	if (!tr->oneshot.registered)
		return;
	ftrace_rearm(tr->ops);
	retire = &oneshot_table(tr->oneshot.set)->retire;
	retire->armed = trace_clock_local();
	retire->next = 0;
}

/**
 * oneshot_retire_may - are these options allowed with this oneshot_retire_ms?
 * @tr: the instance
 * @flags: its options
 * @ms: how long callers are watched
 *
 * Return: 0; -EOPNOTSUPP if functions cannot retire on this architecture; -EINVAL if
 *	functions would retire while callers are recorded, and no time is given; -EBUSY if
 *	another instance has the option.
 */
int oneshot_retire_may(const struct trace_array *tr, u32 flags, unsigned int ms)
{
	if (!(flags & ONESHOT_OPT_RETIRE))
		return 0;
	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_RETIRE))
		return -EOPNOTSUPP;
	if (flags & ONESHOT_OPT_PARENT && !ms)
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
