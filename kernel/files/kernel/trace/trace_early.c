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
 *   early_ftrace_hand_over() the tracer starts. Instead of poking its call into
 *                            one site after the other, all sites are turned in
 *                            one pass into the call of the tracer, or a NOP, and
 *                            the recorder is switched off. Meanwhile, no traced
 *                            function is called. So no call is missed, and none
 *                            is recorded twice.
 *   early_ftrace_finish()    no tracer has started (lockdown, no memory): NOPs.
 *   early_show_start()       an initcall makes an instance for the calls, "early", and has
 *                            a worker write them to it, with the times at which they were
 *                            made. Its buffer has just the size that the calls need, its
 *                            clock is the recorder's, and it is off. So nothing overwrites
 *                            the calls, and rmdir gives the memory back.
 *
 * With ftrace_early=graph, the recorder also watches the returns (trace_early_graph.c), and
 * the instance has how long each call took.
 *
 * The calls stay where they are until the worker runs, because the hand-over delays the
 * boot, and the worker does not. For oneshot, the hand-over adds the recorded pairs to the
 * tracer's set, and there is no instance.
 *
 * Contexts. Until the hand-over there is one CPU, with interrupts off and without RCU.
 * Exceptions and NMIs may interrupt the code here. trace_early_buffer.c tells what this
 * means for the recorders. In the hand-over, NMIs are ignored. The worker is an ordinary
 * worker, on the CPU that made the calls, as each CPU has a ring buffer of its own. The
 * last initcall waits for the worker, so its code and data are freed with the init
 * sections. The worker holds a reference to the instance. The instance is made after those
 * of bootconfig, which could have the same name, and before tracefs makes its directory.
 *
 * The worker gives the early memory back. Before initcalls run, the page allocator cannot
 * take memory that memblock has reserved, as some struct pages are still missing.
 */
#define pr_fmt(fmt) "ftrace: early: " fmt

#include <linux/ftrace_early.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kmemleak.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/ring_buffer.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <asm/setup.h>

#include "trace.h"
#include "trace_early_internal.h"
#include "trace_output.h"

#define EARLY_INSTANCE		"early"

bool early_ftrace_on __ro_after_init;

/* The command line, cut into its words. */
static char early_cmdline[COMMAND_LINE_SIZE] __initdata;

/**
 * struct early_state - the state of very early tracing, until its calls are shown
 * @recorder: what is recorded; EARLY_RECORD_ONCE for oneshot
 * @dump_on_oops: print the last calls before a crash
 * @show: there are calls for the instance
 * @brk: memory in the image: first the sets of sites, then open calls, then calls
 * @brk_size: bytes of it
 * @memblock: memory from memblock that was added to the buffer
 * @memblock_size: bytes of it
 * @mark: the recorder's clock when ftrace came up
 * @tr: the trace_array whose tracer is about to start, NULL before; then the instance, NULL
 *	if there is none
 */
static struct early_state {
	enum early_recorder	recorder;
	bool			dump_on_oops;
	bool			show;
	void			*brk;
	size_t			brk_size;
	void			*memblock;
	size_t			memblock_size;
	u64			mark;
	struct trace_array	*tr;
} early_state __initdata;

/* For the file early_stats. This stays when early_state is freed. */
static struct early_stats {
	const char	*tracer;
	const char	*refused;
	const char	*clock;
	unsigned long	recorded;
	unsigned long	shown;
	unsigned long	before_ftrace_init;
	unsigned long	returns;
	unsigned long	lost;
	unsigned long	before_zero;
	unsigned long	sites;
	struct early_ftrace_sites changed;
	unsigned long	buffer_bytes;
	unsigned long	ring_buffer_bytes;
	u64		first;
	u64		last;
	u64		filter_cycles;
	u64		convert_cycles;
	u64		show_cycles;
	struct early_ftrace_cost cost;
	int		cpu;
} early_stats;

/*
 * From the first call to the hand-over.
 */

static bool __init early_once(void)
{
	return early_state.recorder == EARLY_RECORD_ONCE;
}

static enum early_recorder __init early_choose(const struct early_params *params)
{
	if (params->tracer == EARLY_FUNCTION)
		return params->returns ? EARLY_RECORD_RETURNS : EARLY_RECORD_CALLS;
	if (params->returns)
		pr_warn("oneshot has no returns, so ftrace_early=graph has no effect\n");
	return EARLY_RECORD_ONCE;
}

