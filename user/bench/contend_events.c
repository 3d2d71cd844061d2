// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contenders that are dynamic events into the ring buffer: function, fprobe and kprobe events.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "bench/bench.h"

#define EVENT_GROUP "hytrace_bench"
#define OTHERS_GROUP "hytrace_bench_others"

enum event_kind {
	FUNCTION_EVENT,
	FPROBE_EVENT,
	KPROBE_EVENT,
};

struct event_variant {
	const char *name;
	enum event_kind kind;
	const char *definition;
	const char *all;		/* the definition of an event on all functions */
	unsigned int others;		/* events on other functions, enabled as well */
	unsigned int beside;		/* more events on the same function, enabled as well */
};

static const char *event__file(const struct event_variant *variant)
{
	return variant->kind == FUNCTION_EVENT ? "function_events" : "dynamic_events";
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Splits a list of functions into sorted lines, in place; returns their number. */
static size_t sorted_lines(char *text, char ***ret_lines)
{
	char **lines = NULL, *line, *rest;
	size_t nr = 0;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		*LIST_ADD(lines, nr) = line;
	qsort(lines, nr, sizeof(*lines), compare_names);
	*ret_lines = lines;
	return nr;
}

/* A name that several functions share would be refused, and the whole write with it. */
static int make_others(unsigned int wanted)
{
	char *functions, *text, **lines = NULL;
	size_t i, nr, len = 0;
	unsigned int made = 0;
	int err;

	err = trace_top__read("available_filter_functions", &functions);
	if (err)
		return err;
	nr = sorted_lines(functions, &lines);
	text = xmalloc(wanted * 256);
	for (i = 0; i < nr && made < wanted; i++) {
		if ((i && !strcmp(lines[i], lines[i - 1])) ||
		    (i + 1 < nr && !strcmp(lines[i], lines[i + 1])) || !bench__is_other(lines[i]))
			continue;
		len += sprintf(text + len, "%s() as " OTHERS_GROUP "/%s\n", lines[i],
			       lines[i]);
		made++;
	}
	err = made == wanted ? trace_top__write_once("function_events", text, len) :
			       bench_error(-ENOENT, "only %u functions for %u events", made, wanted);
	free(text);
	free(lines);
	free(functions);
	return err;
}

/* Makes the same event under other names in another group, by which they are enabled together. */
static int make_beside(unsigned int wanted)
{
	char *text = malloc(wanted * 128);
	size_t len = 0;
	int err;

	/* No watchdog removes what was made before, so this is an error. */
	if (!text)
		return -ENOMEM;
	for (unsigned int i = 0; i < wanted; i++)
		len += sprintf(text + len, BENCH_FUNCTION "() as " OTHERS_GROUP "/beside_%u\n", i);
	err = trace_top__write_once("function_events", text, len);
	free(text);
	return err;
}

static int event__setup(const struct contender *c, enum bench_scope scope)
{
	const struct event_variant *variant = c->variant;
	int err;

	if (!trace_top__has(event__file(variant)))
		return -EOPNOTSUPP;
	if (variant->others) {
		err = make_others(variant->others);
		if (err)
			return err;
	}
	err = trace_instance__open();
	err = err ?: trace_top__append(event__file(variant),
				       scope == BENCH_ALL ? variant->all : variant->definition);
	if (!err && variant->beside)
		err = make_beside(variant->beside);
	if (!err && variant->others)
		err = trace_instance__write("events/" OTHERS_GROUP "/enable", "1");
	return err;
}

static int event__enable(const struct contender *c, const char *value)
{
	const struct event_variant *variant = c->variant;
	char file[128];

	snprintf(file, sizeof(file), "events/" EVENT_GROUP "/%s/enable", variant->name);
	if (variant->beside && trace_instance__write("events/" OTHERS_GROUP "/enable", value))
		return -EIO;
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
	char file[128];
	double kb;
	int err;

	err = trace_instance__read_value("buffer_total_size_kb", "", &kb);
	if (err)
		return err;
	row->memory_bytes = kb * 1024;
	switch (variant->kind) {
	case FUNCTION_EVENT:
		snprintf(file, sizeof(file), "events/" EVENT_GROUP "/%s/missed", variant->name);
		return trace_instance__read_value(file, "", &row->missed);
	case KPROBE_EVENT:
		return trace_top__read_last("kprobe_profile", variant->name, &row->missed);
	default:
		/* fprobes count what they miss, but do not show it. */
		return 0;
	}
}

static void event__cleanup(const struct contender *c)
{
	const struct event_variant *variant = c->variant;
	char text[64];

	/* The instance uses the event, so it is removed first. */
	trace_instance__close();
	snprintf(text, sizeof(text), "-:" EVENT_GROUP "/%s", variant->name);
	trace_top__append("dynamic_events", text);
	if (variant->others || variant->beside)
		trace_top__append("dynamic_events", "-:" OTHERS_GROUP "/");
}

/*
 * A function event through perf, as with `perf record -c 1 -R`. Nobody reads its buffer, which
 * overwrites old records, so nothing counts as lost.
 */
#define PERF_PAGES 64

static int perf_fd = -1;
static void *perf_buffer = MAP_FAILED;

static int event_perf__attach(const struct contender *c, enum bench_scope scope)
{
	const struct event_variant *variant = c->variant;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_TID,
		.write_backward = 1,
	};
	char file[128];
	double id;
	int err;

	snprintf(file, sizeof(file), "events/" EVENT_GROUP "/%s/id", variant->name);
	err = trace_instance__read_value(file, "", &id);
	if (err)
		return err;
	attr.config = id;
	perf_fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	if (perf_fd < 0)
		return bench_error(-errno, "cannot open the perf event");
	/* A mapping that is not writable makes the buffer overwrite old records. */
	perf_buffer = mmap(NULL, (1 + PERF_PAGES) * sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED,
			   perf_fd, 0);
	return perf_buffer == MAP_FAILED ? bench_error(-errno, "cannot map perf's buffer") : 0;
}

