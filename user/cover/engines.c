// SPDX-License-Identifier: GPL-2.0-only
/* Engines side by side; see engines.h. */
#include <limits.h>

#include "cover/engines.h"
#include "run/instance.h"

static double seconds_since(uint64_t start)
{
	return (clock__monotonic() - start) / 1e9;
}

static void add_engine(struct engines *e, const struct engine_ops *ops)
{
	e->list[e->count++].ops = ops;
}

int engines__choose(struct engines *e, enum cover_engine engine, bool needs_bpf)
{
	int err = 0;

	switch (engine) {
	case ENGINE_BOTH:
		err = engine_oneshot.available(false);
		add_engine(e, &engine_oneshot);
		add_engine(e, &engine_bpf);
		break;
	case ENGINE_ONESHOT:
		err = engine_oneshot.available(false);
		add_engine(e, &engine_oneshot);
		break;
	case ENGINE_BPF:
		add_engine(e, &engine_bpf);
		break;
	case ENGINE_EVENT:
		err = engine_event.available(false);
		add_engine(e, &engine_event);
		break;
	case ENGINE_AUTO:
		if (needs_bpf || engine_oneshot.available(true))
			add_engine(e, &engine_bpf);
		else
			add_engine(e, &engine_oneshot);
		break;
	}
	return err;
}

int engines__deny_own(const struct engines *e, struct globs *own, const struct symbols *symbols,
		      unsigned int when)
{
	for (size_t i = 0; i < e->count; i++) {
		if (e->list[i].ops == &engine_bpf)
			return bpf_own__deny(own, symbols, when);
	}
	return 0;
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
		err = one->ops->open(one->engine);
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

int engines__close(struct engines *e)
{
	int err = 0;

	for (size_t i = e->count; i > 0; i--) {
		struct running *one = &e->list[i - 1];
		int failed;

		one->closing = clock__monotonic();
		failed = one->ops->close(one->engine);
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
