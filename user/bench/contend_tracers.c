// SPDX-License-Identifier: GPL-2.0-only
/* The contenders that are tracers of the kernel: function, function_graph, profiler, oneshot. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

static int limit_to_scope(enum bench_scope scope)
{
	return scope == BENCH_ALL ? 0 : trace__write(bench_instance, "set_ftrace_filter", BENCH_FUNCTION);
}

static int tracer__detach(const struct contender *c)
{
	return trace__write(bench_instance, "current_tracer", "nop");
}

/* ---- tracers whose calls are events: function, and function_graph */

/* Sets a file that all instances share to 1. The old value is restored at the end. */
static int set_at_top(const char *name)
{
	double value;
	int err = trace__number(TOP, name, "", &value);

	if (err)
		return err;
	*bench_left = (struct bench_left){ .touched = true, .old = value };
	return trace__write(TOP, name, "1");
}

static int tracer__setup(const struct contender *c, enum bench_scope scope)
{
	char *text;
	bool there;
	int err;

	if (c->tracer.top && !trace__has(TOP, c->tracer.top))
		return -EOPNOTSUPP;
	err = trace_instance__open();
	err = err ?: trace__read(bench_instance, "available_tracers", &text);
	if (err)
		return err;
	there = strstr(text, c->tracer.name);
	free(text);
	if (!there)
		return -EOPNOTSUPP;
	return c->tracer.top ? set_at_top(c->tracer.top) : 0;
}

static int tracer__attach(const struct contender *c, enum bench_scope scope)
{
	int err = limit_to_scope(scope) ?: trace__write(bench_instance, "current_tracer", c->tracer.name);

	return !err && c->tracer.option ? trace__write(bench_instance, c->tracer.option, "1") : err;
}

static void tracer__cleanup(const struct contender *c)
{
	char old[32];

	trace_instance__close();
	snprintf(old, sizeof(old), "%.0f", bench_left->old);
	if (bench_left->touched)
		trace__write(TOP, c->tracer.top, old);
	bench_left->touched = false;
}

const struct method method_tracer = {
	.setup = tracer__setup,
	.attach = tracer__attach,
	.report = trace_instance__memory,
	.detach = tracer__detach,
	.cleanup = tracer__cleanup,
};

/* ---- profiler: counts and times for each function; it has no instances */

/* There is one profiler, with the filter of the top instance. Both may be in use. */
static int profiler__setup(const struct contender *c, enum bench_scope scope)
{
	char *enabled, *filter;
	bool used;
	int err;

	if (!trace__has(TOP, "function_profile_enabled"))
		return -EOPNOTSUPP;
	err = trace__read(TOP, "function_profile_enabled", &enabled);
	if (err)
		return err;
	err = trace__read(TOP, "set_ftrace_filter", &filter);
	used = !err && (*enabled != '0' || *filter != '#');
	free(enabled);
	free(filter);
	if (err)
		return err;
	if (used)
		return bench_error(-EBUSY, "the function profiler, or set_ftrace_filter, is in use");
	bench_left->touched = true;
	return trace__write(TOP, "set_ftrace_filter", scope == BENCH_ONE ? BENCH_FUNCTION : " ");
}

static int profiler__attach(const struct contender *c, enum bench_scope scope)
{
	return trace__write(TOP, "function_profile_enabled", "1");
}

/* Each function is a line, after two lines that are the head of the table. */
static int profiler__report(const struct contender *c, struct bench_row *row)
{
	double lines = 0;
	char *text;
	int err;

	err = trace__read(TOP, "trace_stat/function0", &text);
	if (err)
		return err;
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	row->seen = lines >= 2 ? lines - 2 : lines;
	free(text);
	return 0;
}

static int profiler__detach(const struct contender *c)
{
	return trace__write(TOP, "function_profile_enabled", "0");
}

static void profiler__cleanup(const struct contender *c)
{
	if (!bench_left->touched)
		return;
	trace__write(TOP, "function_profile_enabled", "0");
	trace__write(TOP, "set_ftrace_filter", " ");
	bench_left->touched = false;
}

const struct method method_profiler = {
	.setup = profiler__setup,
	.attach = profiler__attach,
	.report = profiler__report,
	.detach = profiler__detach,
	.cleanup = profiler__cleanup,
};

/* ---- oneshot: each address once */

static int oneshot__setup(const struct contender *c, enum bench_scope scope)
{
	int err = trace_instance__open();

	if (err)
		return err;
	if (!trace__has(bench_instance, "oneshot_seen"))
		return bench_error(-EOPNOTSUPP, "this kernel has no oneshot tracer");
	if (c->oneshot.retire && !trace__has(bench_instance, "oneshot_retire_ms"))
		return bench_error(-EOPNOTSUPP, "this kernel's oneshot tracer does not retire");
	return 0;
}

static int oneshot__attach(const struct contender *c, enum bench_scope scope)
{
	int err = limit_to_scope(scope);

	err = err ?: trace__write(bench_instance, "options/oneshot-parent", c->oneshot.parent);
	if (!err && c->oneshot.retire)
		err = trace__write(bench_instance, "options/oneshot-retire", "1");
	return err ?: trace__write(bench_instance, "current_tracer", "oneshot");
}

static int oneshot__clear(const struct contender *c)
{
	return trace__write(bench_instance, "oneshot_seen", "0");
}

static int oneshot__stat(const char *name, double *ret)
{
	return trace__number(bench_instance, "oneshot_stats", name, ret);
}

/* The note has the cost of retiring, in ns by the kernel's clock (icount: instructions). */
static int oneshot__report(const struct contender *c, struct bench_row *row)
{
	double sites, batches, ns;
	int err;

	err = oneshot__stat("entries", &row->seen) ?: oneshot__stat("bytes", &row->memory_bytes);
	err = err ?: oneshot__stat("refused", &row->missed);
	if (err || !c->oneshot.retire)
		return err;
	err = oneshot__stat("retired", &sites) ?: oneshot__stat("retire_batches", &batches);
	err = err ?: oneshot__stat("retire_ns", &ns);
	if (!err)
		snprintf(row->note, sizeof(row->note), "%s: %.0f, in %.0f batches that took %.0f",
			 c->note, sites, batches, ns);
	return err;
}

static void oneshot__cleanup(const struct contender *c)
{
	trace_instance__close();
}

const struct method method_oneshot = {
	.setup = oneshot__setup,
	.attach = oneshot__attach,
	.clear = oneshot__clear,
	.report = oneshot__report,
	.detach = tracer__detach,
	.cleanup = oneshot__cleanup,
};