/*
 * Reserve memory: sets of sites, then open calls, then calls. Returns where the memory for
 * calls begins, which early_filter_init() uses first; NULL if there is not enough memory.
 */
static void *__init early_reserve(const struct early_params *params)
{
	size_t graph = early_state.recorder == EARLY_RECORD_RETURNS ? early_graph_size() : 0;
	size_t sites = early_filter_sites_size(params);
	size_t least = max(early_buffer_set_size(), early_filter_scratch_size(params));

	early_state.brk_size = 1UL << CONFIG_VERY_EARLY_FTRACE_BUF_SHIFT;
	if (sites + graph + least > early_state.brk_size)
		return NULL;
	if (early_once())
		early_state.brk_size = PAGE_ALIGN(sites + least);

	early_state.brk = arch_early_ftrace_reserve(early_state.brk_size);
	if (graph)
		early_graph_init(early_state.brk + sites);
	return early_state.brk + sites + graph;
}

#define EARLY_DUMP_CALLS	32

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
	early_buffer_dump(EARLY_DUMP_CALLS);
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
 * early_ftrace_start - begin to record, if the command line says so
 *
 * Context: one CPU, interrupts off, as early as there is a command line.
 */
void __init early_ftrace_start(void)
{
	struct early_params params;
	void *calls = NULL;
	u64 start;

	arch_early_ftrace_cmdline(early_cmdline, sizeof(early_cmdline));
	early_params_parse(&params, early_cmdline);

	if (params.tracer == EARLY_NONE)
		return;
	early_state.recorder = early_choose(&params);
	early_stats.refused = arch_early_ftrace_refuses();
	if (!early_stats.refused)
		calls = early_reserve(&params);
	if (!early_stats.refused && !calls)
		early_stats.refused = "CONFIG_VERY_EARLY_FTRACE_BUF_SHIFT is too small for filters";
	if (early_stats.refused) {
		pr_warn("nothing is recorded: %s\n", early_stats.refused);
		return;
	}
	early_stats.tracer = early_once() ? "oneshot" : "function";

	start = arch_early_ftrace_clock();
	early_stats.sites = early_filter_init(&params, early_state.brk, calls);
	early_stats.filter_cycles = arch_early_ftrace_clock() - start;
	early_stats.buffer_bytes =
		early_buffer_init(calls, early_state.brk_size - (calls - early_state.brk),
				  early_state.recorder);

	early_state.dump_on_oops = params.dump_on_oops;
	if (early_state.dump_on_oops)
		atomic_notifier_chain_register(&panic_notifier_list, &early_panic_nb);

	early_ftrace_on = true;
	arch_early_ftrace_start(early_state.recorder);
}

/**
 * early_ftrace_extend - add memory to the buffer
 *
 * As much again as it had, and more on larger machines: the more memory they have,
 * the more calls they make (1.1 million with 256 GiB).
 *
 * Context: as soon as memblock can allocate memory above the low megabyte.
 */
void __init early_ftrace_extend(void)
{
	phys_addr_t ram = memblock_phys_mem_size();
	size_t size;

	if (!early_ftrace_on || early_once())
		return;

	size = early_state.brk_size + (ram >> 13);
	size = PAGE_ALIGN(min_t(phys_addr_t, size, ram >> 4));
	early_state.memblock = memblock_alloc_raw(size, PAGE_SIZE);
	if (!early_state.memblock) {
		pr_warn("no memory for %zu bytes more\n", size);
		return;
	}
	early_state.memblock_size = size;
	early_stats.buffer_bytes += early_buffer_add(early_state.memblock, size);
}

/**
 * early_ftrace_off - switch tracing off before the tracer has started
 *
 * A warning switches tracing off with traceoff_on_warning, and a debugger while it
 * has the machine. Calls until tracing is on again count as lost, so that the trace
 * shows the gap.
 *
 * Context: any, also NMI.
 */
void __ref early_ftrace_off(void)
{
	if (early_ftrace_on)
		early_buffer_pause();
}

/**
 * early_ftrace_resume - switch tracing on again
 *
 * Context: any, as of early_ftrace_off().
 */
void __ref early_ftrace_resume(void)
{
	if (early_ftrace_on)
		early_buffer_resume();
}

