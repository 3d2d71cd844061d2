// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace bench: what does it cost to see a call, in each possible way? This has the options, the
 * list of contenders, and the rows, as a table or as JSON.
 */
#include <argp.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/options.h"
#include "base/table.h"
#include "bench/commands.h"
#include "bench/measure.h"
#include "kernel/features.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const struct contender contender_base = {
	.name = "base",
	.scopes = BENCH_ONE | BENCH_ALL,
	.workloads = WORKLOADS_ALL,
	.note = "nothing is traced",
};

/* In the order of the report. */
static const struct contender *const contenders[] = {
	&contender_base,
	&contender_oneshot_retired,
	&contender_oneshot_nocallers,
	&contender_oneshot,
	&contender_cover_bpf_retired,
	&contender_cover_bpf_nocallers,
	&contender_cover_bpf,
	&contender_cover_bpf_kprobe,
	&contender_ftrace_ops,
	&contender_event_bpf,
	&contender_event_bpf_hash,
	&contender_event_bpf_hash_nocallers,
	&contender_fentry,
	&contender_fentry_hash,
	&contender_fentry_hash_callers,
	&contender_fentry_bitmap,
	&contender_fentry_bitmap_callers,
	&contender_fentry_of_100,
	&contender_fentry_multi,
	&contender_fentry_multi_bitmap,
	&contender_fentry_multi_hash,
	&contender_kprobe_multi,
	&contender_kprobe_multi_denied,
	&contender_kprobe_multi_bitmap_nocallers,
	&contender_kprobe_multi_bitmap_nocallers_denied,
	&contender_kprobe_multi_bitmap,
	&contender_kprobe_multi_bitmap_denied,
	&contender_kprobe_multi_percpu_bitmap,
	&contender_kprobe_multi_percpu_bitmap_denied,
	&contender_kprobe_multi_hash_nocallers,
	&contender_kprobe_multi_hash,
	&contender_kprobe_multi_hash_denied,
	&contender_kprobe_multi_percpu_hash,
	&contender_kprobe_multi_percpu_hash_denied,
	&contender_bpftrace,
	&contender_profiler,
	&contender_function,
	&contender_no_repeats,
	&contender_graph,
	&contender_kcov,
	&contender_event,
	&contender_event_3,
	&contender_event_10,
	&contender_event_100,
	&contender_event_perf_stat,
	&contender_event_2args,
	&contender_event_return,
	&contender_event_5000,
	&contender_event_perf,
	&contender_fprobe_event,
	&contender_fprobe_event_2args,
	&contender_fprobe_event_return,
	&contender_kprobe_event,
	&contender_kretprobe_event,
};

#define LOCK_FILE "/run/hytrace-bench.lock"
#define WORKLOAD_NAMES "getppid, pipe, file, fork, tree, loopback, server, compile or parallel"

enum bench_format { BENCH_TEXT, BENCH_JSON };

static struct options {
	bool instructions;
	bool list;
	enum bench_format format;
	unsigned int scopes, workloads;
	unsigned int unable;		/* workloads that cannot run here */
	const char *names[ARRAY_SIZE(contenders)];
	size_t nr_names, rotate, repetitions;
} options = { .scopes = BENCH_ONE | BENCH_ALL, .workloads = WORKLOADS_DEFAULT };

static const char *scope_name(enum bench_scope scope)
{
	return scope == BENCH_ONE ? "one" : "all";
}

/* ---- rows: in JSON as soon as they are known, in a table at the end */

static json_writer_t *json;
static struct libscols_table *table;

static const struct {
	const char *title;
	int flags;
} columns[] = {
	{ "TRACED", 0 },
	{ "CONTENDER", 0 },
	{ "WORKLOAD", 0 },
	{ "OVER BASE", SCOLS_FL_RIGHT },
	{ "TOTAL", SCOLS_FL_RIGHT },
	{ "MIN", SCOLS_FL_RIGHT },
	{ "MAX", SCOLS_FL_RIGHT },
	{ "SEEN", SCOLS_FL_RIGHT },
	{ "MISSED", SCOLS_FL_RIGHT },
	{ "MEMORY", SCOLS_FL_RIGHT },
	{ "ATTACH", SCOLS_FL_RIGHT },
	{ "DETACH", SCOLS_FL_RIGHT },
	{ "NOTE", 0 },
};

