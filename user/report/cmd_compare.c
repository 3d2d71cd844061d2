// SPDX-License-Identifier: GPL-2.0-only
/* hytrace compare: compares two recordings and says why they differ. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/program.h"
#include "document/coverage_json.h"
#include "report/commands.h"
#include "report/compare.h"

enum { KEY_CALLERS = 256, KEY_ALL };

static const struct argp_option options[] = {
	{ "callers", KEY_CALLERS, NULL, 0, "compare the callers as well", 0 },
	OPTION_FORMAT("text (default) or json"),
	{ "all", KEY_ALL, NULL, 0, "name every difference, not the first 20 for each reason", 0 },
	{ }
};

struct compare_options {
	const char *paths[2];
	bool callers, all;
	struct result_options result;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compare_options *o = state->input;

	switch (key) {
	case KEY_CALLERS:
		o->callers = true;
		break;
	case KEY_ALL:
		o->all = true;
		break;
	case ARGP_KEY_ARG:
		if (state->arg_num >= 2)
			argp_usage(state);
		o->paths[state->arg_num] = arg;
		break;
	case ARGP_KEY_END:
		if (state->arg_num != 2)
			argp_usage(state);
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* Returns the engine's name if the engines differ, otherwise the path. */
static const char *label(const struct coverage *c, const struct coverage *other, const char *path)
{
	if (strcmp(c->engine, other->engine))
		return c->engine;
	return path;
}

/* A union of runs does not tell when they paused. So its window cannot be compared. */
static int check(const struct coverage *c, const char *path)
{
	if (!c->merged)
		return 0;
	return error__return(-EINVAL, "%s: is a union of %zu runs, not a recording of one time: `hytrace diff` "
			     "tells how it differs", path, c->merged_count);
}

static void print(const struct compare_options *o, const struct comparison *list, size_t count)
{
	const struct coverage *a = list[0].a, *b = list[0].b;
	const char *name_a = label(a, b, o->paths[0]), *name_b = label(b, a, o->paths[1]);

	if (o->result.format == RESULT_JSON)
		compare__write_json(list, count, name_a, name_b, stdout);
	for (size_t i = 0; o->result.format == RESULT_TEXT && i < count; i++)
		compare__print(&list[i], name_a, name_b, o->all ? 0 : 20, stdout);
}

/* Returns the number of differences that are not explained for certain. */
static size_t compare(const struct compare_options *o, const struct coverage *a, const struct coverage *b)
{
	static const enum hit_kind kinds[] = { HIT_FUNCTION, HIT_CALLER };
	size_t count = o->callers ? 2 : 1, differ = 0;
	struct comparison list[2];

	for (size_t i = 0; i < count; i++)
		compare__run(&list[i], a, b, kinds[i]);
	print(o, list, count);
	for (size_t i = 0; i < count; i++) {
		differ += compare__count(&list[i], POSSIBLE) + compare__count(&list[i], UNEXPLAINED);
		compare__free(&list[i]);
	}
	return differ;
}

int cmd_compare(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "A.json B.json",
		.doc = "Tells whether two recordings of the same time agree: compares the functions of two "
		       "files of `hytrace cover -f json`, and gives a reason for every difference. (`hytrace "
		       "diff` tells what is new in another run, or on another kernel.)\vExamples:\n"
		       "  hytrace compare both.oneshot.json both.bpf.json\n"
		       "  hytrace compare --callers -f json a.json b.json\n\n"
		       "Exit status: 0 no difference, or each is explained for certain; 1 another "
		       "difference; 2 usage, a file that is no recording, or it failed.",
	};
	struct compare_options o = {};
	struct coverage documents[2] = {};
	size_t differ = 0;
	int err = 0;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	for (int i = 0; !err && i < 2; i++)
		err = coverage__read_json(&documents[i], o.paths[i]);
	for (int i = 0; !err && i < 2; i++)
		err = check(&documents[i], o.paths[i]);
	if (!err)
		differ = compare(&o, &documents[0], &documents[1]);
	if (!err && fflush(stdout))
		err = error__return(-EIO, "standard output: %s", strerror(errno));
	for (int i = 0; i < 2; i++)
		coverage__free(&documents[i]);
	/* As in cmp(1) and diff(1), the status of a failure is not that of a difference. */
	if (err)
		return EXIT_USAGE;
	return differ ? EXIT_FAILED : EXIT_DONE;
}
