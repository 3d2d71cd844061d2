// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a result; see collect.h. The engines fill in what they have recorded, and this file all
 * other fields.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/index.h"
#include "base/memory.h"
#include "cover/collect.h"
#include "kernel/features.h"

/* ---- what was asked for, on which kernel */

static char **copy_command(char *const *command)
{
	size_t count = 0;
	char **copy;

	while (command[count])
		count++;
	copy = xcalloc(count + 1, sizeof(*copy));
	for (size_t i = 0; i < count; i++)
		copy[i] = xstrdup(command[i]);
	return copy;
}

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
	c->traced = kernel__count_asked_for(k, request->filter);
	kernel_id__copy(&c->kernel, &k->id);
	c->host = uname(&uts) ? NULL : xstrdup(uts.nodename);
	c->command = o->command ? copy_command(o->command) : NULL;
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

/*
 * Numbers functions of vmlinux that have the same name, by their order in kallsyms. Live patching
 * has the same numbers (sympos).
 */
static void number_namesakes(struct hits *hits, const struct symbols *s)
{
	struct lh_table *names = index__new(hits->count + 1, NULL), *found = index__of_addresses(hits->count + 1);

	for (size_t i = 0; i < hits->count; i++) {
		const struct hit *hit = &hits->list[i];

		if (hit->kind != HIT_FUNCTION || hit->module || !hit->name)
			continue;
		index__add(found, (void *)(uintptr_t)hit->addr, hit);
		if (!lh_table_lookup_entry(names, hit->name))
			index__add(names, hit->name, NULL);
	}
	for (size_t i = 0; i < symbols__count(s); i++) {
		const struct symbol *sym = symbols__at(s, i);
		struct lh_entry *entry = sym->module ? NULL : lh_table_lookup_entry(names, sym->name), *hit;
		uintptr_t number;

		if (!entry)
			continue;
		number = (uintptr_t)lh_entry_v(entry) + 1;
		lh_entry_set_val(entry, (void *)number);
		hit = lh_table_lookup_entry(found, (void *)(uintptr_t)sym->addr);
		if (hit && !strcmp(((struct hit *)lh_entry_v(hit))->name, sym->name))
			((struct hit *)lh_entry_v(hit))->sympos = number;
	}
	lh_table_free(names);
	lh_table_free(found);
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

int collect__run(struct coverage *ret, const struct running *e, const struct request *request,
		 const struct symbols *after, const struct clocks *clocks)
{
	const struct kernel *k = request->kernel;
	struct places places = { .kernel = k, .after = after };
	int err;

	coverage__init(ret, e->ops->name);
	describe(ret, request, after);
	/* The engine says which way of entry it has chosen, if it had a choice. */
	ret->how.entry = ENTRY_ANY;
	err = e->ops->collect(e->engine, ret, &places);
	if (err)
		return err;
	if (e->ops->monotonic)
		convert_stamps(&ret->hits, clocks);
	set_window(ret, e, clocks);
	hits__settle(&ret->hits);
	ret->traced_seen = count_seen(k->traceable, ret);
	number_namesakes(&ret->hits, k->symbols);
	counters__add(&ret->lost, "ftrace_off", features__ask_again(FEATURE_FTRACE)->state == FEATURE_NO);
	counters__add(&ret->cost, "attach_us", e->attach_seconds * 1e6);
	counters__add(&ret->cost, "detach_us", e->detach_seconds * 1e6);
	return 0;
}

/*
 * The window is open since boot. If the tracer was turned off, this was after the last hit, but it
 * is unknown when. The instance, which has the clock, is made after the set was read, because
 * making it would be recorded in the set.
 */
int collect__boot(struct coverage *ret, const struct request *request)
{
	const struct kernel *k = request->kernel;
	bool records = oneshot__records_boot();
	struct places places = { .kernel = k };
	struct running window = { .closing = clock__monotonic() };
	struct instance *instance = NULL;
	struct clocks clocks;
	int err;

	coverage__init(ret, engine_oneshot.name);
	describe(ret, request, NULL);
	err = oneshot__collect_boot(ret, &places);
	if (!err)
		err = instance__create(&instance, request->guard);
	if (!err)
		err = instance__read_clock(instance, &clocks.first);
	instance__close(instance);
	if (err)
		return err;
	clocks.last = clocks.first;
	window.closed = clock__monotonic();
	set_window(ret, &window, &clocks);
	ret->ended = ENDED_BY_READING;
	ret->window.opening = ret->window.open = 0;
	hits__settle(&ret->hits);
	if (!records && ret->hits.count)
		ret->window.closing = ret->hits.list[ret->hits.count - 1].first_ns;
	ret->seconds = rounded_seconds(ret->window.closing);
	ret->traced_seen = count_seen(k->traceable, ret);
	number_namesakes(&ret->hits, k->symbols);
	return 0;
}
