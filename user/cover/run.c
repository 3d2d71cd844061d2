// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run of `hytrace cover`, in this order, so that bad input costs nothing and nothing of the set-up is
 * recorded: look at the kernel, check the request against it, open the outputs, attach with the gate
 * closed, open the gate, let the command go; then close, detach, read, report. With two engines each
 * step is done for both before the next, so that they look through the same window.
 */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/privileges.h"
#include "cover/compare.h"
#include "cover/engine.h"
#include "cover/outputs.h"
#include "cover/report.h"
#include "cover/run.h"
#include "run/child.h"
#include "run/process.h"
#include "run/waiting.h"

#define MOST_ENGINES 2

struct running {
	const struct engine_ops *ops;
	void *engine;
	struct coverage coverage;
	uint64_t opening, open, closing, closed;	/* CLOCK_MONOTONIC */
	double attach_seconds, detach_seconds;
};

struct run {
	struct cover_options *options;
	struct symbols *symbols, *symbols_after;
	struct traceable *traceable;
	struct kernel_id kernel;
	struct module_files *files;
	struct guard *guard;
	struct instance *instance;
	struct outputs *outputs;
	struct request request;
	struct running running[MOST_ENGINES];
	size_t count;
	struct clock_pair first, last;
	struct child child;
	int process;			/* pidfd of the one that is followed, or -1 */
	struct waiting waiting;
};

static double seconds_since(uint64_t start)
{
	return (clock__monotonic() - start) / 1e9;
}

/* ---- before anything is enabled */

static void add_engine(struct run *r, const struct engine_ops *ops)
{
	r->running[r->count++].ops = ops;
}

static int choose_engines(struct run *r)
{
	int err = 0;

	switch (r->options->engine) {
	case ENGINE_BOTH:
		err = engine_oneshot.available(false);
		add_engine(r, &engine_oneshot);
		add_engine(r, &engine_bpf);
		break;
	case ENGINE_ONESHOT:
		err = engine_oneshot.available(false);
		add_engine(r, &engine_oneshot);
		break;
	case ENGINE_BPF:
		add_engine(r, &engine_bpf);
		break;
	case ENGINE_EVENT:
		err = engine_event.available(false);
		add_engine(r, &engine_event);
		break;
	case ENGINE_AUTO:
		/* Only the BPF engines have something to pin. */
		if (r->options->pin || engine_oneshot.available(true))
			add_engine(r, &engine_bpf);
		else
			add_engine(r, &engine_oneshot);
		break;
	}
	return err;
}

/* Where kprobe.multi takes part, what its program calls is left out, on both sides: bpf_own_functions. */
static int deny_own(struct run *r)
{
	int err = 0;

	for (size_t i = 0; i < r->count; i++) {
		if (r->running[i].ops != &engine_bpf)
			continue;
		for (const char *const *name = bpf_own_functions; !err && *name; name++)
			err = globs__add(&r->options->filter.own, *name);
	}
	return err;
}

static int find_module_files(struct run *r)
{
	char *directory;

	if (asprintf(&directory, "/lib/modules/%s", r->kernel.release) < 0)
		return error__no_memory();
	r->files = module_files__new(directory);
	free(directory);
	return r->files ? 0 : error__no_memory();
}

static int look_at_kernel(struct run *r)
{
	const struct cover_options *o = r->options;
	int err;

	err = privileges__check();
	if (!err)
		err = symbols__load(&r->symbols);
	if (!err)
		err = traceable__load(&r->traceable, r->symbols);
	if (!err)
		err = filter__check(&o->filter, r->traceable);
	if (!err)
		err = kernel_id__read(&r->kernel, r->symbols, o->vmlinux);
	if (!err)
		err = find_module_files(r);
	return err;
}

static int open_process(struct run *r)
{
	int fd;

	if (!r->options->pid)
		return 0;
	fd = process__open(r->options->pid);
	if (fd < 0)
		return fd;
	r->process = fd;
	return 0;
}

