// SPDX-License-Identifier: GPL-2.0-only
/*
 * The benchmark's harness: what does it cost a call to be seen? Runs in the guest, writes rows as
 * JSON to stdout; run.sh starts it and joins the rows with where they come from.
 *
 * Under `-icount shift=0` the guest's TSC counts its instructions, so a cost is a number of
 * instructions, the same from run to run, and a thousand calls are enough to resolve one. What is
 * left of noise are timer ticks: a repetition is so short that most have none, and the median of many
 * is the result. Without icount the same code gives nanoseconds.
 *
 * Each row is measured in a process of its own, with a base of its own: what one contender leaves
 * behind or breaks is not the next one's.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include <json_writer.h>

#include "bench.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define REPETITIONS 31
/* Instructions, or nanoseconds, of a repetition: a quarter of a tick. */
#define REPETITION_COST 1000000
#define DEFAULT_WARMUP 2000
/* Switching all functions on and off takes seconds under TCG: just enough for a median. */
#define SWITCHES 3

static const struct contender contender_base = {
	.name = "base",
	.scopes = SCOPE_ONE | SCOPE_ALL,
	.note = "nothing is traced",
};

/* In the order of the report. */
static const struct contender *const contenders[] = {
	&contender_base,
	&contender_oneshot_retired,
	&contender_oneshot_nocallers,
	&contender_oneshot,
	&contender_event_bpf,
	&contender_event_bpf_hash,
	&contender_fentry,
	&contender_fentry_hash,
	&contender_kprobe_multi,
	&contender_kprobe_multi_hash_nocallers,
	&contender_kprobe_multi_hash,
	&contender_cover_bpf,
	&contender_profiler,
	&contender_function,
	&contender_event,
	&contender_event_2args,
	&contender_event_5000,
	&contender_event_perf,
	&contender_fprobe_event,
	&contender_fprobe_event_2args,
	&contender_kprobe_event,
};

struct workload {
	const char *name;
	enum bench_workload which;
	void (*run)(unsigned long calls);
};

static void check_io(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "bench: the workload cannot %s\n", what);
	_exit(EIO);
}

/* By hand: libc's wrapper would be counted, too. */
static void getppid__run(unsigned long calls)
{
	while (calls--) {
		long ret = SYS_getppid;

		asm volatile("syscall" : "+a"(ret) : : "rcx", "r11", "memory");
	}
}

