// SPDX-License-Identifier: GPL-2.0-only
/* The contenders that are dynamic events into the ring buffer: fprobe and kprobe events. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "bench.h"

#define EVENT_GROUP "hytrace_bench"

struct event_variant {
	const char *name;
	const char *definition;
	bool counts_missed;
};

static int event__setup(const struct contender *c, enum bench_scope scope)
{
	const struct event_variant *variant = c->variant;
	int err;

	err = trace_instance__open();
	return err ?: trace_top__append("dynamic_events", variant->definition);
}

static int event__enable(const struct contender *c, const char *value)
{
	const struct event_variant *variant = c->variant;
	char file[128];

	snprintf(file, sizeof(file), "events/" EVENT_GROUP "/%s/enable", variant->name);
	return trace_instance__write(file, value);
}

static int event__attach(const struct contender *c, enum bench_scope scope)
{
	return event__enable(c, "1");
}

static int event__detach(const struct contender *c)
{
	return event__enable(c, "0");
}

static int event__report(const struct contender *c, struct bench_row *row)
{
	const struct event_variant *variant = c->variant;
	double kb;
	int err;

	err = trace_instance__read_value("buffer_total_size_kb", "", &kb);
	if (err)
		return err;
	row->memory_bytes = kb * 1024;
	/* fprobes count what they miss and tell nobody. */
	return variant->counts_missed ?
		trace_top__read_last("kprobe_profile", variant->name, &row->missed) : 0;
}

static void event__cleanup(const struct contender *c)
{
	const struct event_variant *variant = c->variant;
	char text[64];

	/* The instance holds the event. */
	trace_instance__close();
	snprintf(text, sizeof(text), "-:" EVENT_GROUP "/%s", variant->name);
	trace_top__append("dynamic_events", text);
}

static const struct event_variant fprobe_variant = {
	.name = "fprobe",
	.definition = "f:" EVENT_GROUP "/fprobe " BENCH_FUNCTION,
};

static const struct event_variant kprobe_variant = {
	.name = "kprobe",
	.definition = "p:" EVENT_GROUP "/kprobe " BENCH_FUNCTION,
	.counts_missed = true,
};

#define EVENT_CALLBACKS						\
	.scopes = SCOPE_ONE,					\
	.warmup = WARMUP_RING_BUFFER,				\
	.note = "each call an event; memory is the ring buffer's",	\
	.setup = event__setup,					\
	.attach = event__attach,				\
	.report = event__report,				\
	.detach = event__detach,				\
	.cleanup = event__cleanup

const struct contender contender_fprobe_event = {
	.name = "fprobe-event",
	.variant = &fprobe_variant,
	EVENT_CALLBACKS,
};

const struct contender contender_kprobe_event = {
	.name = "kprobe-event",
	.variant = &kprobe_variant,
	EVENT_CALLBACKS,
};
