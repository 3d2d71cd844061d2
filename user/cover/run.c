// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run of `hytrace cover`. The order of its steps makes wrong arguments harmless, and keeps the
 * set-up out of the result. cover__run() at the end calls the steps. Each step is a function just
 * above it, and has its helpers further up.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "cover/engines.h"
#include "cover/options.h"
#include "cover/outputs.h"
#include "document/coverage.h"
#include "kernel/features.h"
#include "report/report.h"
#include "report/why.h"
#include "run/process.h"
#include "run/workload.h"

/* The time between two lines of progress. */
#define PROGRESS_NS 1000000000ull

struct session {
	const struct cover_options *options;
	struct request request;		/* the options, and what else engines have to know */
	struct filter filter;
	struct kernel kernel;
	struct engines engines;
	struct outputs *outputs;
	uint64_t ring_buffer_bytes;	/* the size of the instance's ring buffer */
	struct clocks clocks;
	struct workload workload;
	struct login *login;		/* the user that the command runs as; NULL: that of this process */
	int process;			/* pidfd of the followed process, or -1 */
	uint64_t next_progress;		/* when to print progress, by CLOCK_MONOTONIC; 0: it is not printed */
	struct coverage coverages[MOST_ENGINES];
};

/* ---- before anything is enabled */

/* Prints what `hytrace why` says about the function. Returns false if nothing was printed. */
static bool explain(const struct glob *g, const char *vmlinux)
{
	struct why w;
	bool known;

	if (why__of_running(&w, g->function, vmlinux))
		return false;
	known = w.found;
	for (size_t i = 0; known && i < w.count; i++) {
		const struct why_answer *a = &w.list[i];
		bool own = !strcmp(a->function, g->function);

		error__print("%s%s%s:%s%s %s", g->origin ?: "", g->origin ? ": " : "", g->function, own ? "" : " ",
			     own ? "" : a->function, a->text);
	}
	why__free(&w);
	return known;
}

/* An unknown name that resembles a known one is a typo. Only other names are looked up in files, which is slow. */
static int refuse(const struct glob *g, const struct kernel *k, const char *vmlinux)
{
	if (glob__is_name(g) &&
	    (symbols__by_name(k->symbols, g->function) || !traceable__similar(k->traceable, g->function)) &&
	    explain(g, vmlinux))
		return -EINVAL;
	return glob__refuse(g, k->traceable);
}

/* The filter is checked early, because of all arguments it is wrong most often. */
static int look_at_kernel(struct kernel *k, const struct filter *filter, const char *vmlinux)
{
	const struct glob *unmatched;
	int err;

	err = kernel__load(k, KERNEL_LISTS, NULL);
	unmatched = err ? NULL : filter__unmatched(filter, k->traceable);
	if (unmatched)
		err = refuse(unmatched, k, vmlinux);
	return err ?: kernel__load(k, KERNEL_ID | KERNEL_SITES | KERNEL_FILES, vmlinux);
}

/*
 * Fills in what the engines have to know. They add to the filter the functions that they exclude.
 */
static void make_request(struct session *s)
{
	filter__copy(&s->filter, &s->options->filter);
	s->request = (struct request){
		.options = s->options, .filter = &s->filter, .kernel = &s->kernel, .alone = s->engines.count == 1,
	};
	engines__deny_own(&s->engines, &s->filter.own, &s->request);
}

/* ---- tracing */

/* Makes the instance with tracing_on off, and reads both clocks. Nobody reads its ring buffer, so it is made small. */
static int make_instance(struct session *s)
{
	struct instance **ret = &s->request.instance;

	return instance__create(ret, s->request.guard) ?:
	       instance__shrink(*ret, &s->ring_buffer_bytes) ?:
	       instance__read_clock(*ret, &s->clocks.first) ?:
	       instance__gate(*ret, false);
}

/* The command waits. With --task, its process is followed. */
static int fork_command(struct session *s)
{
	int err = workload__fork(&s->workload);

	if (err || s->options->scope.kind != SCOPE_TASK)
		return err;
	s->process = process__open_own(s->workload.pid);
	return s->process < 0 ? s->process : 0;
}

/* Attaching takes time. If the process has ended meanwhile, there is nothing to record. */
static int check_process(long pid, int process)
{
	if (pid && process__has_ended(process))
		return error__return(-ESRCH, "--pid %ld: the process has ended before it could be "
				     "traced", pid);
	return 0;
}

/* ---- while it records: hytrace sleeps if it can, because its own calls would be recorded as well */

