// SPDX-License-Identifier: GPL-2.0
/*
 * Very early function tracing: calls from before start_kernel() on, until the
 * tracer of ftrace= can take over.
 *
 * Compilers leave a call of __fentry__ at the head of each function, and ftrace
 * turns it into a NOP when it comes up, some hundred thousand calls into the
 * boot. Until then, if the command line says ftrace=function or ftrace=oneshot,
 * __fentry__ jumps to a recorder of the architecture:
 *
 *   early_ftrace_start()     before start_kernel(): reads the command line, makes
 *                            NOPs of the sites that ftrace_filter= and
 *                            ftrace_notrace= leave out, reserves the buffer, and
 *                            switches the recorder on.
 *   early_ftrace_extend()    memblock has memory: the second piece of the buffer.
 *   ftrace_init()            leaves the sites alone, and takes the sets of sites
 *                            that the filters have selected.
 *   early_ftrace_prepare()   there is a ring buffer: it is made large enough.
 *   early_ftrace_hand_over() the tracer starts. Instead of poking its call into
 *                            one site after the other: the early calls are
 *                            written to the ring buffer, or the oneshot set, then
 *                            all sites are turned in one pass into the call of
 *                            the tracer, or a NOP, and the recorder is switched
 *                            off. Between the copy of the last call and that
 *                            moment, no traced function is called. So no call is
 *                            missed, and none is recorded twice.
 *   early_ftrace_finish()    no tracer has started (lockdown, no memory): NOPs.
 *
 * Contexts. There is one CPU all of the time, with interrupts off and without RCU.
 * Exceptions and NMIs may interrupt a recorder; the recorders' file tells how they
 * take their entries. They may also interrupt the C code here. This code touches the
 * recorders' variables only before the recorder is on, when a piece is added or
 * closed or the clock is set, and in the hand-over, when NMIs are ignored.
 *
 * An initcall gives the memory back. Before that, the page allocator cannot take
 * memory that memblock has reserved, as some struct pages are still missing.
 *
 * trace_early_internal.h lists the other parts.
 */
#define pr_fmt(fmt) "ftrace: early: " fmt

#include <linux/ftrace_early.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kmemleak.h>
#include <linux/mm.h>
#include <linux/ring_buffer.h>
#include <linux/string.h>
#include <asm/setup.h>

#include "trace.h"
#include "trace_early_internal.h"

bool early_ftrace_on __ro_after_init;

struct early_state early_state __initdata;
struct early_stats early_stats;

/* The command line, cut into its words. */
static char early_cmdline[COMMAND_LINE_SIZE] __initdata;

/* Two sets of sites, then the memory for calls, which early_filter_resolve() uses first. */
static bool __init early_reserve(void)
{
	size_t sites = early_filter_sites_size();
	size_t set = EARLY_PAIR_SIZE << EARLY_SET_SHIFT;
	size_t least = max(set, early_filter_scratch_size());

	early_state.brk_size = 1UL << CONFIG_VERY_EARLY_FTRACE_BUF_SHIFT;
	if (2 * sites + least > early_state.brk_size)
		return false;
	if (early_state.once)
		early_state.brk_size = PAGE_ALIGN(2 * sites + least);

	early_state.brk = arch_early_ftrace_reserve(early_state.brk_size);
	if (sites) {
		early_state.only_sites = early_state.brk;
		early_state.except_sites = early_state.brk + sites;
	}
	early_buffer_init(early_state.brk + 2 * sites, early_state.brk_size - 2 * sites);
	return true;
}

/**
 * early_ftrace_start - begin to record, if the command line says so
 *
 * Context: one CPU, interrupts off, as early as there is a command line.
 */
void __init early_ftrace_start(void)
{
	struct early_params params;
	u64 start;

	arch_early_ftrace_cmdline(early_cmdline, sizeof(early_cmdline));
	early_params_parse(&params, early_cmdline);

	if (params.tracer == EARLY_NONE)
		return;
	early_state.once = params.tracer == EARLY_ONESHOT;
	early_state.only = params.only;
	early_state.except = params.except;
	early_stats.refused = arch_early_ftrace_refuses();
	if (!early_stats.refused && !early_reserve())
		early_stats.refused = "CONFIG_VERY_EARLY_FTRACE_BUF_SHIFT is too small for filters";
	if (early_stats.refused) {
		pr_warn("nothing is recorded: %s\n", early_stats.refused);
		return;
	}
	early_stats.tracer = early_state.once ? "oneshot" : "function";

	start = arch_early_ftrace_clock();
	early_filter_init(early_state.brk + 2 * early_filter_sites_size());
	early_stats.filter_cycles = arch_early_ftrace_clock() - start;

	early_state.dump_on_oops = params.dump_on_oops;
	early_report_begin();

	early_state.first_tsc = arch_early_ftrace_clock();
	early_ftrace_on = true;
	arch_early_ftrace_start(early_state.once);
}

static void __init early_stop(void)
{
	arch_early_ftrace_stop();
	early_ftrace_on = false;
}