/**
 * early_ftrace_clock_set - adjust the recorded times to a raw clock that is set
 * @ahead: the new time minus the old one
 *
 * Context: no function is called between this and the setting of the clock.
 */
void __ref early_ftrace_clock_set(s64 ahead)
{
	if (!early_ftrace_on)
		return;
	early_buffer_move_time(ahead);
	early_graph_move_time(ahead);
	early_state.mark += ahead;
}

/**
 * early_ftrace_mark - note the time when ftrace comes up, which no traced call shows
 */
void __init early_ftrace_mark(void)
{
	early_state.mark = arch_early_ftrace_clock();
}

/**
 * early_ftrace_prepare - note the trace_array of the tracer that is about to start
 * @tr: its trace_array
 */
void __init early_ftrace_prepare(struct trace_array *tr)
{
	early_state.tr = tr;
}

/* Counts a call in early_stats; @time: the call's time, by the clock of early_stats. */
static void __init early_count(u64 time, const struct early_hit *hit)
{
	if (!early_stats.recorded++)
		early_stats.first = time;
	early_stats.last = time;
	if (hit->clock < early_state.mark)
		early_stats.before_ftrace_init++;
	if (hit->took && hit->took != U64_MAX)
		early_stats.returns++;
}

/* The recorder's clock and the local clock at the same moment. */
struct early_clocks {
	u64	raw;
	u64	local;
	u32	khz;
};

static void __init early_clocks_read(struct early_clocks *clocks)
{
	u64 raw, local, best = U64_MAX;
	int i;

	/* A hypervisor may interrupt this: the fastest of several attempts counts. */
	for (i = 0; i < 8; i++) {
		raw = arch_early_ftrace_clock();
		local = trace_clock_local();
		if (arch_early_ftrace_clock() - raw >= best)
			continue;
		best = arch_early_ftrace_clock() - raw;
		clocks->raw = raw;
		clocks->local = local;
	}
	clocks->khz = arch_early_ftrace_khz();
}

/*
 * Takes a pair, with its time by the local clock. This clock begins when the kernel knows
 * the frequency of the raw clock: before, its time is zero.
 */
static void __init early_take_pair(void *data, const struct early_hit *hit)
{
	const struct early_clocks *now = data;
	u64 before = U64_MAX, local = 0;

	/* The raw clock may have gone back. */
	if (now->khz)
		before = mul_u64_u64_div_u64(now->raw - min(hit->clock, now->raw),
					     NSEC_PER_MSEC, now->khz);
	if (before > now->local)
		early_stats.before_zero++;
	else
		local = now->local - before;
	early_count(local, hit);
	oneshot_early_hit(early_state.tr, hit->ip, hit->parent_ip, local);
}

/* The tracer is about to run: give it the pairs, or note that there are calls to show. */
static void __init early_take(void)
{
	struct early_clocks clocks;
	const struct early_reader reader = { .call = early_take_pair, .data = &clocks };

	early_stats.cpu = raw_smp_processor_id();
	early_stats.lost = early_buffer_nr_lost();
	early_state.show = !early_once();
	if (early_state.show)
		return;
	early_clocks_read(&clocks);
	early_buffer_read(&reader);
	early_stats.clock = "local";
}

static void __init early_drop_one(void *data, const struct early_hit *hit)
{
	(*(unsigned long *)data)++;
}

/* Nobody needs the recorded calls: count and drop them. */
static void __init early_drop(void)
{
	unsigned long nr = 0;
	const struct early_reader reader = { .call = early_drop_one, .data = &nr };

	early_buffer_read(&reader);
	pr_warn("tracer %s has not started: %lu calls dropped\n", early_stats.tracer,
		nr + early_buffer_nr_lost());
}

static void __init early_stop(int enable)
{
	u64 start = arch_early_ftrace_clock();

	arch_early_ftrace_replace_code(enable, &early_stats.changed);
	early_stats.convert_cycles = arch_early_ftrace_clock() - start;
	if (!early_once())
		arch_early_ftrace_time(early_state.recorder, &early_stats.cost);
	arch_early_ftrace_stop();
	early_graph_end();
	early_buffer_end();
	early_ftrace_on = false;
}