/*
 * Progress, with the number of functions so far, is printed only if the calls for this are not
 * recorded: if the engine leaves out hytrace's calls, or follows another process. With a command,
 * nothing is printed, because the terminal may be the command's.
 */
static void begin_progress(struct session *s)
{
	bool apart;

	if (s->options->command || !isatty(STDERR_FILENO))
		return;
	apart = engines__leave_out(&s->engines, true) || scope__follows(&s->options->scope);
	if (apart && engines__count(&s->engines) >= 0)
		s->next_progress = clock__monotonic() + PROGRESS_NS;
	else
		progress__say("recording; Ctrl-C ends it");
}

static void end_progress(struct session *s)
{
	if (s->next_progress)
		engines__leave_out(&s->engines, false);
	s->next_progress = 0;
}

/* Prints progress if it is due. Returns the milliseconds until the next line is due. */
static int tell_progress(struct session *s)
{
	uint64_t now = clock__monotonic();

	if (!s->next_progress)
		return INT_MAX;
	if (now >= s->next_progress) {
		progress__say("recording: %zd functions so far; Ctrl-C ends it", engines__count(&s->engines));
		s->next_progress = now + PROGRESS_NS;
	}
	return (s->next_progress - now) / 1000000 + 1;
}

static int tend(void *context)
{
	struct session *s = context;
	int progress = tell_progress(s), ms = engines__tend(&s->engines);

	return ms < progress ? ms : progress;
}

/* What may have changed since the beginning. @ret_after: the symbols, if modules were loaded or removed */
static int look_again(const struct session *s, struct symbols **ret_after, struct clock_pair *ret)
{
	int err = symbols__hold(s->kernel.symbols) ? 0 : symbols__load(ret_after);

	return err ?: instance__read_clock(s->request.instance, ret);
}

static int collect_so_far(struct session *s, size_t index, struct coverage *ret, const struct symbols *after,
			  const struct clocks *clocks)
{
	struct running running = s->engines.list[index];
	int err;

	running.closing = running.closed = clock__monotonic();
	err = collect__run(ret, &running, &s->request, after, clocks);
	ret->ended = ENDED_NOT;
	counters__add(&ret->cost, "ring_buffer_bytes", s->ring_buffer_bytes);
	return err;
}

/*
 * Handles SIGUSR1. After an error there is a message, and recording goes on. Only lack of memory
 * ends the program: the final result would need as much.
 */
static void write_so_far(void *context)
{
	struct session *s = context;
	struct coverage coverages[MOST_ENGINES] = {};
	const struct coverage *list[MOST_ENGINES] = {};
	struct clocks clocks = s->clocks;
	struct symbols *after = NULL;
	int err;

	engines__leave_out(&s->engines, true);
	err = look_again(s, &after, &clocks.last);
	for (size_t i = 0; i < s->engines.count; i++) {
		err = err ?: collect_so_far(s, i, &coverages[i], after, &clocks);
		list[i] = &coverages[i];
	}
	if (!err)
		outputs__write_so_far(s->outputs, list, &s->kernel);
	for (size_t i = 0; i < s->engines.count; i++)
		coverage__free(&coverages[i]);
	symbols__free(after);
	engines__leave_out(&s->engines, false);
}

/* The BPF engines do not record the calls of this report. */
static void tell_ready(struct session *s)
{
	engines__leave_out(&s->engines, true);
	ready__tell(s->options->ready_fd);
	engines__leave_out(&s->engines, false);
}

static int wait_for_end(struct session *s)
{
	const struct cover_options *o = s->options;
	struct limits limits = {
		.duration = o->how.duration, .process = o->command ? -1 : s->process,
		.wakes = engines__wakes(&s->engines), .asked = write_so_far,
	};
	int err;

	err = workload__wait_for_end(&s->workload, &limits, tend, s);
	end_progress(s);
	return err;
}

static int close_and_detach(struct session *s)
{
	int closed = engines__close(&s->engines), stopped;

	workload__ended(&s->workload);
	/* With a command, nothing is printed: it may have printed part of a line, or may go on printing. */
	if (!s->options->command)
		progress__say("detaching");
	stopped = engines__stop(&s->engines);
	progress__end();
	return closed ?: stopped;
}

/* ---- after tracing */

static int collect_one(struct session *s, size_t index, const struct symbols *after)
{
	struct coverage *c = &s->coverages[index];
	uint64_t start = clock__monotonic();
	int err;

	err = collect__run(c, &s->engines.list[index], &s->request, after, &s->clocks);
	c->ended = s->workload.ended;
	c->status = workload__status(&s->workload);
	counters__add(&c->cost, "ring_buffer_bytes", s->ring_buffer_bytes);
	counters__add(&c->cost, "collect_us", (clock__monotonic() - start) / 1e3);
	return err;
}

