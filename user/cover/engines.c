// SPDX-License-Identifier: GPL-2.0-only
/* One or two engines in the same steps, and the results of what they record; see engines.h. */
#include <limits.h>
#include <sys/utsname.h>

#include "base/memory.h"
#include "cover/engines.h"
#include "kernel/features.h"
#include "run/instance.h"

/* ---- steps */

static double seconds_since(uint64_t start)
{
	return (clock__monotonic() - start) / 1e9;
}

/* ENGINE_AUTO takes the first engine that works. */
static const struct engine_ops *const choices[][MOST_ENGINES] = {
	[ENGINE_AUTO] = { &engine_oneshot, &engine_bpf },
	[ENGINE_ONESHOT] = { &engine_oneshot },
	[ENGINE_BPF] = { &engine_bpf },
	[ENGINE_EVENT] = { &engine_event },
	[ENGINE_BOTH] = { &engine_oneshot, &engine_bpf },
};

static const char *refusal(const struct engine_ops *ops, const struct cover_options *o)
{
	return ops && ops->refuse ? ops->refuse(o) : NULL;
}

const char *engines__refuse(const struct cover_options *o)
{
	const char *why = NULL;

	for (size_t i = 0; !why && o->engine != ENGINE_AUTO && i < MOST_ENGINES; i++)
		why = refusal(choices[o->engine][i], o);
	return why;
}

static const struct engine_ops *first_able(const struct engine_ops *const *list,
					   const struct cover_options *o)
{
	size_t i = 0;

	while (i < MOST_ENGINES - 1 && (refusal(list[i], o) || features__ask(list[i]->needs)->state == FEATURE_NO))
		i++;
	return list[i];
}

void engines__choose(struct engines *e, const struct cover_options *o)
{
	enum cover_engine engine = o->scope.kind == SCOPE_BOOT ? ENGINE_ONESHOT : o->engine;
	const struct engine_ops *const *list = choices[engine];

	if (engine == ENGINE_AUTO) {
		e->list[e->count++].ops = first_able(list, o);
		return;
	}
	for (size_t i = 0; i < MOST_ENGINES && list[i]; i++)
		e->list[e->count++].ops = list[i];
}

int engines__require(const struct engines *e, const struct cover_options *o)
{
	int err = 0;

	/* --boot only reads a set that was recorded before. */
	if (o->scope.kind == SCOPE_BOOT)
		return features__require(FEATURE_ONESHOT, "--boot");
	for (size_t i = 0; !err && i < e->count; i++)
		err = features__require(e->list[i].ops->needs, NULL);
	return err;
}

void engines__deny_own(const struct engines *e, struct globs *own, const struct request *request)
{
	for (size_t i = 0; i < e->count; i++) {
		if (e->list[i].ops->deny_own)
			e->list[i].ops->deny_own(own, request);
	}
}

int engines__prepare(struct engines *e, const struct request *request)
{
	int err = 0;

	for (size_t i = 0; !err && i < e->count; i++) {
		struct running *one = &e->list[i];
		uint64_t start = clock__monotonic();

		err = one->ops->prepare(&one->engine, request);
		one->attach_seconds = seconds_since(start);
	}
	return err;
}

int engines__start(struct engines *e, int follow)
{
	int err = 0;

	for (size_t i = 0; !err && i < e->count; i++) {
		struct running *one = &e->list[i];
		uint64_t start = clock__monotonic();

		if (follow >= 0)
			err = one->ops->follow(one->engine, follow);
		if (!err)
			err = one->ops->start(one->engine);
		one->attach_seconds += seconds_since(start);
	}
	return err;
}

int engines__open(struct engines *e)
{
	int err = 0;

	for (size_t i = 0; !err && i < e->count; i++) {
		struct running *one = &e->list[i];

		one->opening = clock__monotonic();
		err = one->ops->gate(one->engine, true);
		one->open = clock__monotonic();
	}
	return err;
}

int engines__tend(struct engines *e)
{
	int soonest = INT_MAX;

	for (size_t i = 0; soonest >= 0 && i < e->count; i++) {
		const struct running *one = &e->list[i];
		int ms = one->ops->tend ? one->ops->tend(one->engine) : INT_MAX;

		soonest = ms < soonest ? ms : soonest;
	}
	return soonest;
}

