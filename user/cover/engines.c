// SPDX-License-Identifier: GPL-2.0-only
/* One or two engines in the same steps; see engines.h. */
#include <limits.h>

#include "cover/engines.h"
#include "run/instance.h"

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
		if (e->list[i].engine)
			e->list[i].ops->destroy(e->list[i].engine);
	}
}