static void __init early_hand_over(int enable)
{
	unsigned long flags;

	local_irq_save(flags);
	arch_early_ftrace_stop_nmi();
	early_stop(enable);
	early_take();
	arch_early_ftrace_restart_nmi();
	local_irq_restore(flags);
}

/**
 * early_ftrace_hand_over - let the tracer that starts take over
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

static void __init early_report_sites(void)
{
	if (early_stats.changed.differing)
		pr_warn("filters selected something else than the tracer's at %lu call sites\n",
			early_stats.changed.differing);
	if (early_stats.changed.unexpected)
		pr_warn("neither a call nor a NOP at %lu call sites, which are left alone and not traced; the first is %pS\n",
			early_stats.changed.unexpected,
			(void *)early_stats.changed.first_unexpected);
}

/**
 * early_ftrace_finish - end early tracing, whether or not the tracer has started
 *
 * If the tracer has taken over, there is not much left to do. If it runs but had no
 * site to change, it gets the recorded calls now. If it has not started, the calls
 * are dropped.
 *
 * Context: one CPU, and one task. Nobody else can change ftrace's records or text, so
 * no lock is taken for changing them.
 */
void __init early_ftrace_finish(void)
{
	struct trace_array *tr = early_state.tr;
	unsigned long flags;

	if (!early_stats.tracer)
		return;

	if (early_ftrace_on) {
		local_irq_save(flags);
		arch_early_ftrace_stop_nmi();
		/* Nobody traces any site. */
		early_stop(0);
		early_stats.changed.differing = 0;
		if (tr && !strcmp(tr->current_trace->name, early_stats.tracer))
			early_take();
		else
			early_drop();
		arch_early_ftrace_restart_nmi();
		local_irq_restore(flags);
	}

	if (early_state.dump_on_oops)
		atomic_notifier_chain_unregister(&panic_notifier_list, &early_panic_nb);
	early_report_sites();
}

/*
 * The instance.
 */

/* The time of the event that is being written, for the ring buffer. */
static u64 early_stamp __initdata;

static u64 __init notrace early_stamp_clock(void)
{
	return early_stamp;
}

/* All calls were made by process 0, with interrupts off. */
#define EARLY_CTX	(TRACE_FLAG_IRQS_OFF << 16)

static void *__init early_reserve_event(struct trace_buffer *buffer, int type, size_t size,
					 struct ring_buffer_event **event)
{
	struct trace_entry *entry;

	*event = trace_buffer_lock_reserve(buffer, type, size, EARLY_CTX);
	if (!*event)
		return NULL;
	entry = ring_buffer_event_data(*event);
	entry->pid = 0;
	return entry;
}

static void __init early_write_call(struct trace_buffer *buffer, const struct early_hit *hit)
{
	struct ring_buffer_event *event;
	struct ftrace_entry *entry = early_reserve_event(buffer, TRACE_FN, sizeof(*entry), &event);

	if (!entry)
		return;
	entry->ip = hit->ip;
	entry->parent_ip = hit->parent_ip;
	ring_buffer_unlock_commit(buffer);
}

static void __init early_write_timed_call(struct trace_buffer *buffer, const struct early_hit *hit)
{
	struct ring_buffer_event *event;
	struct early_call_entry *entry =
		early_reserve_event(buffer, TRACE_EARLY_CALL, sizeof(*entry), &event);

	if (!entry)
		return;
	entry->ip = hit->ip;
	entry->parent_ip = hit->parent_ip;
	entry->duration = hit->took;
	ring_buffer_unlock_commit(buffer);
}

static void __init early_show_call(void *data, const struct early_hit *hit)
{
	struct trace_buffer *buffer = data;

	early_count(hit->clock, hit);
	if (!(early_stats.recorded % 1024))
		cond_resched();
	if (!buffer)
		return;

	early_stamp = hit->clock;
	if (early_state.recorder == EARLY_RECORD_RETURNS)
		early_write_timed_call(buffer, hit);
	else
		early_write_call(buffer, hit);
}

/* The gaps in the calls, for programs that read early_stats. */
static struct early_hole {
	unsigned long	after;
	unsigned long	lost;
} early_holes[32];
static unsigned int early_nr_holes;

