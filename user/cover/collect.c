// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filling a result; see collect.h. Engines hand over what they have recorded; all else that a result says is
 * filled in here.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cover/collect.h"

/* ---- what was asked for, and of which kernel */

static int copy_text(char **ret, const char *text)
{
	*ret = text ? strdup(text) : NULL;
	return text && !*ret ? error__no_memory() : 0;
}

/* @name: the one at that index; NULL after the last. */
static int make_list(char ***ret, const char *(*name)(const void *context, size_t index),
		     const void *context)
{
	size_t count = 0;
	char **list;
	int err = 0;

	while (name(context, count))
		count++;
	*ret = list = calloc(count + 1, sizeof(*list));
	if (!list)
		return error__no_memory();
	for (size_t i = 0; !err && i < count; i++)
		err = copy_text(&list[i], name(context, i));
	return err;
}

static const char *word_of(const void *command, size_t index)
{
	return ((char *const *)command)[index];
}

/* The list is sorted as the table is. */
static const char *module_of(const void *symbols, size_t index)
{
	size_t count;
	const struct module *modules = symbols__modules(symbols, &count);

	return index < count ? modules[index].name : NULL;
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

static int copy_kernel(struct kernel_id *ret, const struct kernel_id *id)
{
	int err;

	*ret = *id;
	ret->build_id = NULL;
	err = copy_text(&ret->release, id->release);
	return err ? err : copy_text(&ret->build_id, id->build_id);
}

static int describe(struct coverage *c, const struct request *request, const struct kernel *k)
{
	const struct cover_options *o = request->options;
	int err;

	c->scope = o->scope;
	c->how = o->how;
	c->boot_id = kernel_id__boot_id();
	c->traceable = traceable__count(k->traceable);
	c->traced = kernel__count_asked_for(k, request->filter);
	err = copy_kernel(&c->kernel, &k->id);
	if (!err && o->command)
		err = make_list(&c->command, word_of, o->command);
	if (!err)
		err = make_list(&c->modules, module_of, k->symbols);
	return err ? err : filter__copy(&c->filter, request->filter);
}

/* ---- what was seen, and when */

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

static struct places places_of(const struct kernel *k, const struct symbols *after)
{
	return (struct places){
		.before = k->symbols, .after = after, .traceable = k->traceable, .kernel = &k->id,
		.sites = k->sites, .files = k->files,
	};
}

int collect__run(struct coverage *ret, const struct running *e, const struct request *request,
		 const struct kernel *k, const struct symbols *after, const struct clocks *clocks)
{
	struct places places = places_of(k, after);
	int err;

	err = coverage__init(ret, e->ops->name);
	if (!err)
		err = describe(ret, request, k);
	if (!err)
		err = e->ops->collect(e->engine, ret, &places);
	if (err)
		return err;
	if (e->ops->monotonic)
		convert_stamps(&ret->hits, clocks);
	set_window(ret, e, clocks);
	hits__settle(&ret->hits);
	ret->traced_seen = count_seen(k->traceable, ret);
	err = counters__add(&ret->cost, "attach_us", e->attach_seconds * 1e6);
	return err ? err : counters__add(&ret->cost, "detach_us", e->detach_seconds * 1e6);
}

/*
 * The window is open since boot. Who has switched the tracer off before has done that after the last hit, and
 * when is not known. The instance, which has the clock, is made after the set was read: it would be in the set.
 */
int collect__boot(struct coverage *ret, const struct request *request, const struct kernel *k)
{
	bool records = oneshot__records_boot();
	struct places places = places_of(k, NULL);
	struct running window = { .closing = clock__monotonic() };
	struct instance *instance = NULL;
	struct clocks clocks;
	int err;

	err = coverage__init(ret, engine_oneshot.name);
	if (!err)
		err = describe(ret, request, k);
	if (!err)
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
	ret->seconds = ret->window.closing / 1e9;
	ret->traced_seen = count_seen(k->traceable, ret);
	return 0;
}
