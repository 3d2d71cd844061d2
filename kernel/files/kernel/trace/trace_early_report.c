// SPDX-License-Identifier: GPL-2.0
/*
 * Very early function tracing: its reports. These are the kernel log at its end,
 * early_stats in tracefs, and the last calls before a crash that comes before the tracer
 * runs.
 */
#define pr_fmt(fmt) "ftrace: early: " fmt

#include <linux/ftrace_early.h>
#include <linux/init.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/seq_file.h>

#include "trace.h"
#include "trace_early_internal.h"

/*
 * The last calls before a crash that comes before the tracer runs.
 */

#define EARLY_DUMP_CALLS	32

/* Does a crash begin with this function? The boot never calls these otherwise. */
static bool __init early_begins_crash(unsigned long ip)
{
	/* The call site is at the function's head, after its landing pad, if any. */
	return ip - (unsigned long)panic < 16 || ip - (unsigned long)oops_enter < 16;
}

/* Print the last calls before the crash, the latest first. */
static void __init early_dump_calls(void)
{
	struct early_call *call, *end = NULL;
	unsigned int i = early_state.nr_pieces, piece_of_end = early_state.nr_pieces - 1, n = 0;
	bool off;

	/* Skip the calls of the crash itself: there are many, above all on a slow console. */
	while (i--) {
		for (call = early_piece_end(i); call-- > early_state.pieces[i].start;) {
			if (call->ip && early_begins_crash(early_ip(call->ip))) {
				end = call;
				piece_of_end = i;
			}
		}
	}
	i = piece_of_end;
	off = !end && early_state.off;
	/* Read the end first, so that the calls that print this are left out. */
	if (!end)
		end = early_piece_end(i);
	pr_emerg("the last calls%s, latest first:\n",
		 off ? " before tracing was switched off" : "");
	for (;; end = early_piece_end(--i)) {
		for (call = end; call-- > early_state.pieces[i].start && n < EARLY_DUMP_CALLS;) {
			if (!call->ip)
				continue;
			n++;
			pr_emerg("-%u %ps <- %pS\n", n, (void *)early_ip(call->ip),
				 (void *)early_address(call->parent_ip));
		}
		if (!i || n == EARLY_DUMP_CALLS)
			break;
	}
}

/* The set has the first call of each pair. Print those before the crash, latest first. */
static void __init early_dump_pairs(void)
{
	const struct early_pair *set = early_ftrace_set, *last;
	u64 before = U64_MAX;
	unsigned int i, n;

	for (i = 0; i < 1 << EARLY_SET_SHIFT; i++) {
		if (set[i].ip && early_begins_crash(early_ip(set[i].ip)))
			before = min(before, early_pair_tsc(&set[i]));
	}

	pr_emerg("the last calls that were new, latest first:\n");
	for (n = 1; n <= EARLY_DUMP_CALLS; n++) {
		last = NULL;
		for (i = 0; i < 1 << EARLY_SET_SHIFT; i++) {
			u64 tsc = early_pair_tsc(&set[i]);

			if (set[i].ip && tsc < before && (!last || tsc > early_pair_tsc(last)))
				last = &set[i];
		}
		if (!last)
			break;
		before = early_pair_tsc(last);
		pr_emerg("-%u %ps <- %pS\n", n, (void *)early_ip(last->ip),
			 (void *)early_address(last->parent_ip));
	}
}

/**
 * early_ftrace_dump - print the last calls before a crash
 *
 * It does nothing without ftrace_dump_on_oops on the command line. It does nothing
 * after the hand-over either: the tracer then dumps its own buffer.
 */
void __ref early_ftrace_dump(void)
{
	if (!early_ftrace_on || !early_state.dump_on_oops)
		return;

	early_state.dump_on_oops = false;
	if (early_state.once)
		early_dump_pairs();
	else
		early_dump_calls();
}

static int __ref early_panic_event(struct notifier_block *nb, unsigned long event, void *data)
{
	early_ftrace_dump();
	return NOTIFY_DONE;
}

static struct notifier_block early_panic_nb __initdata = {
	.notifier_call	= early_panic_event,
	.priority	= INT_MAX,
};

/**
 * early_report_begin - prepare to print the last calls at a panic, if that is asked for
 */
void __init early_report_begin(void)
{
	if (early_state.dump_on_oops)
		atomic_notifier_chain_register(&panic_notifier_list, &early_panic_nb);
}

/**
 * early_report_end - tell in the kernel log how early tracing has ended
 */
void __init early_report_end(void)
{
	if (early_state.dump_on_oops)
		atomic_notifier_chain_unregister(&panic_notifier_list, &early_panic_nb);

	if (early_stats.recorded)
		pr_info("%lu %s recorded, %lu calls lost, at %lu of the call sites%s%s\n",
			early_stats.recorded,
			early_state.once ? "pairs of function and caller" : "calls",
			early_stats.lost, early_stats.sites,
			early_state.off ? ", until tracing was switched off" : "",
			early_stats.overwritten ? "; the first ones are overwritten" : "");
	if (early_stats.changed.differing)
		pr_warn("filters selected something else than the tracer's at %lu call sites\n",
			early_stats.changed.differing);
	if (early_stats.changed.unexpected)
		pr_warn("neither a call nor a NOP at %lu call sites, which are left alone and not traced; the first is %pS\n",
			early_stats.changed.unexpected,
			(void *)early_stats.changed.first_unexpected);
}

/*
 * early_stats
 */

static int early_stats_show(struct seq_file *m, void *v)
{
	seq_printf(m, "tracer: %s\n", early_stats.tracer ?: "none");
	seq_printf(m, "refused: %s\n", early_stats.refused ?: "none");
	seq_printf(m, "recorded: %lu\n", early_stats.recorded);
	seq_printf(m, "before_ftrace_init: %lu\n", early_stats.before_ftrace_init);
	seq_printf(m, "lost: %lu\n", early_stats.lost);
	seq_printf(m, "overwritten: %lu\n", early_stats.overwritten);
	seq_printf(m, "first: %llu\n", early_stats.first);
	seq_printf(m, "last: %llu\n", early_stats.last);
	seq_printf(m, "clock: %s\n", early_stats.clock ?: "none");
	seq_printf(m, "before_zero: %lu\n", early_stats.before_zero);
	seq_printf(m, "tsc_khz: %u\n", early_stats.khz);
	seq_printf(m, "cpu: %d\n", early_stats.cpu);
	seq_printf(m, "sites: %lu\n", early_stats.sites);
	seq_printf(m, "differing: %lu\n", early_stats.changed.differing);
	seq_printf(m, "unexpected: %lu\n", early_stats.changed.unexpected);
	seq_printf(m, "buffer_bytes: %lu\n", early_stats.buffer_bytes);
	seq_printf(m, "ring_buffer_bytes: %lu\n", early_stats.ring_buffer_bytes);
	seq_printf(m, "filter_cycles: %llu\n", early_stats.filter_cycles);
	seq_printf(m, "copy_cycles: %llu\n", early_stats.copy_cycles);
	seq_printf(m, "convert_cycles: %llu\n", early_stats.convert_cycles);
	return 0;
}

static int early_stats_open(struct inode *inode, struct file *file)
{
	int ret = tracing_check_open_get_tr(NULL);

	return ret ?: single_open(file, early_stats_show, NULL);
}

static const struct file_operations early_stats_fops = {
	.open		= early_stats_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int __init early_tracefs_init(void)
{
	if (!tracing_init_dentry())
		trace_create_file("early_stats", TRACE_MODE_READ, NULL, NULL, &early_stats_fops);
	return 0;
}
fs_initcall(early_tracefs_init);
