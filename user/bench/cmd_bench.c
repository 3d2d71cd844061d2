// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace bench: what does tracing a call cost, in each possible way? This file has the options,
 * and prints rows as a table or as JSON.
 */
#include <argp.h>
#include <fcntl.h>
#include <math.h>
#include <sys/file.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/table.h"
#include "bench/commands.h"
#include "bench/measure.h"
#include "kernel/features.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define LOCK_FILE "/run/hytrace-bench.lock"
#define WORKLOAD_NAMES "getppid, pipe, file, fork, tree, loopback, server, compile or parallel"

static struct options {
	bool instructions;
	bool list;
	struct result_options result;
	unsigned int scopes, workloads;
	unsigned int unable;		/* workloads that cannot run here */
	bool *wanted;			/* contenders; NULL: all */
	size_t rotate, repetitions;
} options = { .scopes = BENCH_ONE | BENCH_ALL, .workloads = WORKLOADS_DEFAULT };

static const char *scope_name(enum bench_scope scope)
{
	return scope == BENCH_ONE ? "one" : "all";
}

/* ---- rows: in JSON as soon as they are known, in a table at the end */

static json_writer_t *json;
static struct libscols_table *table;

/* The figures are right-aligned. */
static const char *const titles[] = {
	"TRACED", "CONTENDER", "WORKLOAD", "OVER BASE", "TOTAL", "MIN", "MAX", "SEEN", "MISSED", "MEMORY",
	"ATTACH", "DETACH", "NOTE",
};

#define FIRST_FIGURE 3
#define NOTE (ARRAY_SIZE(titles) - 1)

/* In the order of the JSON document. */
static const struct {
	const char *name;
	size_t offset;
	size_t column;		/* column of the table; 0: none */
} figures[] = {
	{ "base", offsetof(struct bench_row, base) },
	{ "total", offsetof(struct bench_row, total), 4 },
	{ "over_base", offsetof(struct bench_row, over_base), 3 },
	{ "min", offsetof(struct bench_row, min), 5 },
	{ "max", offsetof(struct bench_row, max), 6 },
	{ "first_hit", offsetof(struct bench_row, first_hit) },
	{ "memory_bytes", offsetof(struct bench_row, memory_bytes), 9 },
	{ "seen", offsetof(struct bench_row, seen), 7 },
	{ "missed", offsetof(struct bench_row, missed), 8 },
	{ "attach", offsetof(struct bench_row, attach), 10 },
	{ "detach", offsetof(struct bench_row, detach), 11 },
};

static double *figure(const struct bench_row *row, size_t i)
{
	return (double *)((char *)row + figures[i].offset);
}

static void begin_rows(void)
{
	if (options.result.format == RESULT_JSON) {
		json = jsonw_new(stdout, true);
		jsonw_start_array(json);
		return;
	}
	table = table__new(stdout);
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		table__column(table, titles[i], 0, i >= FIRST_FIGURE && i < NOTE ? SCOLS_FL_RIGHT : 0);
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
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		write_number(figures[i].name, *figure(row, i));
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
	struct libscols_line *line = table__line(table, NULL);
	char text[32];

	table__cell(line, 0, scope_name(scope));
	table__cell(line, 1, c->name);
	table__cell(line, 2, w->name);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		number(text, sizeof(text), *figure(row, i));
		if (figures[i].column)
			table__cell(line, figures[i].column, text);
	}
	table__cell(line, NOTE, row->note);
}

static void empty_row(struct bench_row *row, const char *note)
{
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		*figure(row, i) = NAN;
	snprintf(row->note, sizeof(row->note), "%s", note ?: "");
}

/* ---- measuring */

/* Chooses the contender's workloads that can run here; if not @able, those that cannot. */
static size_t choose_workloads(const struct contender *c, enum bench_scope scope, bool able,
			       const struct timed_workload **list)
{
	unsigned int chosen = scope == BENCH_ALL && c->workloads ? c->workloads : WORKLOAD_GETPPID;
	size_t count = 0;

	/* With one function traced, only getppid and parallel run; other choices do not count. */
	if (!c->method->one_cpu)
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
		     struct bench_row *row)
{
	row->over_base = row->total - row->base;
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

/* Returns a negative errno if a row is missing, but not because the kernel lacks something. */
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
		/* The base has no cost: its two figures would only differ by noise. */
		if (c == contenders)
			rows[i].base = rows[i].total;
		give_row(c, list[i], scope, &rows[i]);
	}
	give_unable_rows(c, scope);
	return err == -EOPNOTSUPP ? 0 : err;
}

/* In scope "one" most workloads are not run. */
static bool is_needed(const struct timed_workload *w)
{
	return options.workloads & w->which &&
	       (options.scopes & BENCH_ALL || w->which == WORKLOAD_PARALLEL);
}

/* With --rotate, the order differs, as a contender may leave warm caches and used heaps behind. */
static int run_all(void)
{
	static const enum bench_scope scopes[] = { BENCH_ONE, BENCH_ALL };
	int err = 0, row_err;

	for (size_t i = 0; i < WORKLOADS && !measure__interrupted(); i++) {
		if (is_needed(&workloads[i]) && !measure__can_run(&workloads[i]))
			options.unable |= workloads[i].which;
	}
	for (size_t s = 0; s < ARRAY_SIZE(scopes); s++) {
		for (size_t i = 0; i < contender_count && !measure__interrupted(); i++) {
			size_t next = (i + options.rotate) % contender_count;

			if (!(contenders[next].scopes & options.scopes & scopes[s]) ||
			    (options.wanted && !options.wanted[next]))
				continue;
			row_err = run_contender(&contenders[next], scopes[s]);
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
	OPTION_FORMAT("text (default) or json"),
	{ "repetitions", 'n', "N", 0, "measure N times instead of 31, with less warm-up: quick, but less exact", 0 },
	{ "rotate", 'r', "N", 0, "begin with the contender N after the first", 0 },
	{ "list", 'l', NULL, 0, "print the names of the contenders", 0 },
	{}
};

static int want(const char *name)
{
	for (size_t i = 0; i < contender_count; i++) {
		if (strcmp(contenders[i].name, name))
			continue;
		options.wanted = options.wanted ?: xcalloc(contender_count, sizeof(bool));
		options.wanted[i] = true;
		return 0;
	}
	return -EINVAL;
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
		if (want(arg))
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
	case 'n':
		options.repetitions = option__number(state, "repetitions", arg, MEASURE_REPETITIONS);
		return 0;
	case 'r':
		options.rotate = option__number(state, "rotate", arg, contender_count);
		return 0;
	case 'l':
		options.list = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "%s: there are no arguments; choose contenders with --contender", arg);
		return 0;
	default:
		return result_options__parse(&options.result, key, arg, state);
	}
}

/* Two benchmarks would measure each other, and remove each other's files and events. */
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

	err = features__require(FEATURE_CAPABILITIES, NULL) ?:
	      lock() ?:
	      trace__remove_leftovers() ?:
	      measure__init(!options.instructions, options.repetitions);
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
		for (size_t i = 0; i < contender_count; i++)
			puts(contenders[i].name);
		return EXIT_DONE;
	}
	err = run();
	return measure__interrupted() ? 128 + measure__interrupted() : error__status(err, false);
}
