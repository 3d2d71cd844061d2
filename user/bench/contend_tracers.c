// SPDX-License-Identifier: GPL-2.0-only
/* The contenders that are tracers of the kernel itself: function, the profiler, oneshot. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

static int limit_to_scope(enum bench_scope scope)
{
	if (scope == SCOPE_ALL)
		return 0;
	return trace_instance__write("set_ftrace_filter", BENCH_FUNCTION);
}

static void close_instance(const struct contender *c)
{
	trace_instance__close();
}

/* Kilobytes, over all CPUs. */
static int report_ring_buffer(const struct contender *c, struct bench_row *row)
{
	double kb;
	int err;

	err = trace_instance__read_value("buffer_total_size_kb", "", &kb);
	if (!err)
		row->memory_bytes = kb * 1024;
	return err;
}

/* ---- function: each call is an event */

static int function__setup(const struct contender *c, enum bench_scope scope)
{
	return trace_instance__open();
}

static int function__attach(const struct contender *c, enum bench_scope scope)
{
	int err;

	err = limit_to_scope(scope);
	return err ?: trace_instance__write("current_tracer", "function");
}

static int tracer__detach(const struct contender *c)
{
	return trace_instance__write("current_tracer", "nop");
}

const struct contender contender_function = {
	.name = "function",
	.scopes = SCOPE_ONE | SCOPE_ALL,
	.workloads = WORKLOADS_ALL,
	.warmup = WARMUP_RING_BUFFER,
	.note = "each call an event with its caller; memory is the ring buffer's, which overwrites",
	.setup = function__setup,
	.attach = function__attach,
	.report = report_ring_buffer,
	.detach = tracer__detach,
	.cleanup = close_instance,
};

/* ---- the same, without what is called again and again in a row */

static int no_repeats__attach(const struct contender *c, enum bench_scope scope)
{
	return trace_instance__write("options/func-no-repeats", "1") ?: function__attach(c, scope);
}

static int no_repeats__setup(const struct contender *c, enum bench_scope scope)
{
	/* The options of a tracer are there when it is: ask with it. */
	int err = trace_instance__open();

	err = err ?: trace_instance__write("set_ftrace_filter", BENCH_FUNCTION);
	err = err ?: trace_instance__write("current_tracer", "function");
	if (!err && !trace_instance__has("options/func-no-repeats"))
		err = -EOPNOTSUPP;
	err = err ?: trace_instance__write("current_tracer", "nop");
	return err ?: trace_instance__write("set_ftrace_filter", " ");
}

const struct contender contender_no_repeats = {
	.name = "no-repeats",
	.scopes = SCOPE_ONE | SCOPE_ALL,
	.warmup = WARMUP_RING_BUFFER,
	.note = "the function tracer with options/func-no-repeats: a call like the last one is counted",
	.setup = no_repeats__setup,
	.attach = no_repeats__attach,
	.report = report_ring_buffer,
	.detach = tracer__detach,
	.cleanup = close_instance,
};

/* ---- function_graph: entry and exit; only what system calls call first */

static int graph__setup(const struct contender *c, enum bench_scope scope)
{
	char *tracers;
	int err = trace_top__read("available_tracers", &tracers);
	bool there = !err && strstr(tracers, "function_graph");

	if (!err)
		free(tracers);
	if (err || !there)
		return err ?: -EOPNOTSUPP;
	return trace_top__write("max_graph_depth", "1");
}

static int graph__attach(const struct contender *c, enum bench_scope scope)
{
	int err = trace_top__write("set_ftrace_filter", scope == SCOPE_ONE ? BENCH_FUNCTION : " ");

	return err ?: trace_top__write("current_tracer", "function_graph");
}

static int graph__detach(const struct contender *c)
{
	return trace_top__write("current_tracer", "nop");
}

static void graph__cleanup(const struct contender *c)
{
	trace_top__write("current_tracer", "nop");
	trace_top__write("set_ftrace_filter", " ");
	trace_top__write("max_graph_depth", "0");
	trace_top__write("trace", "");
}

const struct contender contender_graph = {
	.name = "graph-depth-1",
	.scopes = SCOPE_ONE | SCOPE_ALL,
	.warmup = WARMUP_RING_BUFFER,
	.note = "function_graph, what is called deeper left out",
	.setup = graph__setup,
	.attach = graph__attach,
	.detach = graph__detach,
	.cleanup = graph__cleanup,
};

/* ---- profiler: counts and times, per function; it has no instances */

static int profiler__setup(const struct contender *c, enum bench_scope scope)
{
	return trace_top__write("set_ftrace_filter", scope == SCOPE_ONE ? BENCH_FUNCTION : " ");
}

static int profiler__attach(const struct contender *c, enum bench_scope scope)
{
	return trace_top__write("function_profile_enabled", "1");
}

static int profiler__report(const struct contender *c, struct bench_row *row)
{
	int err;

	err = trace_top__count_lines("trace_stat/function0", &row->seen);
	if (!err && row->seen >= 2)
		row->seen -= 2;		/* the head of the table */
	return err;
}

static int profiler__detach(const struct contender *c)
{
	return trace_top__write("function_profile_enabled", "0");
}

static void profiler__cleanup(const struct contender *c)
{
	trace_top__write("function_profile_enabled", "0");
	trace_top__write("set_ftrace_filter", " ");
}

const struct contender contender_profiler = {
	.name = "profiler",
	.scopes = SCOPE_ONE | SCOPE_ALL,
	.note = "counts and times each call, no callers",
	.setup = profiler__setup,
	.attach = profiler__attach,
	.report = profiler__report,
	.detach = profiler__detach,
	.cleanup = profiler__cleanup,
};

