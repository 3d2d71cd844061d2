// SPDX-License-Identifier: GPL-2.0-only
/* hytrace suite, and hytrace mark for its runners: their options. */
#include <argp.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/program.h"
#include "cover/engines.h"
#include "suite/commands.h"
#include "suite/mark.h"
#include "suite/suite.h"

enum { KEY_PLAIN = 512, KEY_TIMEOUT, KEY_SKIP, KEY_NO_TRACE, KEY_BEGIN, KEY_STATUS };

static const struct argp_option options[] = {
	{ "output", 'o', "DIR", 0, "write DIR/TEST.json for each test", 0 },
	{ "plain", KEY_PLAIN, NULL, 0, "each line of LIST is a command, and the test's name", 0 },
	{ "timeout", KEY_TIMEOUT, "SECONDS", 0, "end a test of LIST that takes longer", 0 },
	{ "skip", KEY_SKIP, "STATUS", 0, "a test of LIST with this exit status was skipped: 32 for LTP, 77 for "
	  "automake", 0 },
	{ "no-trace", KEY_NO_TRACE, NULL, 0, "only run LIST: shows what recording costs", 0 },
	{ }
};

static bool records(const struct suite_options *o)
{
	return o->cover.keep || o->directory;
}

static void check(struct argp_state *state, const struct suite_options *o)
{
	const struct cover_options *c = &o->cover;
	const char *refused = engines__refuse(c);

	if (!o->list.path && !c->command)
		argp_error(state, "give a LIST of tests, or a RUNNER after --");
	if (!c->command && (o->no_trace ? records(o) : !records(o)))
		argp_error(state, o->no_trace ? "--no-trace records nothing: it goes without --keep and -o" :
						"give --keep STORE or -o DIR for the recordings");
	if (c->command && !records(o))
		argp_error(state, "give --keep STORE or -o DIR for the recordings");
	if (c->command && (o->no_trace || o->list.plain || o->list.timeout || o->list.skipped))
		argp_error(state, "--no-trace, --plain, --timeout and --skip are about a LIST");
	if (c->scope.kind == SCOPE_BOOT || c->scope.kind == SCOPE_PID)
		argp_error(state, "--boot and --pid: a suite records the machine, or with --task its tests");
	if (c->engine == ENGINE_BOTH || c->engine == ENGINE_EVENT)
		argp_error(state, "a suite takes one engine: oneshot or bpf");
	if (c->how.retire || c->how.pin)
		argp_error(state, "--retire and --pin: each test begins with all functions");
	if (c->note.test)
		argp_error(state, "--test: the tests have names of their own");
	if (refused)
		argp_error(state, "%s", refused);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct suite_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->cover;
		break;
	case 'o':
		o->directory = arg;
		break;
	case KEY_PLAIN:
		o->list.plain = true;
		break;
	case KEY_TIMEOUT:
		o->list.timeout = option__seconds(state, "timeout", arg);
		break;
	case KEY_SKIP:
		o->list.skipped = option__number(state, "skip", arg, 255);
		break;
	case KEY_NO_TRACE:
		o->no_trace = true;
		break;
	case ARGP_KEY_ARG:
		if (state->quoted && state->next > state->quoted) {
			o->cover.command = state->argv + state->next - 1;
			state->next = state->argc;
			o->follow = true;
		} else if (o->list.path) {
			argp_error(state, "one LIST at a time; a RUNNER comes after --");
		} else {
			o->list.path = arg;
		}
		break;
	case ARGP_KEY_END:
		if (o->list.path && o->cover.command)
			argp_error(state, "LIST and RUNNER exclude each other");
		check(state, o);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* The runner reads the list again, which a pipe does not allow. */
static bool can_read_twice(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && (stat(path, &st) || (!S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode)));
}