/* ---- the steps of a run */

/* Checks the kernel and the request. Nothing is enabled, and messages say what is wrong. */
static int look(struct session *s)
{
	const struct cover_options *o = s->options;
	int err = workload__find(&s->workload) ?: ready__check(o->ready_fd);

	if (!err && o->user)
		err = login__find(&s->login, o->user);
	s->workload.login = s->login;
	err = err ?: features__require(FEATURE_CAPABILITIES, NULL) ?:
		     look_at_kernel(&s->kernel, &o->filter, o->result.vmlinux);
	if (!err && o->scope.pid) {
		s->process = process__open(o->scope.pid);
		err = s->process < 0 ? s->process : 0;
	}
	if (err)
		return err;
	engines__choose(&s->engines, o);
	err = engines__require(&s->engines, o);
	if (!err)
		make_request(s);
	return err;
}

/* Starts the watchdog, which undoes all that follows, and opens the outputs. */
static int claim(struct session *s)
{
	struct coverage plan = {};
	int err = guard__start(&s->request.guard);

	if (!err && s->options->append)
		collect__plan(&plan, &s->request);
	err = err ?: outputs__open(&s->outputs, s->options, &s->engines, &s->kernel.id, &plan, s->request.guard);
	coverage__free(&plan);
	return err;
}

/*
 * Attaches everything while tracing is off and the command waits. From workload__begin() on, a
 * signal ends the run in an orderly way.
 */
static int attach(struct session *s)
{
	int err = make_instance(s);

	progress__say("attaching to %zu functions", kernel__count_asked_for(&s->kernel, &s->filter));
	err = err ?: engines__prepare(&s->engines, &s->request) ?:
		     workload__begin(&s->workload) ?:
		     fork_command(s) ?:
		     engines__start(&s->engines, s->process) ?:
		     check_process(s->options->scope.pid, s->process);
	progress__end();
	return err;
}

/* Turns tracing on, releases the command, waits, turns tracing off, and detaches. */
static int record(struct session *s)
{
	int err, ended;

	begin_progress(s);
	err = engines__open(&s->engines) ?: workload__check(&s->workload) ?: workload__release(&s->workload);
	if (err)
		return err;
	tell_ready(s);
	err = wait_for_end(s);
	ended = close_and_detach(s);
	return err ?: ended;
}

/* Makes results from what the engines have recorded. */
static int collect(struct session *s)
{
	struct symbols *after = NULL;
	int err = look_again(s, &after, &s->clocks.last);

	for (size_t i = 0; !err && i < s->engines.count; i++)
		err = collect_one(s, i, after);
	symbols__free(after);
	return err;
}

static int trace(struct session *s)
{
	return attach(s) ?: record(s) ?: collect(s);
}

static int report(struct session *s)
{
	const struct coverage *list[MOST_ENGINES] = {};
	size_t count = s->engines.count;
	int err;

	for (size_t i = 0; i < count; i++) {
		list[i] = &s->coverages[i];
		report__losses(list[i]);
	}
	err = outputs__write(s->outputs, list, count, &s->kernel);
	/* With --strict, the result is written nevertheless. */
	for (size_t i = 0; !err && s->options->strict && i < count; i++) {
		if (!losses__complete(&list[i]->lost))
			err = error__return(-ENODATA, "--strict: the result of %s is not complete", list[i]->engine);
	}
	return err;
}

/* Returns the exit status. The watchdog undoes what was done in the kernel. */
static int end(struct session *s, int err)
{
	workload__abandon(&s->workload);
	engines__destroy(&s->engines);
	for (size_t i = 0; i < MOST_ENGINES; i++)
		coverage__free(&s->coverages[i]);
	instance__close(s->request.instance);
	outputs__free(s->outputs);
	filter__free(&s->filter);
	login__free(s->login);
	kernel__free(&s->kernel);
	if (s->process >= 0)
		close(s->process);
	return workload__finish(&s->workload, s->request.guard, err);
}

int cover__run(const struct cover_options *o)
{
	struct session s = { .options = o, .process = -1 };
	int err;

	workload__init(&s.workload, o->command, true);
	err = look(&s) ?: claim(&s);
	if (!err)
		err = o->scope.kind == SCOPE_BOOT ? collect__boot(&s.coverages[0], &s.request) :
						    trace(&s);
	err = err ?: report(&s);
	return end(&s, err);
}