static void begin_rows(void)
{
	if (options.format == BENCH_JSON) {
		json = jsonw_new(stdout, true);
		jsonw_start_array(json);
		return;
	}
	table = table__new(stdout);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		table__column(table, columns[i].title, 0, columns[i].flags);
}

static int end_rows(void)
{
	if (json) {
		jsonw_end_array(json);
		jsonw_destroy(&json);
	} else {
		table__print(table);
	}
	if (fflush(stdout) || ferror(stdout))
		return error__return(-EIO, "bench: cannot write the result: %s", strerror(errno));
	return 0;
}

static void write_number(const char *name, double value)
{
	if (isnan(value))
		jsonw_null_field(json, name);
	else if (value == rint(value) && value >= 0)
		jsonw_lluint_field(json, name, value);
	else {
		jsonw_name(json, name);
		jsonw_printf(json, "%.2f", value);
	}
}

static void write_row(const struct contender *c, const struct timed_workload *w, enum bench_scope scope,
		      const struct bench_row *row)
{
	jsonw_start_object(json);
	jsonw_string_field(json, "contender", c->name);
	jsonw_string_field(json, "scope", scope_name(scope));
	jsonw_string_field(json, "workload", w->name);
	jsonw_string_field(json, "unit", options.instructions ? "insn" : "ns");
	write_number("base", row->base);
	write_number("total", row->total);
	write_number("over_base", row->total - row->base);
	write_number("min", row->min);
	write_number("max", row->max);
	write_number("first_hit", row->first_hit);
	write_number("memory_bytes", row->memory_bytes);
	write_number("seen", row->seen);
	write_number("missed", row->missed);
	write_number("attach", row->attach);
	write_number("detach", row->detach);
	jsonw_string_field(json, "note", row->note);
	jsonw_end_object(json);
}

/* Prints a number; large ones are shortened, because nobody can read billions. */
static void number(char *text, size_t size, double value)
{
	if (isnan(value))
		*text = '\0';
	else if (fabs(value) < 1e5)
		snprintf(text, size, "%.1f", value);
	else
		snprintf(text, size, "%.3fM", value / 1e6);
}

static void add_row(const struct contender *c, const struct timed_workload *w, enum bench_scope scope,
		    const struct bench_row *row)
{
	const double values[] = {
		row->total - row->base, row->total, row->min, row->max, row->seen, row->missed,
		row->memory_bytes, row->attach, row->detach,
	};
	const char *const names[] = { scope_name(scope), c->name, w->name };
	struct libscols_line *line = table__line(table, NULL);
	size_t column = 0;
	char text[32];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		table__cell(line, column++, names[i]);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		number(text, sizeof(text), values[i]);
		table__cell(line, column++, text);
	}
	table__cell(line, column, row->note);
}

static void empty_row(struct bench_row *row, const char *note)
{
	*row = (struct bench_row) {
		.base = NAN, .total = NAN, .min = NAN, .max = NAN, .first_hit = NAN,
		.memory_bytes = NAN, .seen = NAN, .missed = NAN, .attach = NAN, .detach = NAN,
	};
	snprintf(row->note, sizeof(row->note), "%s", note ?: "");
}

/* ---- measuring */

/* The contender's workloads that can run here, or those that cannot. */
static size_t choose_workloads(const struct contender *c, enum bench_scope scope, bool able,
			       const struct timed_workload **list)
{
	unsigned int chosen = scope == BENCH_ALL && c->workloads ? c->workloads : WORKLOAD_GETPPID;
	size_t count = 0;

	/* With one function traced, only getppid and parallel can run, so other choices do not count. */
	if (!c->one_cpu)
		chosen |= WORKLOAD_PARALLEL;
	if (scope == BENCH_ALL || options.workloads & WORKLOAD_PARALLEL)
		chosen &= options.workloads;
	else
		chosen &= ~WORKLOAD_PARALLEL;
	chosen = able ? chosen & ~options.unable : chosen & options.unable;
	for (size_t i = 0; i < WORKLOADS; i++) {
		if (chosen & workloads[i].which)
			list[count++] = &workloads[i];
	}
	return count;
}