static int prepare(struct run *r)
{
	int err;

	err = look_at_kernel(r);
	if (!err)
		err = open_process(r);
	if (!err)
		err = choose_engines(r);
	if (!err)
		err = deny_own(r);
	if (!err)
		err = guard__start(&r->guard);
	if (!err)
		err = outputs__open(&r->outputs, r->options, r->count, &r->kernel, r->guard);
	return err;
}

/* ---- tracing */

static int prepare_engines(struct run *r)
{
	const struct cover_options *o = r->options;
	int err = 0;

	r->request = (struct request){
		.filter = &o->filter,
		.symbols = r->symbols,
		.traceable = r->traceable,
		.instance = r->instance,
		.guard = r->guard,
		.pin = o->pin,
		.max_entries = o->max_entries,
		.callers = o->callers,
		.follow = o->task || o->pid,
	};
	for (size_t i = 0; !err && i < r->count; i++) {
		uint64_t start = clock__monotonic();

		err = r->running[i].ops->prepare(&r->running[i].engine, &r->request);
		r->running[i].attach_seconds = seconds_since(start);
	}
	return err;
}

static int start_engines(struct run *r)
{
	const struct cover_options *o = r->options;
	int err = 0;

	for (size_t i = 0; !err && i < r->count; i++) {
		struct running *e = &r->running[i];
		uint64_t start = clock__monotonic();

		if (o->task || o->pid)
			err = e->ops->follow(e->engine, r->process);
		if (!err)
			err = e->ops->start(e->engine);
		e->attach_seconds += seconds_since(start);
	}
	return err;
}

static int open_gates(struct run *r)
{
	int err = 0;

	for (size_t i = 0; !err && i < r->count; i++) {
		struct running *e = &r->running[i];

		e->opening = clock__monotonic();
		err = e->ops->open(e->engine);
		e->open = clock__monotonic();
	}
	return err;
}

static int close_gates(struct run *r)
{
	int err = 0;

	for (size_t i = r->count; i > 0; i--) {
		struct running *e = &r->running[i - 1];
		int failed;

		e->closing = clock__monotonic();
		failed = e->ops->close(e->engine);
		e->closed = clock__monotonic();
		err = err ? err : failed;
	}
	return err;
}

static int stop_engines(struct run *r)
{
	int err = 0;

	for (size_t i = r->count; i > 0; i--) {
		struct running *e = &r->running[i - 1];
		uint64_t start = clock__monotonic();
		int failed = e->ops->stop(e->engine);

		e->detach_seconds = seconds_since(start);
		err = err ? err : failed;
	}
	return err;
}

/* While it is open, hytrace sleeps: what it did would be recorded as well. */
static int sleep_on(void *context)
{
	(void)context;
	return INT_MAX;
}

static void wait_for_end(struct run *r)
{
	const struct cover_options *o = r->options;
	struct limits limits = { .duration = o->duration, .process = o->command ? -1 : r->process };

	waiting__for_end(&r->waiting, &limits, sleep_on, NULL);
}

static int fork_command(struct run *r)
{
	int err = child__fork(&r->child, r->options->command, &r->waiting.old_mask), fd;

	if (err || !r->options->task)
		return err;
	fd = process__open_own(r->child.pid);
	if (fd < 0)
		return fd;
	r->process = fd;
	return 0;
}

/* Attaching takes its time, and there is nothing to record of who does not see its end. */
static int check_process(const struct run *r)
{
	if (r->options->pid && process__has_ended(r->process))
		return error__return(-ESRCH, "--pid %ld: the process has ended before it could be "
				     "traced", r->options->pid);
	return 0;
}