/* The other process ends with this one, when its pipe does. */
static void pipe__begin(int fds[2])
{
	int there[2], back[2];
	char byte;

	check_io(!pipe(there) && !pipe(back), "make a pipe");
	switch (fork()) {
	case -1:
		check_io(false, "fork");
		break;
	case 0:
		close(there[1]);
		close(back[0]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	close(there[0]);
	close(back[1]);
	fds[0] = back[0];
	fds[1] = there[1];
}

static void pipe__run(unsigned long calls)
{
	static int fds[2];
	char byte = 0;

	if (!fds[1])
		pipe__begin(fds);
	while (calls--)
		check_io(write(fds[1], &byte, 1) == 1 && read(fds[0], &byte, 1) == 1,
			 "use its pipe");
}

/* In memory: a disk has times of its own. */
#define BENCH_FILE "/dev/shm/hytrace-bench"

static void file__run(unsigned long calls)
{
	static char page[4096];

	while (calls--) {
		int fd = open(BENCH_FILE, O_RDWR | O_CREAT | O_TRUNC, 0600);

		check_io(fd >= 0 && write(fd, page, sizeof(page)) == sizeof(page) &&
			 pread(fd, page, sizeof(page), 0) == sizeof(page) && !close(fd) &&
			 !unlink(BENCH_FILE), "use its file");
	}
}

static const struct workload workloads[] = {
	{ "getppid", WORKLOAD_GETPPID, getppid__run },
	{ "pipe", WORKLOAD_PIPE, pipe__run },
	{ "file", WORKLOAD_FILE, file__run },
};

static struct options {
	bool nanoseconds;
	bool list;
	unsigned int scopes;
	const char *names[ARRAY_SIZE(contenders)];
	size_t nr_names;
} options = { .scopes = SCOPE_ONE | SCOPE_ALL };

int bench_error(int err, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "bench: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, ": %s\n", strerror(-err));
	return err;
}

/* ---- the clock */

static double now(void)
{
	struct timespec ts;

	/* Not the kernel's clock: its idea of the TSC's frequency is an estimate. */
	if (!options.nanoseconds)
		return __rdtsc();
	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Sorts the values. */
static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
	return values[count / 2];
}

/* A loop of two instructions has to take two: a TSC that counts time would make all rows nonsense. */
static int check_clock(void)
{
	const unsigned long loops = 100000;
	double took[REPETITIONS], each;
	int i;

	for (i = 0; i < REPETITIONS; i++) {
		unsigned long n = loops;

		took[i] = -now();
		asm volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
		took[i] += now();
	}
	each = median(took, REPETITIONS) / loops;
	if (fabs(each - 2) < 0.01)
		return 0;
	fprintf(stderr, "bench: two instructions take %.3f ticks of the TSC, so it does not count them;\n"
		"bench: start the guest with vm.sh --icount, or ask for --unit ns\n", each);
	return -EINVAL;
}

/* ---- measuring one row */

static double time_calls(const struct workload *w, unsigned long calls)
{
	double start = now();

	w->run(calls);
	return (now() - start) / calls;
}

struct cost {
	double total;
	double min;
	double max;
};

static void measure_cost(const struct workload *w, struct cost *ret)
{
	double values[REPETITIONS];
	unsigned long calls;
	int i;

	for (i = 0; i < REPETITIONS; i++)
		values[i] = time_calls(w, 50);
	calls = REPETITION_COST / median(values, REPETITIONS);
	if (calls < 50)
		calls = 50;
	for (i = 0; i < REPETITIONS; i++)
		values[i] = time_calls(w, calls);
	ret->total = median(values, REPETITIONS);
	ret->min = values[0];
	ret->max = values[REPETITIONS - 1];
}

/* What the first call after forgetting everything costs more than any other. */
static int measure_first_hit(const struct contender *c, const struct workload *w,
			     struct bench_row *row)
{
	double values[REPETITIONS];
	int i, err;

	for (i = 0; i < REPETITIONS; i++) {
		err = c->clear(c);
		if (err)
			return err;
		values[i] = time_calls(w, 1);
	}
	row->first_hit = median(values, REPETITIONS) - row->total;
	return 0;
}

/* What it takes to switch a contender on and off, over and over. */
struct switching {
	double attach[SWITCHES];
	double detach[SWITCHES];
};

static int time_attach(const struct contender *c, enum bench_scope scope, double *ret_took)
{
	double start = now();
	int err = c->attach(c, scope);

	*ret_took = now() - start;
	return err;
}

/* Of the switch whose attach has been timed. */
static int time_detach(const struct contender *c, struct switching *times, int i)
{
	double start = now();
	int err = c->detach(c);

	times->detach[i] = now() - start;
	if (!err && c->took)
		err = c->took(c, &times->attach[i], &times->detach[i]);
	return err;
}

/* All but the first attach and detach, between which the calls were measured. */
static int measure_switching(const struct contender *c, enum bench_scope scope,
			     struct switching *times, struct bench_row *row)
{
	int i, err = 0;

	for (i = 1; !err && i < SWITCHES; i++)
		err = time_attach(c, scope, &times->attach[i]) ?:
		      time_detach(c, times, i);
	if (err)
		return err;
	row->attach = median(times->attach, SWITCHES);
	row->detach = median(times->detach, SWITCHES);
	return 0;
}

static int measure_attached(const struct contender *c, const struct workload *w,
			    enum bench_scope scope, struct bench_row *row)
{
	struct cost cost;
	int err = 0;

	w->run(c->warmup ?: DEFAULT_WARMUP);
	if (c->settle_ms) {
		usleep(c->settle_ms * 1000);
		w->run(DEFAULT_WARMUP);
	}
	measure_cost(w, &cost);
	row->total = cost.total;
	row->min = cost.min;
	row->max = cost.max;
	if (c->report)
		err = c->report(c, row);
	/* With all functions traced, what runs between clearing and the call is unknown. */
	if (!err && c->clear && scope == SCOPE_ONE)
		err = measure_first_hit(c, w, row);
	return err;
}

static int measure_row(const struct contender *c, const struct workload *w,
		       enum bench_scope scope, struct bench_row *row)
{
	struct switching times;
	struct cost cost;
	int err;

	w->run(DEFAULT_WARMUP);
	measure_cost(w, &cost);
	row->base = cost.total;
	err = c->setup ? c->setup(c, scope) : 0;
	if (err)
		goto cleanup;
	if (c->attach)
		err = time_attach(c, scope, &times.attach[0]);
	err = err ?: measure_attached(c, w, scope, row);
	if (!err && c->attach)
		err = time_detach(c, &times, 0) ?:
		      measure_switching(c, scope, &times, row);
cleanup:
	if (c->cleanup)
		c->cleanup(c);
	return err;
}

static void empty_row(struct bench_row *row, const char *note)
{
	*row = (struct bench_row) {
		.base = NAN, .total = NAN, .min = NAN, .max = NAN, .first_hit = NAN,
		.memory_bytes = NAN, .seen = NAN, .missed = NAN, .attach = NAN, .detach = NAN,
	};
	snprintf(row->note, sizeof(row->note), "%s", note ?: "");
}

/* The row as the child left it; -EIO when it died. */
static int collect_row(pid_t child, int fd, struct bench_row *row)
{
	struct bench_row got;
	ssize_t n = read(fd, &got, sizeof(got));
	int status;

	if (waitpid(child, &status, 0) < 0)
		return -errno;
	if (!WIFEXITED(status))
		return -EIO;
	if (n == sizeof(got))
		*row = got;
	return -WEXITSTATUS(status);
}

/* In a process of its own, whose exit status is the negated result. */
static int run_apart(const struct contender *c, const struct workload *w, enum bench_scope scope,
		     struct bench_row *row)
{
	int fds[2], err;
	pid_t child;

	if (pipe(fds))
		return -errno;
	fflush(NULL);
	child = fork();
	if (child < 0) {
		err = -errno;
	} else if (!child) {
		err = measure_row(c, w, scope, row);
		if (!err && write(fds[1], row, sizeof(*row)) != sizeof(*row))
			err = -EIO;
		_exit(-err);
	} else {
		close(fds[1]);
		err = collect_row(child, fds[0], row);
		close(fds[0]);
		return err;
	}
	close(fds[0]);
	close(fds[1]);
	return err;
}

/* ---- writing rows */

static void write_number(json_writer_t *json, const char *name, double value)
{
	if (isnan(value))
		jsonw_null_field(json, name);
	else if (value == rint(value) && value >= 0)
		jsonw_lluint_field(json, name, value);
	else
		jsonw_float_field_fmt(json, name, "%.2f", value);
}

static void write_row(json_writer_t *json, const struct contender *c, const struct workload *w,
		      enum bench_scope scope, const struct bench_row *row)
{
	jsonw_start_object(json);
	jsonw_string_field(json, "contender", c->name);
	jsonw_string_field(json, "scope", scope == SCOPE_ONE ? "one" : "all");
	jsonw_string_field(json, "workload", w->name);
	jsonw_string_field(json, "unit", options.nanoseconds ? "ns" : "insn");
	write_number(json, "base", row->base);
	write_number(json, "total", row->total);
	write_number(json, "over_base", row->total - row->base);
	write_number(json, "min", row->min);
	write_number(json, "max", row->max);
	write_number(json, "first_hit", row->first_hit);
	write_number(json, "memory_bytes", row->memory_bytes);
	write_number(json, "seen", row->seen);
	write_number(json, "missed", row->missed);
	write_number(json, "attach", row->attach);
	write_number(json, "detach", row->detach);
	jsonw_string_field(json, "note", row->note);
	jsonw_end_object(json);
}

/* 0, or a negative errno when the row is missing for another reason than an unable kernel. */
static int run_row(json_writer_t *json, const struct contender *c, const struct workload *w,
		   enum bench_scope scope)
{
	struct bench_row row;
	int err;

	fprintf(stderr, "bench: %s, %s, %s\n", c->name,
		scope == SCOPE_ONE ? "one function" : "all functions", w->name);
	empty_row(&row, c->note);
	err = run_apart(c, w, scope, &row);
	if (err && c->cleanup)
		c->cleanup(c);
	if (err == -EOPNOTSUPP)
		empty_row(&row, "not measured: this kernel has no such thing");
	else if (err)
		empty_row(&row, "not measured: it failed");
	if (err)
		bench_error(err, "NOT MEASURED: %s, %s", c->name, w->name);
	/* The base is its own contender: whatever it measured twice is not a cost. */
	if (c == &contender_base)
		row.base = row.total;
	write_row(json, c, w, scope, &row);
	return err == -EOPNOTSUPP ? 0 : err;
}

/* 0, or why a row is missing. */
static int run_workloads(json_writer_t *json, const struct contender *c, enum bench_scope scope)
{
	unsigned int chosen = scope == SCOPE_ALL && c->workloads ? c->workloads : WORKLOAD_GETPPID;
	int err = 0, row_err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(workloads); i++) {
		if (!(chosen & workloads[i].which))
			continue;
		row_err = run_row(json, c, &workloads[i], scope);
		err = err ?: row_err;
	}
	return err;
}

static bool is_wanted(const struct contender *c)
{
	size_t i;

	for (i = 0; i < options.nr_names; i++)
		if (!strcmp(options.names[i], c->name))
			return true;
	return !options.nr_names;
}

static int run_all(void)
{
	static const enum bench_scope scopes[] = { SCOPE_ONE, SCOPE_ALL };
	json_writer_t *json = jsonw_new(stdout);
	int err = 0, row_err;
	size_t i, s;

	if (!json)
		return -ENOMEM;
	jsonw_pretty(json, true);
	jsonw_start_array(json);
	for (s = 0; s < ARRAY_SIZE(scopes); s++) {
		for (i = 0; i < ARRAY_SIZE(contenders); i++) {
			if (!(contenders[i]->scopes & options.scopes & scopes[s]) ||
			    !is_wanted(contenders[i]))
				continue;
			row_err = run_workloads(json, contenders[i], scopes[s]);
			err = err ?: row_err;
		}
	}
	jsonw_end_array(json);
	jsonw_destroy(&json);
	return err;
}

/* ---- arguments */

static const struct argp_option argp_options[] = {
	{ "contender", 'c', "NAME", 0, "only this one; may be given again" },
	{ "scope", 's', "one|all", 0, "only with one function traced, or with all" },
	{ "unit", 'u', "insn|ns", 0, "instructions (default, needs icount) or nanoseconds" },
	{ "list", 'l', NULL, 0, "name the contenders" },
	{}
};

static int add_name(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(contenders); i++)
		if (!strcmp(contenders[i]->name, name))
			break;
	if (i == ARRAY_SIZE(contenders) || options.nr_names == ARRAY_SIZE(contenders))
		return -EINVAL;
	options.names[options.nr_names++] = name;
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'c':
		if (add_name(arg))
			argp_error(state, "%s is not a contender; --list names them", arg);
		return 0;
	case 's':
		options.scopes = !strcmp(arg, "one") ? SCOPE_ONE : !strcmp(arg, "all") ? SCOPE_ALL : 0;
		if (!options.scopes)
			argp_error(state, "the scope is one or all, not %s", arg);
		return 0;
	case 'u':
		options.nanoseconds = !strcmp(arg, "ns");
		if (!options.nanoseconds && strcmp(arg, "insn"))
			argp_error(state, "the unit is insn or ns, not %s", arg);
		return 0;
	case 'l':
		options.list = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		argp_options, parse_option, NULL,
		"Measures what it costs a system call to be traced; JSON rows on stdout.",
	};
	size_t i;

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	if (options.list) {
		for (i = 0; i < ARRAY_SIZE(contenders); i++)
			puts(contenders[i]->name);
		return 0;
	}
	if (!options.nanoseconds && check_clock())
		return 1;
	return run_all() ? 1 : 0;
}