static int event_perf__report(const struct contender *c, struct bench_row *row)
{
	row->memory_bytes = (1 + PERF_PAGES) * sysconf(_SC_PAGESIZE);
	return 0;
}

static int event_perf__detach(const struct contender *c)
{
	if (perf_buffer != MAP_FAILED)
		munmap(perf_buffer, (1 + PERF_PAGES) * sysconf(_SC_PAGESIZE));
	perf_buffer = MAP_FAILED;
	if (perf_fd >= 0)
		close(perf_fd);
	perf_fd = -1;
	return 0;
}

static void event_perf__cleanup(const struct contender *c)
{
	event_perf__detach(c);
	event__cleanup(c);
}

static const struct event_variant event_perf_variant = {
	.name = "event_perf",
	.definition = BENCH_ARGUMENTS "(u64 a, NULL, u64 b) as " EVENT_GROUP "/event_perf",
};

static const struct event_variant event_variant = {
	.name = "event",
	.definition = BENCH_FUNCTION "() as " EVENT_GROUP "/event",
	.all = "*() as " EVENT_GROUP "/event",
};

static const struct event_variant event_3_variant = {
	.name = "event_3",
	.definition = BENCH_FUNCTION "() as " EVENT_GROUP "/event_3",
	.beside = 2,
};

/* With 10 and 100 events, the buffers wrap sooner. */
#define BESIDE_CALLBACKS(count)					\
	.scopes = BENCH_ONE,					\
	.warmup = WARMUP_RING_BUFFER / (count),			\
	.note = "each call an event of each of " #count "; missed is that of one event",	\
	.setup = event__setup,					\
	.attach = event__attach,				\
	.report = event__report,				\
	.detach = event__detach,				\
	.cleanup = event__cleanup

static const struct event_variant event_10_variant = {
	.name = "event_10",
	.definition = BENCH_FUNCTION "() as " EVENT_GROUP "/event_10",
	.beside = 9,
};

static const struct event_variant event_100_variant = {
	.name = "event_100",
	.definition = BENCH_FUNCTION "() as " EVENT_GROUP "/event_100",
	.beside = 99,
};

static const struct event_variant event_2args_variant = {
	.name = "event_2args",
	.definition = BENCH_ARGUMENTS "(u64 a, NULL, u64 b) as " EVENT_GROUP "/event_2args",
};

static const struct event_variant event_5000_variant = {
	.name = "event_5000",
	.definition = BENCH_ARGUMENTS "(u64 a, NULL, u64 b) as " EVENT_GROUP "/event_5000",
	.others = 4999,
};

static const struct event_variant event_return_variant = {
	.name = "event_return",
	.definition = "long " BENCH_FUNCTION "() as " EVENT_GROUP "/event_return",
};

