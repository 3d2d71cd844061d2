// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run of `hytrace cover`, in this order, so that bad input costs nothing and nothing of the set-up is
 * recorded: look at the kernel, check the request against it, open the outputs, attach with the gate
 * closed, open the gate, let the command go; then close, detach, read, report.
 *
 * The steps are those of cover__run() at the end and of the functions right above it, which alone
 * know the whole run; each step is handed what it needs.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/privileges.h"
#include "base/progress.h"
#include "cover/engines.h"
#include "cover/losses.h"
#include "cover/outputs.h"
#include "cover/report.h"
#include "cover/run.h"
#include "run/process.h"
#include "run/workload.h"

/* What is known of the kernel when tracing begins. */
struct kernel {
	struct symbols *symbols;
	struct traceable *traceable;
	struct kernel_id id;
	struct call_sites *sites;
	struct module_files *files;
};

/* The clocks, before opening and after closing. */
struct clocks {
	struct clock_pair first, last;
};

struct run {
	const struct cover_options *options;
	struct kernel kernel;
	struct guard *guard;
	struct outputs *outputs;
	struct instance *instance;
	uint64_t ring_buffer_bytes;
	struct engines engines;
	struct request request;
	struct clocks clocks;
	struct workload workload;
	int process;			/* pidfd of the one that is followed, or -1 */
	struct coverage coverages[MOST_ENGINES];
};

/* ---- before anything is enabled */

static int find_module_files(const char *release, struct module_files **ret)
{
	char *directory;

	if (asprintf(&directory, "/lib/modules/%s", release) < 0)
		return error__no_memory();
	*ret = module_files__new(directory);
	free(directory);
	return *ret ? 0 : error__no_memory();
}

/* The filter is checked as soon as that can be done: it is what is wrong most often. */
static int look_at_kernel(struct kernel *k, const struct filter *filter, const char *vmlinux)
{
	int err;

	err = symbols__load(&k->symbols);
	if (!err)
		err = traceable__load(&k->traceable, k->symbols);
	if (!err)
		err = filter__check(filter, k->traceable);
	if (!err)
		err = kernel_id__read(&k->id, k->symbols, vmlinux);
	if (!err)
		err = call_sites__read(&k->sites, &k->id, vmlinux);
	k->id.calls_linked = k->sites && k->id.offset_known;
	if (!err)
		err = find_module_files(k->id.release, &k->files);
	return err;
}

static void forget_kernel(struct kernel *k)
{
	kernel_id__free(&k->id);
	call_sites__free(k->sites);
	module_files__free(k->files);
	traceable__free(k->traceable);
	symbols__free(k->symbols);
}

/* @pid: 0: none, and nothing is opened. */
static int open_process(long pid, int *ret)
{
	int fd = pid ? process__open(pid) : -1;

	if (pid && fd < 0)
		return fd;
	*ret = fd;
	return 0;
}

/* ---- tracing */

/* @task: the command is who is followed. */
static int fork_command(struct workload *w, bool task, int *ret_process)
{
	int err = workload__fork(w), fd;

	if (err || !task)
		return err;
	fd = process__open_own(w->pid);
	if (fd < 0)
		return fd;
	*ret_process = fd;
	return 0;
}

