// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contenders that are dynamic events into the ring buffer: function, fprobe and kprobe events.
 */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/memory.h"
#include "bench/bench.h"

#define EVENT_FILE(name) "events/" BENCH_GROUP "/" BENCH_EVENT "/" name

/* By enum event_kind. Only fprobe events have no counter of missed calls. */
static const struct {
	const char *file;	/* where such events are made */
	const char *format;	/* a line in @file; %s: the definition */
} kinds[] = {
	[FUNCTION_EVENT] = { "function_events", "%s as " BENCH_GROUP "/" BENCH_EVENT },
	[FPROBE_EVENT] = { "dynamic_events", "f:" BENCH_GROUP "/" BENCH_EVENT " %s" },
	[KPROBE_EVENT] = { "dynamic_events", "p:" BENCH_GROUP "/" BENCH_EVENT " %s" },
	[KRETPROBE_EVENT] = { "dynamic_events", "r:" BENCH_GROUP "/" BENCH_EVENT " %s" },
};

int bench_event__make(enum event_kind kind, const char *definition)
{
	char line[256];

	if (!trace__has(TOP, kinds[kind].file))
		return -EOPNOTSUPP;
	snprintf(line, sizeof(line), kinds[kind].format, definition);
	return trace__append(kinds[kind].file, line);
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

/* Skips names that several functions share: the kernel would refuse the whole write. */
static int print_others(FILE *f, unsigned int wanted)
{
	char *functions, **lines = NULL;
	unsigned int made = 0;
	size_t nr;
	int err = trace__read(TOP, "available_filter_functions", &functions);

	if (err)
		return err;
	nr = sorted_lines(functions, &lines);
	for (size_t i = 0; i < nr && made < wanted; i++) {
		if ((i && !strcmp(lines[i], lines[i - 1])) ||
		    (i + 1 < nr && !strcmp(lines[i], lines[i + 1])) || !bench__is_other(lines[i]))
			continue;
		fprintf(f, "%s() as " BENCH_OTHERS "/%s\n", lines[i], lines[i]);
		made++;
	}
	free(lines);
	free(functions);
	return made == wanted ? 0 :
	       bench_error(-ENOENT, "only %u functions for %u events", made, wanted);
}

/* Makes the events of BENCH_OTHERS in one write. As a group, they are enabled together. */
static int make_others(const struct contender *c)
{
	size_t size;
	char *text;
	FILE *f = xopen_memstream(&text, &size);
	int err;

	for (unsigned int i = 0; i < c->event.beside; i++)
		fprintf(f, BENCH_FUNCTION "() as " BENCH_OTHERS "/beside_%u\n", i);
	err = c->event.others ? print_others(f, c->event.others) : 0;
	xclose_memstream(f);
	if (!err)
		err = trace__append("function_events", text);
	free(text);
	return err;
}

static int enable_others(const char *value)
{
	return trace__write(bench_instance, "events/" BENCH_OTHERS "/enable", value);
}

static int event__setup(const struct contender *c, enum bench_scope scope)
{
	int err;

	if (!trace__has(TOP, kinds[c->event.kind].file))
		return -EOPNOTSUPP;
	err = c->event.others ? make_others(c) : 0;
	err = err ?: trace_instance__open();
	err = err ?: bench_event__make(c->event.kind, scope == BENCH_ALL ? c->event.all : c->event.definition);
	if (!err && c->event.beside)
		err = make_others(c);
	return !err && c->event.others ? enable_others("1") : err;
}

/* Also switches the contender's "beside" events. */
static int enable(const struct contender *c, const char *value)
{
	if (c->event.beside && enable_others(value))
		return -EIO;
	return trace__write(bench_instance, EVENT_FILE("enable"), value);
}

static int event__attach(const struct contender *c, enum bench_scope scope)
{
	return enable(c, "1");
}

static int event__detach(const struct contender *c)
{
	return enable(c, "0");
}

static int event__report(const struct contender *c, struct bench_row *row)
{
	int err = trace_instance__memory(c, row);

	if (err || c->event.kind == FPROBE_EVENT)
		return err;
	if (c->event.kind == FUNCTION_EVENT)
		return trace__number(bench_instance, EVENT_FILE("missed"), "", &row->missed);
	return trace__number(TOP, "kprobe_profile", BENCH_EVENT, &row->missed);
}

static void event__cleanup(const struct contender *c)
{
	/* The instance uses the event, so it is removed first. */
	trace_instance__close();
	trace__remove_events();
}

const struct method method_event = {
	.setup = event__setup,
	.attach = event__attach,
	.report = event__report,
	.detach = event__detach,
	.cleanup = event__cleanup,
};

/*
 * A function event through perf, as with `perf record -c 1 -R`. Nobody reads its buffer, which
 * overwrites old records, so nothing counts as lost.
 */
#define PERF_PAGES 64
#define PERF_BYTES ((1 + PERF_PAGES) * sysconf(_SC_PAGESIZE))

static int perf_fd = -1;
static void *perf_buffer = MAP_FAILED;

static int event_perf__attach(const struct contender *c, enum bench_scope scope)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_TID,
		.write_backward = 1,
	};
	double id;
	int err = trace__number(bench_instance, EVENT_FILE("id"), "", &id);

	if (err)
		return err;
	attr.config = id;
	perf_fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	if (perf_fd < 0)
		return bench_error(-errno, "cannot open the perf event");
	/* A mapping that is not writable makes the buffer overwrite old records. */
	perf_buffer = mmap(NULL, PERF_BYTES, PROT_READ, MAP_SHARED, perf_fd, 0);
	return perf_buffer == MAP_FAILED ? bench_error(-errno, "cannot map perf's buffer") : 0;
}

static int event_perf__report(const struct contender *c, struct bench_row *row)
{
	row->memory_bytes = PERF_BYTES;
	return 0;
}

static int event_perf__detach(const struct contender *c)
{
	if (perf_buffer != MAP_FAILED)
		munmap(perf_buffer, PERF_BYTES);
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

const struct method method_event_perf = {
	.setup = event__setup,
	.attach = event_perf__attach,
	.report = event_perf__report,
	.detach = event_perf__detach,
	.cleanup = event_perf__cleanup,
	.one_cpu = true,
};