static void __init early_hand_over(int enable)
{
	u64 start, copied, changed;
	unsigned long flags;

	local_irq_save(flags);
	arch_early_ftrace_stop_nmi();
	start = arch_early_ftrace_clock();
	early_copy(early_state.tr);
	copied = arch_early_ftrace_clock();
	arch_early_ftrace_replace_code(enable, &early_stats.changed);
	changed = arch_early_ftrace_clock();
	early_stop();
	arch_early_ftrace_restart_nmi();
	local_irq_restore(flags);

	early_stats.copy_cycles = copied - start;
	early_stats.convert_cycles = changed - copied;
}

/**
 * early_ftrace_hand_over - the tracer starts and takes over
 * @enable: as for ftrace_replace_code(); this is called in its place
 *
 * Context: ftrace_lock and text_mutex are held.
 * Return: true if early tracing was on: then all sites have been changed.
 */
bool __ref early_ftrace_hand_over(int enable)
{
	if (likely(!early_ftrace_on))
		return false;

	early_hand_over(enable);
	return true;
}

/* A first step, to measure how many calls the allocation of a page makes. */
#define EARLY_PROBE_PAGES	256

/**
 * early_ftrace_prepare - make room in the ring buffer
 * @tr: the trace_array whose tracer is about to start
 *
 * This makes room for the recorded calls, and for those to come until the tracer runs.
 * Making room makes many calls itself, which take room again: some 10 a page. With
 * KASAN and lockdep there are 144, and a page hardly has room for its own. In such a
 * case, the calls that make room are counted as lost. At least half of the buffer's
 * former size is left for the tracer.
 */
void __init early_ftrace_prepare(struct trace_array *tr)
{
	unsigned long had, calls, each, pages, size;
	int cpu = raw_smp_processor_id();
	/* An event's header is 4 bytes, a page of the buffer has 16 that are not events. */
	const unsigned long per_page = (PAGE_SIZE - 16) / (4 + sizeof(struct ftrace_entry));
	bool close;

	if (!early_ftrace_on)
		return;

	early_state.tr = tr;
	if (early_state.once)
		return;

	had = ring_buffer_size(tr->array_buffer.buffer, cpu);
	calls = early_nr_calls();
	if ((calls + calls / 4 + 16384) / per_page * PAGE_SIZE <= had / 2)
		return;

	size = had + EARLY_PROBE_PAGES * (PAGE_SIZE - 16);
	if (tracing_resize_ring_buffer(tr, size, cpu) < 0)
		goto no_memory;
	early_stats.ring_buffer_bytes = size;

	/* Until the tracer runs, there are fewer than 8192 other calls. */
	each = (early_nr_calls() - calls) / EARLY_PROBE_PAGES + 1;
	calls = early_nr_calls() + 16384;
	close = each > per_page / 2;
	pages = calls / (close ? per_page : per_page - each);
	if (pages <= EARLY_PROBE_PAGES)
		return;
	pages += pages / 16;

	size = had + pages * (PAGE_SIZE - 16);
	close = close && early_ftrace_pos < early_ftrace_end;
	if (close)
		early_buffer_close();
	if (tracing_resize_ring_buffer(tr, size, cpu) == 0)
		early_stats.ring_buffer_bytes = size;
	if (close)
		early_buffer_continue_at(NULL, early_state.memory_end);
	if (early_stats.ring_buffer_bytes == size)
		return;
no_memory:
	pr_warn("no memory for a ring buffer of %lu bytes: the first calls will be overwritten\n",
		size);
}

/**
 * early_ftrace_finish - the end of early tracing, whatever has happened
 *
 * If the tracer has taken over, there is not much left to do. If it runs but had no
 * site to change, it gets the recorded calls now. If it has not started, they are
 * dropped.
 *
 * Context: one CPU, and one task. Nobody else can change ftrace's records or text, so
 * no lock is taken for that.
 */
void __init early_ftrace_finish(void)
{
	if (!early_stats.tracer)
		return;

	if (early_ftrace_on) {
		unsigned long flags;

		local_irq_save(flags);
		arch_early_ftrace_stop_nmi();
		if (early_state.tr &&
		    !strcmp(early_state.tr->current_trace->name, early_stats.tracer))
			early_copy(early_state.tr);
		else
			early_drop();
		/* Nobody traces any site. */
		arch_early_ftrace_replace_code(0, &early_stats.changed);
		early_stats.changed.differing = 0;
		early_stop();
		arch_early_ftrace_restart_nmi();
		local_irq_restore(flags);
	}

	early_report_end();
}

static int __init early_free(void)
{
	if (early_state.brk)
		arch_early_ftrace_free(early_state.brk, early_state.brk_size);
	if (early_state.memblock) {
		kmemleak_free_part_phys(__pa(early_state.memblock), early_state.memblock_size);
		free_reserved_area(early_state.memblock,
				   early_state.memblock + early_state.memblock_size, -1,
				   "early ftrace");
	}
	return 0;
}
core_initcall(early_free);

static bool early_buffer_kept;

/**
 * early_ftrace_keep_buffer - let the ring buffer survive a change of its clock
 * @keep: true before the change, false after it
 *
 * The default clock is chosen late at boot. Both candidates tell the same time.
 */
void __init early_ftrace_keep_buffer(bool keep)
{
	early_buffer_kept = keep && early_stats.recorded;
}

bool early_ftrace_keeps_buffer(void)
{
	return early_buffer_kept;
}