/* Attaching takes its time, and there is nothing to record of who does not see its end. */
static int check_process(long pid, int process)
{
	if (pid && process__has_ended(process))
		return error__return(-ESRCH, "--pid %ld: the process has ended before it could be "
				     "traced", pid);
	return 0;
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
static char **traced_modules(const struct symbols *symbols)
{
	size_t count;
	const struct module *modules = symbols__modules(symbols, &count);
	char **list = calloc(count + 1, sizeof(*list));

	for (size_t i = 0; list && i < count; i++)
		list[i] = strdup(modules[i].name);
	return list;
}

static size_t count_asked_for(const struct traceable *t, const struct filter *filter)
{
	size_t traced = 0;

	for (size_t i = 0; i < traceable__count(t); i++) {
		const struct traceable_function *f = traceable__at(t, i);

		traced += filter__asks_for(filter, f->name, f->module);
	}
	return traced;
}

static size_t count_seen(const struct traceable *t, const struct coverage *c)
{
	size_t seen = 0;

	for (size_t i = 0; i < c->hits.count; i++) {
		const struct hit *hit = &c->hits.list[i];
		const struct traceable_function *f = NULL;

		if (hit->kind == HIT_FUNCTION && hit->addr)
			f = traceable__find_in(t, hit->addr, hit->module);
		seen += f && filter__asks_for(&c->filter, f->name, f->module);
	}
	return seen;
}

static void copy_kernel(struct kernel_id *ret, const struct kernel_id *id)
{
	*ret = *id;
	ret->release = id->release ? strdup(id->release) : NULL;
	ret->build_id = id->build_id ? strdup(id->build_id) : NULL;
}

/* What was asked for, and of which kernel. */
static int describe(struct coverage *c, const struct cover_options *o, const struct kernel *k)
{
	copy_kernel(&c->kernel, &k->id);
	c->boot_id = kernel_id__boot_id();
	c->scope = o->boot ? SCOPE_BOOT : o->task ? SCOPE_TASK : o->pid ? SCOPE_PID : SCOPE_SYSTEM;
	c->pid = o->pid;
	c->cgroup = o->cgroup ? strdup(o->cgroup) : NULL;
	c->comm = o->comm ? strdup(o->comm) : NULL;
	c->callers = o->callers;
	c->options = (struct cover_how){
		.retire = o->retire, .retire_ms = o->callers ? o->retire_ms : 0,
		.max_entries = o->max_entries, .duration = o->duration, .pinned = o->pin,
	};
	c->command = o->command ? copy_list(o->command) : NULL;
	c->traceable = traceable__count(k->traceable);
	c->traced = count_asked_for(k->traceable, &o->filter);
	c->modules = traced_modules(k->symbols);
	return filter__copy(&c->filter, &o->filter);
}

static void set_window(struct coverage *c, const struct running *e, const struct clocks *clocks)
{
	const struct clock_pair *first = &clocks->first, *last = &clocks->last;
	struct window *w = &c->window;

	w->opening = clock_pair__local(first, last, e->opening);
	w->open = clock_pair__local(first, last, e->open);
	w->closing = clock_pair__local(first, last, e->closing);
	w->closed = clock_pair__local(first, last, e->closed);
	w->error = first->error > last->error ? first->error : last->error;
	c->seconds = (e->closing - e->open) / 1e9;
}

/* All documents have one clock: that of the ring buffer, which the kernel's own tracers stamp with. */
static void convert_stamps(struct hits *hits, const struct clocks *clocks)
{
	for (size_t i = 0; i < hits->count; i++) {
		struct hit *hit = &hits->list[i];

		hit->first_ns = clock_pair__local(&clocks->first, &clocks->last, hit->first_ns);
	}
}

/* @after: the symbols of when it ended; NULL: as they were. */
static struct places places_of(const struct kernel *k, const struct symbols *after)
{
	return (struct places){
		.before = k->symbols, .after = after, .traceable = k->traceable, .kernel = &k->id,
		.sites = k->sites, .files = k->files,
	};
}

/* What one engine has recorded; @c is described already. */
static int collect_one(struct coverage *c, const struct running *e, const struct places *places,
		       const struct clocks *clocks)
{
	int err;

	err = e->ops->collect(e->engine, c, places);
	if (err)
		return err;
	if (e->ops->monotonic)
		convert_stamps(&c->hits, clocks);
	set_window(c, e, clocks);
	hits__settle(&c->hits);
	c->traced_seen = count_seen(places->traceable, c);
	counters__add(&c->cost, "attach_us", e->attach_seconds * 1e6);
	return counters__add(&c->cost, "detach_us", e->detach_seconds * 1e6);
}

/* The result is there all the same. */
static int check_complete(const struct coverage *c)
{
	if (losses__complete(&c->lost))
		return 0;
	return error__return(-ENODATA, "--strict: the result of %s is not complete", c->engine);
}

static int report(const struct run *r, size_t count)
{
	const struct coverage *list[MOST_ENGINES] = {};
	int err;

	for (size_t i = 0; i < count; i++) {
		list[i] = &r->coverages[i];
		report__losses(list[i]);
	}
	err = outputs__write(r->outputs, list, count, r->kernel.traceable);
	for (size_t i = 0; !err && r->options->strict && i < count; i++)
		err = check_complete(list[i]);
	return err;
}

/* ---- the steps */

static unsigned int own_work(const struct cover_options *o)
{
	return (o->task || o->pid ? OWN_FOLLOWING : 0) | (o->cgroup ? OWN_CGROUP : 0) |
	       (o->comm ? OWN_COMM : 0) | (o->pin ? OWN_PINNED : 0);
}

static int prepare(struct run *r, struct cover_options *o)
{
	int err;

	err = workload__find(&r->workload);
	if (!err)
		err = privileges__check();
	if (!err)
		err = look_at_kernel(&r->kernel, &o->filter, o->vmlinux);
	if (!err)
		err = open_process(o->pid, &r->process);
	if (!err)
		err = engines__choose(&r->engines, o->boot ? ENGINE_ONESHOT : o->engine,
				      o->pin || o->cgroup || o->comm);
	if (!err)
		err = engines__deny_own(&r->engines, &o->filter.own, r->kernel.symbols,
					own_work(o));
	if (!err)
		err = guard__start(&r->guard);
	if (!err)
		err = outputs__open(&r->outputs, o, r->engines.count, &r->kernel.id, r->guard);
	return err;
}

/* The instance with its gate closed, and both clocks read. Nobody reads its ring buffer. */
static int make_instance(struct run *r)
{
	struct instance **ret = &r->instance;
	int err;

	err = instance__create(ret, r->guard);
	if (!err)
		err = instance__shrink(*ret, &r->ring_buffer_bytes);
	if (!err)
		err = instance__read_clock(*ret, &r->clocks.first);
	if (!err)
		err = instance__gate(*ret, false);
	return err;
}

static int set_up(struct run *r)
{
	const struct cover_options *o = r->options;
	int err;

	err = make_instance(r);
	r->request = (struct request){
		.filter = &o->filter,
		.symbols = r->kernel.symbols,
		.traceable = r->kernel.traceable,
		.instance = r->instance,
		.guard = r->guard,
		.pin = o->pin,
		.cgroup = o->cgroup,
		.comm = o->comm,
		.max_entries = o->max_entries,
		.callers = o->callers,
		.alone = r->engines.count == 1,
		.retire = o->retire,
		.retire_ms = o->callers ? o->retire_ms : 0,
		.follow = o->task || o->pid,
	};
	progress__say("attaching to %zu functions", count_asked_for(r->kernel.traceable, &o->filter));
	if (!err)
		err = engines__prepare(&r->engines, &r->request);
	if (!err)
		err = workload__begin(&r->workload);
	if (!err)
		err = fork_command(&r->workload, o->task, &r->process);
	if (!err)
		err = engines__start(&r->engines, r->process);
	if (!err)
		err = check_process(o->pid, r->process);
	progress__end();
	return err;
}

/* While it is open, hytrace sleeps if it can: what it did would be recorded as well. */
static int tend(void *context)
{
	return engines__tend(context);
}

static int trace(struct run *r)
{
	const struct cover_options *o = r->options;
	struct limits limits = {
		.duration = o->duration, .process = o->command ? -1 : r->process,
		.wakes = engines__wakes(&r->engines),
	};
	int err, closed, stopped;

	err = engines__open(&r->engines);
	if (!err)
		err = workload__check(&r->workload);
	if (!err)
		err = workload__release(&r->workload);
	if (err)
		return err;
	err = workload__wait_for_end(&r->workload, &limits, tend, &r->engines);
	closed = engines__close(&r->engines);
	workload__ended(&r->workload);
	/* A command may have written a line that does not end, or go on writing. */
	if (!o->command)
		progress__say("detaching");
	stopped = engines__stop(&r->engines);
	progress__end();
	if (err)
		return err;
	return closed ? closed : stopped;
}

static int collect(struct run *r)
{
	struct symbols *after = NULL;
	struct places places;
	int err = 0;

	/* Modules may have come and gone. */
	if (!symbols__hold(r->kernel.symbols))
		err = symbols__load(&after);
	places = places_of(&r->kernel, after);
	if (!err)
		err = instance__read_clock(r->instance, &r->clocks.last);
	for (size_t i = 0; !err && i < r->engines.count; i++) {
		const struct running *e = &r->engines.list[i];
		struct coverage *c = &r->coverages[i];
		uint64_t start = clock__monotonic();

		err = coverage__init(c, e->ops->name);
		if (!err)
			err = describe(c, r->options, &r->kernel);
		c->ended = r->workload.ended;
		if (!err)
			err = collect_one(c, e, &places, &r->clocks);
		if (!err)
			err = counters__add(&c->cost, "ring_buffer_bytes", r->ring_buffer_bytes);
		if (!err)
			err = counters__add(&c->cost, "collect_us",
					    (clock__monotonic() - start) / 1e3);
	}
	symbols__free(after);
	return err;
}

static int cover_workload(struct run *r)
{
	int err;

	err = set_up(r);
	if (!err)
		err = trace(r);
	if (!err)
		err = collect(r);
	if (!err)
		err = report(r, r->engines.count);
	return err;
}

/*
 * What was recorded since boot: nothing is started or stopped; the window is open since then. Who has
 * switched it off before has done that after the last hit, and when is not known.
 */
static int cover_boot(struct run *r)
{
	bool records = oneshot__records_boot();
	struct places places = places_of(&r->kernel, NULL);
	struct coverage *c = &r->coverages[0];
	struct running window = { .closing = clock__monotonic() };
	int err;

	err = coverage__init(c, engine_oneshot.name);
	if (!err)
		err = describe(c, r->options, &r->kernel);
	if (!err)
		err = oneshot__collect_boot(c, &places);
	if (!err)
		err = instance__create(&r->instance, r->guard);
	if (!err)
		err = instance__read_clock(r->instance, &r->clocks.first);
	if (err)
		return err;
	r->clocks.last = r->clocks.first;
	window.closed = clock__monotonic();
	set_window(c, &window, &r->clocks);
	c->ended = ENDED_BY_READING;
	c->window.opening = c->window.open = 0;
	hits__settle(&c->hits);
	if (!records && c->hits.count)
		c->window.closing = c->hits.list[c->hits.count - 1].first_ns;
	c->seconds = c->window.closing / 1e9;
	c->traced_seen = count_seen(r->kernel.traceable, c);
	return report(r, 1);
}

static void cleanup(struct run *r)
{
	workload__abandon(&r->workload);
	engines__destroy(&r->engines);
	for (size_t i = 0; i < MOST_ENGINES; i++)
		coverage__free(&r->coverages[i]);
	instance__close(r->instance);
	outputs__free(r->outputs);
	forget_kernel(&r->kernel);
	if (r->process >= 0)
		close(r->process);
}

int cover__run(struct cover_options *o)
{
	struct run r = { .options = o, .process = -1 };
	int err;

	workload__init(&r.workload, o->command);
	err = prepare(&r, o);
	if (!err)
		err = o->boot ? cover_boot(&r) : cover_workload(&r);
	cleanup(&r);
	return workload__finish(&r.workload, r.guard, err);
}