/* Shows a gap in the trace, as the ring buffer prints its own losses. */
static void __init early_show_lost(void *data, unsigned long nr)
{
	char text[sizeof("[LOST  EVENTS]\n") + 20];
	struct trace_buffer *buffer = data;
	struct ring_buffer_event *event;
	struct print_entry *entry;
	int len;

	if (early_nr_holes < ARRAY_SIZE(early_holes))
		early_holes[early_nr_holes++] = (struct early_hole) {
			.after = early_stats.recorded, .lost = nr };
	if (!buffer)
		return;

	len = snprintf(text, sizeof(text), "[LOST %lu EVENTS]\n", nr);
	entry = early_reserve_event(buffer, TRACE_PRINT, sizeof(*entry) + len + 1, &event);
	if (!entry)
		return;
	entry->ip = (unsigned long)early_ftrace_hand_over;
	memcpy(entry->buf, text, len + 1);
	ring_buffer_unlock_commit(buffer);
}

/* Makes room for all calls in the instance, and sets its clock. */
static int __init early_make_room(struct trace_array *tr, const char *clock)
{
	/* An event's header has 4 bytes; 16 bytes of a buffer page are not for events. */
	const size_t size = early_state.recorder == EARLY_RECORD_RETURNS ?
			    sizeof(struct early_call_entry) : sizeof(struct ftrace_entry);
	unsigned long pages = early_buffer_nr_entries() / ((PAGE_SIZE - 16) / (4 + size));
	int ret = tracing_set_clock(tr, clock);

	/* Where the clock makes a large step, an event takes 8 bytes more. */
	early_stats.ring_buffer_bytes = (pages + pages / 64 + 4) * (PAGE_SIZE - 16);
	if (!ret)
		ret = tracing_resize_ring_buffer(tr, early_stats.ring_buffer_bytes,
						 early_stats.cpu);
	if (ret < 0)
		early_stats.ring_buffer_bytes = 0;
	return ret;
}

static void __init early_free(void)
{
	if (early_state.brk)
		arch_early_ftrace_free(early_state.brk, early_state.brk_size);
	if (early_state.memblock) {
		kmemleak_free_part_phys(__pa(early_state.memblock), early_state.memblock_size);
		free_reserved_area(early_state.memblock,
				   early_state.memblock + early_state.memblock_size, -1,
				   "early ftrace");
	}
}

static void __init early_show(struct work_struct *work)
{
	struct early_reader reader = { .call = early_show_call, .lost = early_show_lost };
	struct trace_array *tr = early_state.tr;
	u64 start = arch_early_ftrace_clock();
	u64 (*clock)(void);

	clock = arch_early_ftrace_trace_clock(&early_stats.clock);
	if (tr && early_make_room(tr, early_stats.clock) >= 0) {
		reader.data = tr->array_buffer.buffer;
		ring_buffer_set_clock(reader.data, early_stamp_clock);
		early_buffer_read(&reader);
		ring_buffer_set_clock(reader.data, clock);
		early_stats.shown = ring_buffer_entries_cpu(reader.data, early_stats.cpu) -
				    early_nr_holes;
		/* Readers skip events before this time, and the buffer was reset a moment ago. */
		tr->array_buffer.time_start = 0;
		tracer_tracing_off(tr);
	} else {
		early_buffer_read(&reader);
		pr_warn("no instance %s for %lu calls: no memory, the name is taken, or lockdown\n",
			EARLY_INSTANCE, early_stats.recorded);
	}
	early_stats.show_cycles = arch_early_ftrace_clock() - start;
	early_free();
}

/* Prints a call in the files trace and trace_pipe. */
static enum print_line_t early_print_call(struct trace_iterator *iter, int flags,
					  struct trace_event *event)
{
	const struct early_call_entry *entry = (void *)iter->ent;
	struct trace_seq *s = &iter->seq;

	seq_print_ip_sym(s, entry->ip, flags);
	trace_seq_puts(s, " <-");
	seq_print_ip_sym(s, entry->parent_ip, flags);
	if (!entry->duration)
		trace_seq_puts(s, " (open)\n");
	else if (entry->duration == U64_MAX)
		trace_seq_puts(s, " (unknown)\n");
	else
		trace_seq_printf(s, " (%llu)\n", entry->duration);
	return trace_handle_return(s);
}

static enum print_line_t early_print_raw_call(struct trace_iterator *iter, int flags,
					      struct trace_event *event)
{
	const struct early_call_entry *entry = (void *)iter->ent;