static void give_row(const struct contender *c, const struct timed_workload *w, enum bench_scope scope,
		     const struct bench_row *row)
{
	if (json)
		write_row(c, w, scope, row);
	else
		add_row(c, w, scope, row);
}

static void give_unable_rows(const struct contender *c, enum bench_scope scope)
{
	const struct timed_workload *list[WORKLOADS];
	size_t count = choose_workloads(c, scope, false, list);
	struct bench_row row;

	empty_row(&row, "not measured: the workload cannot run here");
	for (size_t i = 0; i < count; i++)
		give_row(c, list[i], scope, &row);
}

/*
 * Returns 0, or a negative errno if rows are missing for another reason than a kernel that lacks
 * something.
 */
static int run_contender(const struct contender *c, enum bench_scope scope)
{
	const struct timed_workload *list[WORKLOADS];
	struct bench_row rows[WORKLOADS];
	size_t count = choose_workloads(c, scope, true, list);
	int err;

	if (!count) {
		give_unable_rows(c, scope);
		return 0;
	}
	fprintf(stderr, "hytrace: bench: %s, %s\n", c->name,
		scope == BENCH_ONE ? "one function" : "all functions");
	for (size_t i = 0; i < count; i++)
		empty_row(&rows[i], i ? "" : c->note);
	err = measure__rows(c, list, count, scope, rows);
	if (measure__interrupted())
		return -EINTR;
	if (err)
		bench_error(err, "NOT MEASURED: %s", c->name);
	for (size_t i = 0; i < count; i++) {
		if (err)
			empty_row(&rows[i], err == -EOPNOTSUPP ? "not measured: it is not there" :
								 "not measured: it failed");
		/*
		 * The base is compared with itself, so a difference between its two figures is no
		 * cost.
		 */
		if (c == &contender_base)
			rows[i].base = rows[i].total;
		give_row(c, list[i], scope, &rows[i]);
	}
	give_unable_rows(c, scope);
	return err == -EOPNOTSUPP ? 0 : err;
}

static bool is_wanted(const struct contender *c)
{
	for (size_t i = 0; i < options.nr_names; i++) {
		if (!strcmp(options.names[i], c->name))
			return true;
	}
	return !options.nr_names;
}

/* In scope "one" most workloads are not run. */
static bool is_needed(const struct timed_workload *w)
{
	return options.workloads & w->which &&
	       (options.scopes & BENCH_ALL || w->which == WORKLOAD_PARALLEL);
}

/*
 * With --rotate, in another order, because a contender may leave warm caches and used heaps to the
 * next.
 */
static int run_all(void)
{
	static const enum bench_scope scopes[] = { BENCH_ONE, BENCH_ALL };
	int err = 0, row_err;

	for (size_t i = 0; i < WORKLOADS && !measure__interrupted(); i++) {
		if (is_needed(&workloads[i]) && !measure__can_run(&workloads[i]))
			options.unable |= workloads[i].which;
	}
	for (size_t s = 0; s < ARRAY_SIZE(scopes); s++) {
		for (size_t i = 0; i < ARRAY_SIZE(contenders) && !measure__interrupted(); i++) {
			const struct contender *c =
				contenders[(i + options.rotate) % ARRAY_SIZE(contenders)];

			if (!(c->scopes & options.scopes & scopes[s]) || !is_wanted(c))
				continue;
			row_err = run_contender(c, scopes[s]);
			err = err ?: row_err;
		}
	}
	return err;
}

/* ---- arguments */