int engines__wakes(const struct engines *e)
{
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < e->count; i++) {
		if (e->list[i].ops->wakes)
			fd = e->list[i].ops->wakes(e->list[i].engine);
	}
	return fd;
}

ssize_t engines__count(const struct engines *e)
{
	return e->count == 1 && e->list[0].ops->count ? (ssize_t)e->list[0].ops->count(e->list[0].engine) : -1;
}

bool engines__leave_out(const struct engines *e, bool leave_out)
{
	if (e->count != 1 || !e->list[0].ops->leave_out)
		return false;
	e->list[0].ops->leave_out(e->list[0].engine, leave_out);
	return true;
}

int engines__close(struct engines *e)
{
	int err = 0;

	for (size_t i = e->count; i > 0; i--) {
		struct running *one = &e->list[i - 1];
		int failed;

		one->closing = clock__monotonic();
		failed = one->ops->gate(one->engine, false);
		one->closed = clock__monotonic();
		err = err ? err : failed;
	}
	return err;
}

int engines__stop(struct engines *e)
{
	int err = 0;

	for (size_t i = e->count; i > 0; i--) {
		struct running *one = &e->list[i - 1];
		uint64_t start = clock__monotonic();
		int failed = one->ops->stop(one->engine);

		one->detach_seconds = seconds_since(start);
		err = err ? err : failed;
	}
	return err;
}

void engines__destroy(struct engines *e)
{
	for (size_t i = 0; i < e->count; i++) {
		if (e->list[i].engine && e->list[i].ops->destroy)
			e->list[i].ops->destroy(e->list[i].engine);
	}
}

/* ---- results */

/* ---- what was asked for, on which kernel */

size_t kernel__count_asked_for(const struct kernel *k, const struct filter *filter)
{
	size_t count = 0;

	for (size_t i = 0; i < traceable__count(k->traceable); i++) {
		const struct traceable_function *f = traceable__at(k->traceable, i);

		count += filter__asks_for(filter, f->name, f->module);
	}
	return count;
}

static void describe(struct coverage *c, const struct request *request, const struct symbols *after)
{
	const struct kernel *k = request->kernel;
	const struct cover_options *o = request->options;
	struct utsname uts;

	c->scope = o->scope;
	c->how = o->how;
	c->boot_id = kernel_id__boot_id();
	c->traceable = traceable__count(k->traceable);
	c->traced = request->asked_for;
	kernel_id__copy(&c->kernel, &k->id);
	c->host = uname(&uts) ? NULL : xstrdup(uts.nodename);
	if (o->command)
		coverage__set_command(c, o->command);
	covered_modules__read(&c->modules, k->symbols, after);
	filter__copy(&c->filter, request->filter);
}

void collect__plan(struct coverage *ret, const struct request *request)
{
	coverage__init(ret, "");
	describe(ret, request, NULL);
}

/* ---- what was recorded, and when */

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

static void number_namesakes(struct hits *hits, struct symbols *s)
{
	for (size_t i = 0; i < hits->count; i++) {
		struct hit *hit = &hits->list[i];

		if (hit->kind == HIT_FUNCTION && !hit->module && hit->name)
			hit->sympos = symbols__number(s, hit->addr, hit->name);
	}
}

static void settle(struct coverage *c, const struct kernel *k)
{
	hits__settle(&c->hits);
	c->traced_seen = count_seen(k->traceable, c);
	number_namesakes(&c->hits, k->symbols);
}

/*
 * Rounds to milliseconds, as recordings do. So a report prints the same number for a result and for
 * its recording.
 */
static double rounded_seconds(uint64_t ns)
{
	return (ns + 500000) / 1000000 / 1e3;
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
	c->seconds = rounded_seconds(e->closing - e->open);
	c->started = clock__realtime() - (clock__monotonic() - e->open);
}