/* The runner of a list is this program, with --no-trace. */
static char **runner_of(const struct list_options *l)
{
	static char self[PATH_MAX], timeout[40], skip[24];
	char **argv = NULL;
	size_t count = 0;
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[length < 0 ? 0 : length] = '\0';
	*LIST_ADD(argv, count) = self;
	*LIST_ADD(argv, count) = "suite";
	*LIST_ADD(argv, count) = "--no-trace";
	if (l->plain)
		*LIST_ADD(argv, count) = "--plain";
	snprintf(timeout, sizeof(timeout), "--timeout=%.10g", l->timeout);
	if (l->timeout)
		*LIST_ADD(argv, count) = timeout;
	snprintf(skip, sizeof(skip), "--skip=%ld", l->skipped);
	if (l->skipped)
		*LIST_ADD(argv, count) = skip;
	*LIST_ADD(argv, count) = (char *)l->path;
	*LIST_ADD(argv, count) = NULL;
	return argv;
}

int cmd_suite(int argc, char **argv)
{
	static const struct argp_child children[] = { { .argp = &cover_common__argp }, { } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.children = children,
		.args_doc = "LIST\n-- RUNNER [ARGUMENT...]",
		.doc = "Records the tests of a suite in one go: one start, one run for each test."
		       "\vExamples:\n"
		       "  hytrace suite --keep runs.db runtest/syscalls\n"
		       "  hytrace suite --keep runs.db -- ./run_kselftest.sh -c timers\n"
		       "  hytrace affected --store runs.db fix.patch\n\n"
		       "Exit status: 0 all tests of LIST have passed, 1 one has failed, RUNNER's own status, and 125 "
		       "when hytrace itself failed.",
	};
	struct suite_options o = { };
	struct test_list tests = {};
	char **runner = NULL;
	int status;

	cover_options__init(&o.cover);
	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &o))
		return EXIT_USAGE;
	if (o.no_trace)
		return list__run(&o.list);
	if (o.list.path) {
		status = can_read_twice(o.list.path) ? test_list__read(&tests, o.list.path, o.list.plain) : 0;
		test_list__free(&tests);
		if (status)
			return error__status(status, false);
		o.cover.command = runner = runner_of(&o.list);
	}
	status = suite__run(&o);
	free(runner);
	cover_options__free(&o.cover);
	return status;
}

/* ---- hytrace mark */

static const struct argp_option mark_options[] = {
	{ "begin", KEY_BEGIN, NULL, 0, "the test NAME begins", 0 },
	{ "status", KEY_STATUS, "STATUS", 0, "it has ended with this exit status", 0 },
	{ }
};

struct mark_options {
	const char *name;
	bool begin;
	long status;
};

static error_t parse_mark(int key, char *arg, struct argp_state *state)
{
	struct mark_options *o = state->input;
	char *end;

	switch (key) {
	case KEY_BEGIN:
		o->begin = true;
		break;
	case KEY_STATUS:
		o->status = strtol(arg, &end, 10);
		if (end == arg || *end || o->status < 0 || o->status > 255)
			argp_error(state, "--status %s: is no exit status, from 0 to 255", arg);
		break;
	case ARGP_KEY_ARG:
		if (o->name || !arg[strspn(arg, " \t\r")])
			argp_error(state, "give one NAME");
		o->name = arg;
		break;
	case ARGP_KEY_END:
		if (!o->name)
			argp_error(state, "give the NAME of the test");
		if (o->begin && o->status != MARK_UNKNOWN)
			argp_error(state, "--begin and --status exclude each other");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int say(struct marker *m, const struct mark_options *o)
{
	if (o->begin)
		return marker__say(m, "begin %s", o->name);
	if (o->status == MARK_UNKNOWN)
		return marker__say(m, "end ? %s", o->name);
	return marker__say(m, "end %ld %s", o->status, o->name);
}

int cmd_mark(int argc, char **argv)
{
	static const struct argp argp = {
		.options = mark_options,
		.parser = parse_mark,
		.args_doc = "NAME",
		.doc = "Tells `hytrace suite` that the test NAME has ended, and the next one begins. Returns when "
		       "this is done. Outside of a suite, does nothing."
		       "\vExamples:\n"
		       "  hytrace mark --begin mount\n"
		       "  ./mount-test; hytrace mark --status $? mount\n\n"
		       "Exit status: 0 done, 1 failed, for example because the suite has ended, 2 usage, and 3 "
		       "this user may not mark.",
	};
	struct mark_options o = { .status = MARK_UNKNOWN };
	struct marker m;
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	err = marker__open(&m) ?: say(&m, &o);
	marker__close(&m);
	return error__status(err, false);
}