static const struct argp_option argp_options[] = {
	{ "contender", 'c', "NAME", 0, "only this contender; may be repeated", 0 },
	{ "scope", 's', "one|all", 0, "only this scope: one function traced, or all", 0 },
	{ "workload", 'w', "NAME", 0, "only this workload: " WORKLOAD_NAMES, 0 },
	{ "unit", 'u', "ns|insn", 0, "nanoseconds (default), or instructions, in a guest that counts "
	  "them (QEMU's -icount shift=0)", 0 },
	{ "format", 'f', "FORMAT", 0, "text (default) or json", 0 },
	{ "repetitions", 'n', "N", 0, "measure N times instead of 31, with less warm-up: quick, but less exact", 0 },
	{ "rotate", 'r', "N", 0, "begin with the contender N after the first", 0 },
	{ "list", 'l', NULL, 0, "print the names of the contenders", 0 },
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

static unsigned int workload_named(const char *name)
{
	for (size_t i = 0; i < WORKLOADS; i++) {
		if (!strcmp(workloads[i].name, name))
			return workloads[i].which;
	}
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'c':
		if (add_name(arg))
			argp_error(state, "--contender %s: there is no such contender; --list prints them", arg);
		return 0;
	case 's':
		options.scopes = !strcmp(arg, "one") ? BENCH_ONE : !strcmp(arg, "all") ? BENCH_ALL : 0;
		if (!options.scopes)
			argp_error(state, "--scope %s: there is no such scope; choose one or all", arg);
		return 0;
	case 'w':
		if (!workload_named(arg))
			argp_error(state, "--workload %s: there is no such workload; choose " WORKLOAD_NAMES, arg);
		if (options.workloads == WORKLOADS_DEFAULT)
			options.workloads = 0;
		options.workloads |= workload_named(arg);
		return 0;
	case 'u':
		options.instructions = !strcmp(arg, "insn");
		if (!options.instructions && strcmp(arg, "ns"))
			argp_error(state, "--unit %s: there is no such unit; choose ns or insn", arg);
		return 0;
	case 'f':
		options.format = !strcmp(arg, "json") ? BENCH_JSON : BENCH_TEXT;
		if (options.format == BENCH_TEXT && strcmp(arg, "text"))
			argp_error(state, "--format %s: there is no such format; choose text or json", arg);
		return 0;
	case 'n':
		options.repetitions = option__number(state, "repetitions", arg, MEASURE_REPETITIONS);
		return 0;
	case 'r':
		options.rotate = option__number(state, "rotate", arg, ARRAY_SIZE(contenders));
		return 0;
	case 'l':
		options.list = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "%s: there are no arguments; choose contenders with --contender", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Two benchmarks at once would measure, and remove, each other. */
static int lock(void)
{
	int fd = open(LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return bench_error(-errno, "cannot open " LOCK_FILE);
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return error__return(-EBUSY, "bench: another hytrace bench is running, which holds " LOCK_FILE);
	}
	/* The lock is kept until the process ends. */
	return 0;
}

static int run(void)
{
	int err, failed;

	err = features__require(FEATURE_CAPABILITIES, NULL);
	if (!err)
		err = lock();
	if (!err)
		err = trace__remove_leftovers();
	if (!err)
		err = measure__init(!options.instructions, options.repetitions);
	if (err)
		return err;
	begin_rows();
	err = workloads__make_directory();
	if (err)
		return bench_error(err, "cannot make the directory of its files in /run");
	measure__catch_signals();
	err = run_all();
	workloads__remove_files();
	failed = end_rows();
	return err ?: failed;
}

int cmd_bench(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse_option,
		.doc = "Measures how much more a call costs when it is traced, in each way that this "
		       "kernel has: with one function traced, and with all. It traces the whole system "
		       "during that, and takes minutes."
		       "\vExamples:\n"
		       "  hytrace bench\n"
		       "  hytrace bench -c function -c kprobe-multi -s all -w getppid -f json\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, 3 the kernel or the privileges do not allow it.",
	};

	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, NULL))
		return argp_err_exit_status;
	if (options.list) {
		for (size_t i = 0; i < ARRAY_SIZE(contenders); i++)
			puts(contenders[i]->name);
		return EXIT_DONE;
	}
	err = run();
	return measure__interrupted() ? 128 + measure__interrupted() : error__status(err, false);
}