	trace_seq_printf(&iter->seq, "%lx %lx %llu\n", entry->ip, entry->parent_ip,
			 entry->duration);
	return trace_handle_return(&iter->seq);
}

static struct trace_event_functions early_call_funcs = {
	.trace		= early_print_call,
	.raw		= early_print_raw_call,
};

static struct trace_event early_call_event = {
	.type		= TRACE_EARLY_CALL,
	.funcs		= &early_call_funcs,
};

static struct work_struct early_show_work __initdata;

static int __init early_show_start(void)
{
	if (!early_state.show) {
		early_free();
		return 0;
	}
	/* With lockdown, nobody could read or remove the instance. */
	early_state.tr = security_locked_down(LOCKDOWN_TRACEFS) ? NULL :
			 early_ftrace_new_instance(EARLY_INSTANCE);
	if (early_state.recorder == EARLY_RECORD_RETURNS)
		WARN_ON(!register_trace_event(&early_call_event));
	INIT_WORK(&early_show_work, early_show);
	schedule_work_on(early_stats.cpu, &early_show_work);
	return 0;
}
postcore_initcall(early_show_start);

/* Removes an instance without calls. This needs its directory. */
static void __init early_keep_instance(struct trace_array *tr)
{
	if (!tr)
		return;
	trace_array_put(tr);
	if (!early_stats.shown && tr->dir)
		trace_array_destroy(tr);
}

static int __init early_show_end(void)
{
	if (early_state.show) {
		flush_work(&early_show_work);
		early_keep_instance(early_state.tr);
	}
	if (early_stats.recorded)
		pr_info("%lu %s recorded, %lu calls lost, at %lu of the call sites%s\n",
			early_stats.recorded,
			early_once() ? "pairs of function and caller" : "calls",
			early_stats.lost, early_stats.sites,
			early_buffer_paused() ? ", until tracing was switched off" : "");
	if (early_stats.recorded && early_state.recorder == EARLY_RECORD_RETURNS)
		pr_info("%lu returns recorded\n", early_stats.returns);
	return 0;
}
late_initcall_sync(early_show_end);

/*
 * early_stats
 */

static int early_stats_show(struct seq_file *m, void *v)
{
	unsigned int i;

	seq_printf(m, "tracer: %s\n", early_stats.tracer ?: "none");
	seq_printf(m, "refused: %s\n", early_stats.refused ?: "none");
	seq_printf(m, "recorded: %lu\n", early_stats.recorded);
	seq_printf(m, "shown: %lu\n", early_stats.shown);
	seq_printf(m, "before_ftrace_init: %lu\n", early_stats.before_ftrace_init);
	seq_printf(m, "returns: %lu\n", early_stats.returns);
	seq_printf(m, "lost: %lu\n", early_stats.lost);
	for (i = 0; i < early_nr_holes; i++)
		seq_printf(m, "hole: %lu %lu\n", early_holes[i].after, early_holes[i].lost);
	seq_printf(m, "first: %llu\n", early_stats.first);
	seq_printf(m, "last: %llu\n", early_stats.last);
	seq_printf(m, "clock: %s\n", early_stats.clock ?: "none");
	seq_printf(m, "before_zero: %lu\n", early_stats.before_zero);
	seq_printf(m, "tsc_khz: %u\n", arch_early_ftrace_khz());
	seq_printf(m, "cpu: %d\n", early_stats.cpu);
	seq_printf(m, "sites: %lu\n", early_stats.sites);
	seq_printf(m, "differing: %lu\n", early_stats.changed.differing);
	seq_printf(m, "unexpected: %lu\n", early_stats.changed.unexpected);
	seq_printf(m, "buffer_bytes: %lu\n", early_stats.buffer_bytes);
	seq_printf(m, "ring_buffer_bytes: %lu\n", early_stats.ring_buffer_bytes);
	seq_printf(m, "filter_cycles: %llu\n", early_stats.filter_cycles);
	seq_printf(m, "convert_cycles: %llu\n", early_stats.convert_cycles);
	seq_printf(m, "show_cycles: %llu\n", early_stats.show_cycles);
	seq_printf(m, "recorder_cycles: %u\n", early_stats.cost.record);
	seq_printf(m, "inside_cycles: %u\n", early_stats.cost.inside);
	seq_printf(m, "jump_cycles: %u\n", early_stats.cost.jump);
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
