// SPDX-License-Identifier: GPL-2.0-only
/*
 * The event engine: makes a function event for each -a, or one for all functions, and attaches the
 * coverage program to the events. A glob is one event for all functions that it matches. The record of
 * an event begins with the addresses of the function and its caller; the program reads nothing else.
 *
 * An event takes all functions that its glob matches; none can be left out. So the functions that
 * the program itself calls are traced as well. The kernel does not run the program for a call from
 * inside the program, and counts it.
 */
#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "cover/bpf_cover.h"
#include "event/function_events.h"
#include "run/instance.h"
#include "cover.h"

struct event_engine {
	struct bpf_cover cover;
	struct prototypes events;
};

static const char *event__refuse(const struct cover_options *o)
{
	if (o->how.retire)
		return "--retire: a function event cannot stop tracing single functions; use another --engine";
	if (o->how.entry)
		return "--entry is for --engine bpf";
	if (o->filter.deny.count)
		return "--deny: a function event takes all functions that its glob matches; use --engine bpf, "
		       "or name the wanted functions with -a";
	return NULL;
}

/* If several functions have this name, or if it is in a module, only a glob can mean all of them. */
static bool needs_glob(const struct traceable *t, const char *name)
{
	const struct traceable_function *const *list;
	size_t count;

	list = traceable__named(t, name, &count);
	return count > 1 || (count && list[0]->module);
}

/* Turns "vfs_*:mod:ext4" into "ext4:vfs_*() as hytrace_ID/cover_1". */
static int add_event(struct event_engine *e, const struct request *r, const struct glob *glob)
{
	const char *module = glob ? glob->module : NULL, *function = glob ? glob->function : "*";
	char *line;
	int err;

	if (module && strpbrk(module, "*?["))
		return error__return(-EINVAL, "%s: a function event can be of one module only: name "
				     "it, or use --engine bpf", glob->text);
	if (!module && !strpbrk(function, "*?[") && needs_glob(r->kernel->traceable, function))
		line = xasprintf("[%c]%s() as cover_%zu", *function, function + 1, e->events.count + 1);
	else
		line = xasprintf("%s%s%s() as cover_%zu", module ? module : "", module ? ":" : "", function,
				 e->events.count + 1);
	err = prototypes__add(&e->events, line);
	free(line);
	return err;
}

static int make_events(struct event_engine *e, const struct request *r)
{
	const struct globs *allow = &r->filter->allow;
	char group[64];
	int err = 0;

	for (size_t i = 0; !err && i < allow->count; i++)
		err = add_event(e, r, &allow->list[i]);
	if (!err && !allow->count)
		err = add_event(e, r, NULL);
	if (err)
		return err;
	snprintf(group, sizeof(group), GROUP_PREFIX "%s", run__id());
	prototypes__privatize(&e->events, group);
	return function_events__add_guarded(&e->events, r->guard);
}

static bool lies_at(struct tep_event *event, const char *name, size_t offset, size_t size)
{
	struct tep_format_field *field = tep_find_field(event, name);

	return field && field->offset == (int)offset && field->size == (int)size;
}

/* All events begin in the same way, so only one is checked. */
static int check_layout(struct event_engine *e)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event;
	int err;

	if (!tep)
		memory__fail();
	err = function_event__format(&e->events.list[0], tep, &event);
	if (!err && (!lies_at(event, "__ip", offsetof(struct cover_event_ctx, ip), sizeof(__u64)) ||
		     !lies_at(event, "__parent_ip", offsetof(struct cover_event_ctx, parent_ip),
			      sizeof(__u64))))
		err = error__return(-EOPNOTSUPP, "events/%s/%s/format: __ip and __parent_ip are not "
				    "where this hytrace knows them; use --engine bpf",
				    e->events.list[0].group, e->events.list[0].name);
	tep_free(tep);
	return err;
}

static void event__destroy(void *engine)
{
	struct event_engine *e = engine;

	bpf_cover__unload(&e->cover);
	prototypes__free(&e->events);
	free(e);
}

static int event__prepare(void **ret, const struct request *request)
{
	struct event_engine *e = xcalloc(1, sizeof(*e));
	int err = make_events(e, request) ?:
		  check_layout(e) ?:
		  bpf_cover__load(&e->cover, request, ENTER_BY_EVENT, e->events.count) ?:
		  bpf_cover__pin(&e->cover);

	if (err)
		event__destroy(e);
	else
		*ret = e;
	return err;
}

/* The number of calls that the events have missed. */
static uint64_t count_missed(const struct bpf_cover *b)
{
	const struct event_engine *e = (const struct event_engine *)b;
	uint64_t missed = 0, one;

	for (size_t i = 0; i < e->events.count; i++) {
		if (function_event__number(&e->events.list[i], "missed", &one))
			missed += one;
	}
	return missed;
}

/* An event needs two descriptors, and -a may name hundreds of functions. */
static int raise_descriptors(size_t events)
{
	int err = descriptors__allow(2 * events);

	return err ? error__return(-EINVAL, "%zu events need %zu more file descriptors: %s; use globs, or "
				   "--engine bpf", events, 2 * events, strerror(-err)) : 0;
}

static int event__start(void *engine)
{
	struct event_engine *e = engine;
	int err = raise_descriptors(e->events.count);

	e->cover.link_missed = count_missed;
	for (size_t i = 0; !err && i < e->events.count; i++) {
		const struct prototype *p = &e->events.list[i];

		err = bpf_cover__put_link(&e->cover, i, bpf_program__attach_tracepoint(
					  e->cover.program, p->group, p->name));
	}
	return err ?: bpf_cover__started(&e->cover) ?: bpf_cover__introduce(&e->cover);
}

static int event__collect(void *engine, void *cut, struct coverage *c, const struct places *places)
{
	struct event_engine *e = engine;
	const struct globs *allow = &e->cover.request->filter->allow;

	/* A glob also takes functions of modules that are loaded later. */
	c->follows_modules = allow->count == allow->patterns;
	return bpf_cover__collect(&e->cover, cut, c, places);
}

const struct engine_ops engine_event = {
	.name = "event",
	.monotonic = true,
	.refuse = event__refuse,
	.needs = FEATURE_COVER_EVENT,
	.prepare = event__prepare,
	.follow = bpf_cover__follow,
	.start = event__start,
	.gate = bpf_cover__gate,
	.count = bpf_cover__count,
	.leave_out = bpf_cover__leave_out_own,
	.stop = bpf_cover__stop,
	.collect = event__collect,
	.destroy = event__destroy,
};