/* All recordings use the clock of the ring buffer, because the kernel's own tracers use it. */
static void convert_stamps(struct hits *hits, const struct clocks *clocks)
{
	for (size_t i = 0; i < hits->count; i++) {
		struct hit *hit = &hits->list[i];

		hit->first_ns = clock_pair__local(&clocks->first, &clocks->last, hit->first_ns);
	}
}

/* Moves hits that came later than @until. On a CPU whose clock is behind, a hit may be some microseconds off. */
static void take_outside(struct coverage *c, uint64_t until, struct hits *outside)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->hits.count; i++) {
		struct hit hit = c->hits.list[i];

		if (hit.first_ns <= until) {
			c->hits.list[kept++] = hit;
			continue;
		}
		hit.name = hits__name(outside, hit.name);
		hit.module = hits__name(outside, hit.module);
		hit.comm = hits__name(outside, hit.comm);
		hit.other.name = hits__name(outside, hit.other.name);
		hit.other.module = hits__name(outside, hit.other.module);
		hits__add(outside, &hit);
	}
	c->hits.count = kept;
}

int collect__run(struct coverage *ret, const struct running *e, const struct piece *piece,
		 const struct request *request, const struct symbols *after, const struct clocks *clocks)
{
	const struct kernel *k = request->kernel;
	struct places places = { .kernel = k, .after = after };
	int err;

	coverage__init(ret, e->ops->name);
	describe(ret, request, after);
	/* The engine says which way of entry it has chosen, if it had a choice. */
	ret->how.entry = ENTRY_ANY;
	err = e->ops->collect(e->engine, piece ? piece->cut : NULL, ret, &places);
	if (err)
		return err;
	if (e->ops->monotonic)
		convert_stamps(&ret->hits, clocks);
	set_window(ret, e, clocks);
	/* Who has called the last function waits for the end of the part, for longer than the clocks' error. */
	if (piece)
		take_outside(ret, piece->empty ? 0 : ret->window.closing + ret->window.error, piece->outside);
	settle(ret, k);
	counters__add(&ret->lost, "ftrace_off", features__ask_again(FEATURE_FTRACE)->state == FEATURE_NO);
	counters__add(&ret->cost, "attach_us", e->attach_seconds * 1e6);
	counters__add(&ret->cost, "detach_us", e->detach_seconds * 1e6);
	return 0;
}

void collect__hits(struct coverage *ret, const struct running *e, struct hits *hits, const struct counters *lost,
		   const struct request *request, const struct symbols *after, const struct clocks *clocks)
{
	coverage__init(ret, e->ops->name);
	describe(ret, request, after);
	ret->how.entry = ENTRY_ANY;
	ret->follows_modules = !request->filter->allow.count;
	hits__free(&ret->hits);
	ret->hits = *hits;
	hits__init(hits);
	for (size_t i = 0; i < lost->count; i++)
		counters__add(&ret->lost, lost->list[i].name, lost->list[i].value);
	set_window(ret, e, clocks);
	settle(ret, request->kernel);
}

/*
 * The window is open since boot. If the tracer was turned off, this was after the last hit, but it
 * is unknown when. The instance, which has the clock, is made after the set was read, because
 * making it would be recorded in the set.
 */
int collect__boot(struct coverage *ret, const struct request *request)
{
	bool records = oneshot__records_boot();
	struct places places = { .kernel = request->kernel };
	struct running window = { .closing = clock__monotonic() };
	struct instance *instance = NULL;
	struct clocks clocks;
	int err;

	coverage__init(ret, engine_oneshot.name);
	describe(ret, request, NULL);
	err = oneshot__collect_boot(ret, &places) ?:
	      instance__create(&instance, request->guard) ?:
	      instance__read_clock(instance, &clocks.first);
	instance__close(instance);
	if (err)
		return err;
	clocks.last = clocks.first;
	window.closed = clock__monotonic();
	set_window(ret, &window, &clocks);
	ret->ended = ENDED_BY_READING;
	ret->window.opening = ret->window.open = 0;
	settle(ret, request->kernel);
	if (!records && ret->hits.count)
		ret->window.closing = ret->hits.list[ret->hits.count - 1].first_ns;
	ret->seconds = rounded_seconds(ret->window.closing);
	return 0;
}