/* ---- oneshot: each address once */

struct oneshot_variant {
	const char *parent;
};

static int oneshot__setup(const struct contender *c, enum bench_scope scope)
{
	int err;

	err = trace_instance__open();
	if (err)
		return err;
	if (!trace_instance__has("oneshot_seen"))
		return bench_error(-EOPNOTSUPP, "this kernel has no oneshot tracer");
	return 0;
}

static int oneshot__attach(const struct contender *c, enum bench_scope scope)
{
	const struct oneshot_variant *variant = c->variant;
	int err;

	err = limit_to_scope(scope);
	err = err ?: trace_instance__write("options/oneshot-parent", variant->parent);
	return err ?: trace_instance__write("current_tracer", "oneshot");
}

static int oneshot__clear(const struct contender *c)
{
	return trace_instance__write("oneshot_seen", "0");
}

static int oneshot__report(const struct contender *c, struct bench_row *row)
{
	int err;

	err = trace_instance__read_value("oneshot_stats", "entries", &row->seen);
	err = err ?: trace_instance__read_value("oneshot_stats", "bytes", &row->memory_bytes);
	return err ?: trace_instance__read_value("oneshot_stats", "refused", &row->missed);
}

static const struct oneshot_variant oneshot_callers = { .parent = "1" };
static const struct oneshot_variant oneshot_nocallers = { .parent = "0" };

#define ONESHOT_CALLBACKS			\
	.scopes = SCOPE_ONE | SCOPE_ALL,	\
	.setup = oneshot__setup,		\
	.attach = oneshot__attach,		\
	.clear = oneshot__clear,		\
	.report = oneshot__report,		\
	.detach = tracer__detach,		\
	.cleanup = close_instance

const struct contender contender_oneshot = {
	.name = "oneshot",
	.workloads = WORKLOADS_ALL,
	.note = "function and caller",
	.variant = &oneshot_callers,
	ONESHOT_CALLBACKS,
};

const struct contender contender_oneshot_nocallers = {
	.name = "oneshot-nocallers",
	.workloads = WORKLOADS_ALL,
	.note = "function only",
	.variant = &oneshot_nocallers,
	ONESHOT_CALLBACKS,
};

/* ---- the same, with call sites turned off once they are known */

static int oneshot_retired__setup(const struct contender *c, enum bench_scope scope)
{
	int err = oneshot__setup(c, scope);

	if (!err && !trace_instance__has("oneshot_retire_ms"))
		return bench_error(-EOPNOTSUPP, "this kernel's oneshot tracer does not retire");
	return err;
}

static int oneshot_retired__attach(const struct contender *c, enum bench_scope scope)
{
	int err;

	err = trace_instance__write("options/oneshot-parent", "0");
	err = err ?: trace_instance__write("options/oneshot-retire", "1");
	return err ?: oneshot__attach(c, scope);
}

/* What it took to turn them off, as the kernel has timed it: instructions, where those are ns. */
static int oneshot_retired__report(const struct contender *c, struct bench_row *row)
{
	double sites, batches, ns;
	int err;

	err = oneshot__report(c, row);
	err = err ?: trace_instance__read_value("oneshot_stats", "retired", &sites);
	err = err ?: trace_instance__read_value("oneshot_stats", "retire_batches", &batches);
	err = err ?: trace_instance__read_value("oneshot_stats", "retire_ns", &ns);
	if (!err)
		snprintf(row->note, sizeof(row->note), "%s: %.0f, in %.0f batches that took %.0f",
			 c->note, sites, batches, ns);
	return err;
}

const struct contender contender_oneshot_retired = {
	.name = "oneshot-retired",
	.workloads = WORKLOADS_ALL,
	/* The worker comes after 100 ms, and later if it finds little to do. */
	.settle_ms = 2000,
	.note = "function only, call sites off once it is known",
	.variant = &oneshot_nocallers,
	.scopes = SCOPE_ONE | SCOPE_ALL,
	.setup = oneshot_retired__setup,
	.attach = oneshot_retired__attach,
	.clear = oneshot__clear,
	.report = oneshot_retired__report,
	.detach = tracer__detach,
	.cleanup = close_instance,
};

/* ---- the one that runs since boot */

/* Where the kernel was booted with ftrace=oneshot; it is off while the base is measured. */
static int oneshot_early__setup(const struct contender *c, enum bench_scope scope)
{
	char *line = NULL;
	size_t room = 0;
	bool there = false;
	FILE *f = fopen("/proc/cmdline", "r");

	if (f && getline(&line, &room, f) > 0)
		there = strstr(line, "ftrace=oneshot");
	if (f)
		fclose(f);
	free(line);
	return there ? 0 : -EOPNOTSUPP;
}

static int oneshot_early__attach(const struct contender *c, enum bench_scope scope)
{
	return trace_top__write("current_tracer", "oneshot");
}

static int oneshot_early__detach(const struct contender *c)
{
	return trace_top__write("current_tracer", "nop");
}

static int oneshot_early__report(const struct contender *c, struct bench_row *row)
{
	return trace_top__read_last("oneshot_stats", "entries", &row->seen) ?:
	       trace_top__read_last("oneshot_stats", "bytes", &row->memory_bytes) ?:
	       trace_top__read_last("oneshot_stats", "refused", &row->missed);
}

const struct contender contender_oneshot_early = {
	.name = "oneshot-early",
	.scopes = SCOPE_ALL,
	.note = "function and caller, since boot (ftrace=oneshot)",
	.setup = oneshot_early__setup,
	.attach = oneshot_early__attach,
	.report = oneshot_early__report,
	.detach = oneshot_early__detach,
	.cleanup = NULL,
};
