// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run of `hytrace cover`: one session (session.h) whose results go to the outputs. cover__run() at the end calls the
 * steps. Each step is a function just above it, and has its helpers further up.
 */
#include <limits.h>

#include "base/error.h"
#include "base/memory.h"
#include "cover/outputs.h"
#include "cover/session.h"
#include "report/report.h"

/* The time between two lines of progress. */
#define PROGRESS_NS 1000000000ull

struct run {
	struct session session;
	struct outputs *outputs;
	struct coverage coverages[MOST_ENGINES];
};

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
	struct run *r = context;
	struct session *s = &r->session;
	int progress = tell_progress(s), ms = engines__tend(&s->engines);

	return ms < progress ? ms : progress;
}

static int collect_so_far(struct session *s, size_t index, struct coverage *ret, const struct symbols *after,
			  const struct clocks *clocks)
{
	struct running running = s->engines.list[index];
	int err;

	running.closing = running.closed = clock__monotonic();
	err = collect__run(ret, &running, NULL, &s->request, after, clocks);
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
	struct run *r = context;
	struct session *s = &r->session;
	struct coverage coverages[MOST_ENGINES] = {};
	const struct coverage *list[MOST_ENGINES] = {};
	struct clocks clocks = s->clocks;
	struct symbols *after = NULL;
	int err;

	engines__leave_out(&s->engines, true);
	err = session__look_again(s, &after, &clocks.last);
	for (size_t i = 0; i < s->engines.count; i++) {
		err = err ?: collect_so_far(s, i, &coverages[i], after, &clocks);
		list[i] = &coverages[i];
	}
	if (!err)
		outputs__write_so_far(r->outputs, list, &s->kernel);
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

static int wait_for_end(struct run *r)
{
	struct session *s = &r->session;
	const struct cover_options *o = s->options;
	struct limits limits = {
		.duration = o->how.duration, .process = o->command ? -1 : s->process,
		.wakes = engines__wakes(&s->engines), .asked = write_so_far,
	};
	int err;

	err = workload__wait_for_end(&s->workload, &limits, tend, r);
	end_progress(s);
	return err;
}

/* ---- after tracing */

static int collect_one(struct run *r, size_t index, const struct symbols *after)
{
	struct session *s = &r->session;
	struct coverage *c = &r->coverages[index];
	uint64_t start = clock__monotonic();
	int err;

	err = collect__run(c, &s->engines.list[index], NULL, &s->request, after, &s->clocks);
	c->ended = s->workload.ended;
	c->status = workload__status(&s->workload);
	counters__add(&c->cost, "ring_buffer_bytes", s->ring_buffer_bytes);
	counters__add(&c->cost, "collect_us", (clock__monotonic() - start) / 1e3);
	return err;
}

/* ---- the steps of a run */

/* Starts the watchdog, which undoes all that follows, and opens the outputs. */
static int claim(struct run *r)
{
	struct session *s = &r->session;
	struct coverage plan = {};
	int err = guard__start(&s->request.guard);

	if (!err && s->options->append)
		collect__plan(&plan, &s->request);
	err = err ?: outputs__open(&r->outputs, s->options, &s->engines, &s->kernel.id, &plan, s->request.guard);
	coverage__free(&plan);
	return err;
}

/* Makes results from what the engines have recorded. */
static int collect(struct run *r)
{
	struct session *s = &r->session;
	struct symbols *after = NULL;
	int err = session__look_again(s, &after, &s->clocks.last);

	for (size_t i = 0; !err && i < s->engines.count; i++)
		err = collect_one(r, i, after);
	symbols__free(after);
	return err;
}

/* Turns tracing on, releases the command, waits, turns tracing off, and detaches. */
static int record(struct run *r)
{
	struct session *s = &r->session;
	int err, ended;

	begin_progress(s);
	err = session__open(s);
	if (err)
		return err;
	tell_ready(s);
	err = wait_for_end(r);
	ended = session__close(s);
	return err ?: ended;
}

static int trace(struct run *r)
{
	return session__attach(&r->session) ?: record(r) ?: collect(r);
}

static int report(struct run *r)
{
	struct session *s = &r->session;
	const struct coverage *list[MOST_ENGINES] = {};
	size_t count = s->engines.count;
	int err;

	for (size_t i = 0; i < count; i++) {
		list[i] = &r->coverages[i];
		report__losses(list[i]);
	}
	err = outputs__write(r->outputs, list, count, &s->kernel);
	/* With --strict, the result is written nevertheless. */
	for (size_t i = 0; !err && s->options->strict && i < count; i++) {
		if (!losses__complete(&list[i]->lost))
			err = error__return(-ENODATA, "--strict: the result of %s is not complete", list[i]->engine);
	}
	return err;
}

int cover__run(const struct cover_options *o)
{
	struct run r = {};
	int err;

	session__init(&r.session, o);
	err = session__look(&r.session) ?: claim(&r);
	if (!err)
		err = o->scope.kind == SCOPE_BOOT ? collect__boot(&r.coverages[0], &r.session.request) : trace(&r);
	err = err ?: report(&r);
	for (size_t i = 0; i < MOST_ENGINES; i++)
		coverage__free(&r.coverages[i]);
	outputs__free(r.outputs);
	return session__end(&r.session, err);
}