/* @ret_status: of a command that could not be executed. */
static int trace(struct run *r, int *ret_status)
{
	int err, failed;

	err = instance__create(&r->instance, r->guard);
	if (!err)
		err = instance__read_clock(r->instance, &r->first);
	if (!err)
		err = instance__gate(r->instance, false);
	if (!err)
		err = prepare_engines(r);
	if (!err)
		err = waiting__begin(&r->waiting, &r->child);
	if (!err && r->options->command)
		err = fork_command(r);
	if (!err)
		err = start_engines(r);
	if (!err)
		err = check_process(r);
	if (!err)
		err = open_gates(r);
	if (err)
		return err;

	if (r->child.pid)
		*ret_status = child__release(&r->child, r->options->command[0]);
	if (!*ret_status)
		wait_for_end(r);
	err = close_gates(r);
	failed = stop_engines(r);
	return err ? err : failed;
}

/* ---- after it */

static char **copy_list(char *const *list)
{
	size_t count = 0;
	char **copy;

	while (list[count])
		count++;
	copy = calloc(count + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < count; i++)
		copy[i] = strdup(list[i]);
	return copy;
}

/* Those of which something was asked for; the list is sorted as the table is. */
static char **traced_modules(const struct run *r)
{
	size_t count;
	const struct module *modules = symbols__modules(r->symbols, &count);
	char **list = calloc(count + 1, sizeof(*list));

	for (size_t i = 0; list && i < count; i++)
		list[i] = strdup(modules[i].name);
	return list;
}

static size_t count_traced(const struct run *r)
{
	size_t traced = 0;

	for (size_t i = 0; i < traceable__count(r->traceable); i++) {
		const struct traceable_function *f = traceable__at(r->traceable, i);

		traced += filter__judge(&r->options->filter, f->name, f->module) == FILTER_TRACED;
	}
	return traced;
}

static size_t count_seen(const struct run *r, const struct coverage *c)
{
	size_t seen = 0;

	for (size_t i = 0; i < c->hits.count; i++) {
		const struct hit *hit = &c->hits.list[i];
		const struct traceable_function *f = NULL;

		if (hit->kind & HIT_FUNCTION && hit->addr)
			f = traceable__find(r->traceable, hit->addr);
		seen += f && filter__judge(&c->filter, f->name, f->module) == FILTER_TRACED;
	}
	return seen;
}

static int copy_kernel(struct kernel_id *ret, const struct kernel_id *id)
{
	*ret = *id;
	ret->release = id->release ? strdup(id->release) : NULL;
	ret->build_id = id->build_id ? strdup(id->build_id) : NULL;
	return 0;
}

static int describe(struct run *r, struct coverage *c, enum scope scope)
{
	const struct cover_options *o = r->options;

	copy_kernel(&c->kernel, &r->kernel);
	c->boot_id = kernel_id__boot_id();
	c->scope = scope;
	c->pid = o->pid;
	c->callers = o->callers;
	c->command = o->command ? copy_list(o->command) : NULL;
	c->traceable = traceable__count(r->traceable);
	c->traced = count_traced(r);
	c->modules = traced_modules(r);
	return filter__copy(&c->filter, &o->filter);
}

static void set_window(const struct run *r, struct running *e)
{
	struct window *w = &e->coverage.window;

	w->opening = clock_pair__local(&r->first, &r->last, e->opening);
	w->open = clock_pair__local(&r->first, &r->last, e->open);
	w->closing = clock_pair__local(&r->first, &r->last, e->closing);
	w->closed = clock_pair__local(&r->first, &r->last, e->closed);
	w->error = r->first.error > r->last.error ? r->first.error : r->last.error;
	e->coverage.seconds = (e->closing - e->open) / 1e9;
}

static int collect_one(struct run *r, struct running *e, const struct places *places)
{
	struct coverage *c = &e->coverage;
	uint64_t start = clock__monotonic();
	int err;

	err = coverage__init(c, e->ops->name);
	if (!err)
		err = describe(r, c, r->options->task ? SCOPE_TASK :
				     r->options->pid ? SCOPE_PID : SCOPE_SYSTEM);
	if (!err)
		err = e->ops->collect(e->engine, c, places, &r->first, &r->last);
	if (err)
		return err;
	set_window(r, e);
	hits__settle(&c->hits);
	c->traced_seen = count_seen(r, c);
	counters__add(&c->cost, "attach_us", e->attach_seconds * 1e6);
	counters__add(&c->cost, "detach_us", e->detach_seconds * 1e6);
	return counters__add(&c->cost, "collect_us", seconds_since(start) * 1e6);
}