static const struct event_variant fprobe_variant = {
	.name = "fprobe",
	.kind = FPROBE_EVENT,
	.definition = "f:" EVENT_GROUP "/fprobe " BENCH_FUNCTION,
};

static const struct event_variant fprobe_2args_variant = {
	.name = "fprobe_2args",
	.kind = FPROBE_EVENT,
	.definition = "f:" EVENT_GROUP "/fprobe_2args " BENCH_ARGUMENTS " a=$arg1:u64 b=$arg3:u64",
};

static const struct event_variant fprobe_return_variant = {
	.name = "fprobe_return",
	.kind = FPROBE_EVENT,
	.definition = "f:" EVENT_GROUP "/fprobe_return " BENCH_FUNCTION "%return ret=$retval:s64",
};

static const struct event_variant kprobe_variant = {
	.name = "kprobe",
	.kind = KPROBE_EVENT,
	.definition = "p:" EVENT_GROUP "/kprobe " BENCH_FUNCTION,
};

static const struct event_variant kretprobe_variant = {
	.name = "kretprobe",
	.kind = KPROBE_EVENT,
	.definition = "r:" EVENT_GROUP "/kretprobe " BENCH_FUNCTION " ret=$retval:s64",
};

#define EVENT_CALLBACKS						\
	.scopes = BENCH_ONE,					\
	.warmup = WARMUP_RING_BUFFER,				\
	.note = "each call an event; memory is the ring buffer's",	\
	.setup = event__setup,					\
	.attach = event__attach,				\
	.report = event__report,				\
	.detach = event__detach,				\
	.cleanup = event__cleanup

const struct contender contender_event = {
	.name = "event",
	.scopes = BENCH_ONE | BENCH_ALL,
	.warmup = WARMUP_RING_BUFFER,
	.note = "each call an event; memory is the ring buffer's; for all functions, one event is on all",
	.variant = &event_variant,
	.setup = event__setup,
	.attach = event__attach,
	.report = event__report,
	.detach = event__detach,
	.cleanup = event__cleanup,
};

const struct contender contender_event_3 = {
	.name = "event-3-on-one",
	.variant = &event_3_variant,
	BESIDE_CALLBACKS(3),
};

const struct contender contender_event_10 = {
	.name = "event-10-on-one",
	.variant = &event_10_variant,
	BESIDE_CALLBACKS(10),
};

const struct contender contender_event_100 = {
	.name = "event-100-on-one",
	.variant = &event_100_variant,
	BESIDE_CALLBACKS(100),
};

const struct contender contender_event_2args = {
	.name = "event-2args",
	.variant = &event_2args_variant,
	EVENT_CALLBACKS,
};

const struct contender contender_event_return = {
	.name = "event-return",
	.variant = &event_return_variant,
	EVENT_CALLBACKS,
};

const struct contender contender_event_5000 = {
	.name = "event-2args-of-5000",
	.scopes = BENCH_ONE,
	.warmup = WARMUP_RING_BUFFER,
	.note = "with 4,999 events on other functions enabled beside it",
	.variant = &event_5000_variant,
	.setup = event__setup,
	.attach = event__attach,
	.report = event__report,
	.detach = event__detach,
	.cleanup = event__cleanup,
};

const struct contender contender_event_perf = {
	.name = "event-perf",
	.scopes = BENCH_ONE,
	.one_cpu = true,
	.warmup = WARMUP_RING_BUFFER,
	.note = "two arguments, each call a sample in perf's buffer, which overwrites",
	.variant = &event_perf_variant,
	.setup = event__setup,
	.attach = event_perf__attach,
	.report = event_perf__report,
	.detach = event_perf__detach,
	.cleanup = event_perf__cleanup,
};

const struct contender contender_fprobe_event_2args = {
	.name = "fprobe-event-2args",
	.variant = &fprobe_2args_variant,
	EVENT_CALLBACKS,
};

const struct contender contender_fprobe_event = {
	.name = "fprobe-event",
	.variant = &fprobe_variant,
	EVENT_CALLBACKS,
};

const struct contender contender_fprobe_event_return = {
	.name = "fprobe-event-return",
	.variant = &fprobe_return_variant,
	EVENT_CALLBACKS,
};

const struct contender contender_kprobe_event = {
	.name = "kprobe-event",
	.variant = &kprobe_variant,
	EVENT_CALLBACKS,
};

const struct contender contender_kretprobe_event = {
	.name = "kretprobe-event",
	.variant = &kretprobe_variant,
	EVENT_CALLBACKS,
};
