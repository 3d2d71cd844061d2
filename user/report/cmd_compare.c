// SPDX-License-Identifier: GPL-2.0-only
/* hytrace compare: compares two json documents and says why they differ. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "document/coverage_json.h"
#include "report/commands.h"
#include "report/compare.h"

enum { KEY_CALLERS = 256, KEY_ALL };

static const struct argp_option options[] = {
	{ "callers", KEY_CALLERS, NULL, 0, "compare the callers as well", 0 },
	{ "all", KEY_ALL, NULL, 0, "name every difference, not the first 20 for each reason", 0 },
	{ }
};

struct compare_options {
	const char *paths[2];
	bool callers, all;
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
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* The engine's name if the engines differ, otherwise the file's. */
static const char *label(const struct coverage *c, const struct coverage *other, const char *path)
{
	if (strcmp(c->engine, other->engine))
		return c->engine;
	return path;
}

static int print(const struct compare_options *o, const struct coverage *a,
		 const struct coverage *b, unsigned int kind, size_t *differ)
{
	struct comparison cmp;
	int err;

	err = compare__run(&cmp, a, b, kind);
	if (err)
		return err;
	err = compare__print(&cmp, label(a, b, o->paths[0]), label(b, a, o->paths[1]),
			     o->all ? 0 : 20, stdout);
	*differ += compare__count(&cmp, POSSIBLE) + compare__count(&cmp, UNEXPLAINED);
	compare__free(&cmp);
	return err;
}

int cmd_compare(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "A.json B.json",
		.doc = "Compares what two runs of `hytrace cover -f json` saw, and gives a reason for "
		       "every difference."
		       "\vExamples:\n"
		       "  hytrace compare run.oneshot.json run.bpf.json\n"
		       "  hytrace compare --callers --all mine.json theirs.json\n\n"
		       "Exit status: 0 no difference, or each is explained for "
		       "certain; 1 others; 2 usage, no document, or it failed.",
	};
	struct compare_options o = {};
	struct coverage documents[2] = {};
	size_t differ = 0;
	int err = 0;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	for (int i = 0; !err && i < 2; i++)
		err = coverage__read_json(&documents[i], o.paths[i]);
	if (!err)
		err = print(&o, &documents[0], &documents[1], HIT_FUNCTION, &differ);
	if (!err && o.callers)
		err = print(&o, &documents[0], &documents[1], HIT_CALLER, &differ);
	if (!err && fflush(stdout))
		err = error__return(-EIO, "standard output: %s", strerror(errno));
	for (int i = 0; i < 2; i++)
		coverage__free(&documents[i]);
	/* As with cmp and diff, a failure must not be taken for a difference. */
	if (err)
		return EXIT_USAGE;
	return differ ? EXIT_FAILED : EXIT_DONE;
}