static int collect(struct run *r)
{
	struct places places = {
		.before = r->symbols, .traceable = r->traceable, .kernel = &r->kernel,
		.files = r->files,
	};
	int err = 0;

	/* Modules may have come and gone. */
	if (!symbols__hold(r->symbols))
		err = symbols__load(&r->symbols_after);
	places.after = r->symbols_after;
	/* With the tracer off, a marker is the only thing that is written. */
	if (!err)
		err = instance__gate(r->instance, true);
	if (!err)
		err = instance__read_clock(r->instance, &r->last);
	for (size_t i = 0; !err && i < r->count; i++)
		err = collect_one(r, &r->running[i], &places);
	return err;
}

static int report(struct run *r)
{
	const struct coverage *coverages[MOST_ENGINES];

	for (size_t i = 0; i < r->count; i++) {
		coverages[i] = &r->running[i].coverage;
		report__losses(coverages[i]);
	}
	return outputs__write(r->outputs, coverages, r->count, r->traceable);
}

static int cover_boot(struct run *r)
{
	struct running *e = &r->running[0];
	struct places places = {
		.before = r->symbols, .traceable = r->traceable, .kernel = &r->kernel,
		.files = r->files,
	};
	struct coverage *c = &e->coverage;
	int err;

	e->closing = clock__monotonic();
	err = coverage__init(c, engine_oneshot.name);
	if (!err)
		err = describe(r, c, SCOPE_BOOT);
	if (!err)
		err = oneshot__collect_boot(c, &places);
	if (!err)
		err = instance__create(&r->instance, r->guard);
	if (!err)
		err = instance__read_clock(r->instance, &r->first);
	if (err)
		return err;
	r->last = r->first;
	e->closed = clock__monotonic();
	set_window(r, e);
	/* Open since the clock began to run. */
	c->window.opening = c->window.open = 0;
	c->seconds = c->window.closing / 1e9;
	hits__settle(&c->hits);
	c->traced_seen = count_seen(r, c);
	return report(r);
}

static void cleanup(struct run *r)
{
	child__abandon(&r->child);
	for (size_t i = 0; i < r->count; i++) {
		if (r->running[i].engine)
			r->running[i].ops->destroy(r->running[i].engine);
		coverage__free(&r->running[i].coverage);
	}
	instance__close(r->instance);
	outputs__free(r->outputs);
	kernel_id__free(&r->kernel);
	module_files__free(r->files);
	traceable__free(r->traceable);
	symbols__free(r->symbols);
	symbols__free(r->symbols_after);
	if (r->process >= 0)
		close(r->process);
}

static int run_tracing(struct run *r, int *ret_status)
{
	int err;

	err = trace(r, ret_status);
	if (*ret_status)
		return err;
	if (!err)
		err = collect(r);
	if (!err)
		err = report(r);
	return err;
}

int cover__run(struct cover_options *o)
{
	struct run r = { .options = o, .process = -1, .waiting.signals = -1 };
	int err, failed, status = 0;

	if (o->boot)
		o->engine = ENGINE_ONESHOT;
	err = prepare(&r);
	if (!err)
		err = o->boot ? cover_boot(&r) : run_tracing(&r, &status);
	cleanup(&r);
	failed = guard__finish(r.guard);
	if (!err)
		err = failed;
	/* Only then: nothing is to stay attached, or made, while the command goes on. */
	if (r.child.released && !status) {
		waiting__for_child(&r.waiting);
		status = child__exit_status(&r.child);
	}
	waiting__end(&r.waiting);
	return err ? error__status(err, o->command != NULL) : status;
}
