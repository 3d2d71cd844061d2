// SPDX-License-Identifier: GPL-2.0-only
/* The contenders that are tracers of the kernel itself: function, the profiler, oneshot. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

static int limit_to_scope(enum bench_scope scope)
{
	if (scope == BENCH_ALL)
		return 0;
	return trace_instance__write("set_ftrace_filter", BENCH_FUNCTION);
}

static void close_instance(const struct contender *c)
{
	trace_instance__close();
}

/* The size in kilobytes, of all CPUs. */
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
	.scopes = BENCH_ONE | BENCH_ALL,
	.workloads = WORKLOADS_ALL,
	.warmup = WARMUP_RING_BUFFER,
	.note = "each call an event with its caller; memory is the ring buffer's, which overwrites",
	.setup = function__setup,
	.attach = function__attach,
	.report = report_ring_buffer,
	.detach = tracer__detach,
	.cleanup = close_instance,
};

/* ---- function without repeated calls */

/*
 * Linux 6.12 has one such flag for all instances, newer kernels have one in each. It only appears in an instance when the
 * tracer is used there.
 */
#define NO_REPEATS "options/func-no-repeats"

static int no_repeats__setup(const struct contender *c, enum bench_scope scope)
{
	double value;
	char *text;
	int err;

	if (!trace_top__has(NO_REPEATS))
		return -EOPNOTSUPP;
	err = trace_top__read(NO_REPEATS, &text);
	if (err)
		return err;
	value = strtod(text, NULL);
	free(text);
	err = trace_instance__open();
	if (err)
		return err;
	*bench_left = (struct bench_left){ .touched = true, .old = value };
	return trace_top__write(NO_REPEATS, "1");
}

static int no_repeats__attach(const struct contender *c, enum bench_scope scope)
{
	return function__attach(c, scope) ?: trace_instance__write(NO_REPEATS, "1");
}

static void no_repeats__cleanup(const struct contender *c)
{
	if (bench_left->touched && !bench_left->old)
		trace_top__write(NO_REPEATS, "0");
	bench_left->touched = false;
	trace_instance__close();
}

const struct contender contender_no_repeats = {
	.name = "no-repeats",
	.scopes = BENCH_ONE | BENCH_ALL,
	.warmup = WARMUP_RING_BUFFER,
	.note = "the function tracer with options/func-no-repeats: a call like the last one is counted",
	.setup = no_repeats__setup,
	.attach = no_repeats__attach,
	.report = report_ring_buffer,
	.detach = tracer__detach,
	.cleanup = no_repeats__cleanup,
};

/* ---- function_graph: entry and exit; only the first functions that system calls call */

static int graph__setup(const struct contender *c, enum bench_scope scope)
{
	char *text;
	bool there;
	int err;

	err = trace_instance__open() ?: trace_instance__read("available_tracers", &text);
	if (err)
		return err;
	there = strstr(text, "function_graph");
	free(text);
	if (!there)
		return -EOPNOTSUPP;
	/* This file is one for all instances. */
	err = trace_top__read("max_graph_depth", &text);
	if (err)
		return err;
	*bench_left = (struct bench_left){ .touched = true, .old = strtod(text, NULL) };
	free(text);
	return trace_top__write("max_graph_depth", "1");
}

static int graph__attach(const struct contender *c, enum bench_scope scope)
{
	return limit_to_scope(scope) ?: trace_instance__write("current_tracer", "function_graph");
}

static void graph__cleanup(const struct contender *c)
{
	char old[32];

	trace_instance__close();
	snprintf(old, sizeof(old), "%.0f", bench_left->old);
	if (bench_left->touched)
		trace_top__write("max_graph_depth", old);
	bench_left->touched = false;
}

const struct contender contender_graph = {
	.name = "graph-depth-1",
	.scopes = BENCH_ONE | BENCH_ALL,
	.warmup = WARMUP_RING_BUFFER,
	.note = "function_graph without deeper calls",
	.setup = graph__setup,
	.attach = graph__attach,
	.report = report_ring_buffer,
	.detach = tracer__detach,
	.cleanup = graph__cleanup,
};

/* ---- profiler: counts and times for each function; it has no instances */

/* There is only one profiler, with the filter of the top instance, which somebody may be using. */
static int profiler__setup(const struct contender *c, enum bench_scope scope)
{
	char *text;
	bool used;
	int err;

	if (!trace_top__has("function_profile_enabled"))
		return -EOPNOTSUPP;
	err = trace_top__read("function_profile_enabled", &text);
	if (err)
		return err;
	used = *text != '0';
	free(text);
	err = trace_top__read("set_ftrace_filter", &text);
	if (err)
		return err;
	used |= *text != '#';
	free(text);
	if (used)
		return bench_error(-EBUSY, "the function profiler, or set_ftrace_filter, is in use");
	bench_left->touched = true;
	return trace_top__write("set_ftrace_filter", scope == BENCH_ONE ? BENCH_FUNCTION : " ");
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
	if (!bench_left->touched)
		return;
	trace_top__write("function_profile_enabled", "0");
	trace_top__write("set_ftrace_filter", " ");
	bench_left->touched = false;
}

const struct contender contender_profiler = {
	.name = "profiler",
	.scopes = BENCH_ONE | BENCH_ALL,
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
	.scopes = BENCH_ONE | BENCH_ALL,	\
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

/* ---- oneshot, with known functions retired */

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

/* The cost of retiring, as the kernel has timed it. Under icount, its ns are instructions. */
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
	/* The worker runs after 25 ms, and later if it finds little to do, up to 800 ms. */
	.settle_ms = 2000,
	.note = "function only, call sites off once it is known",
	.variant = &oneshot_nocallers,
	.scopes = BENCH_ONE | BENCH_ALL,
	.setup = oneshot_retired__setup,
	.attach = oneshot_retired__attach,
	.clear = oneshot__clear,
	.report = oneshot_retired__report,
	.detach = tracer__detach,
	.cleanup = close_instance,
};
