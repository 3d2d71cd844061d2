// SPDX-License-Identifier: GPL-2.0-only
/* hytrace forget: removes runs from a store. */
#include <argp.h>

#include "base/error.h"
#include "base/memory.h"
#include "store/commands.h"
#include "store/store.h"

enum { KEY_OLDER = 256, KEY_HOST, KEY_TEST, KEY_COMMIT, KEY_DRY_RUN };

static const struct argp_option options[] = {
	{ "older", KEY_OLDER, "AGE", 0, "runs that began longer ago, or before a date: 90d, 2026-01-01", 0 },
	{ "host", KEY_HOST, "PATTERN", 0, "runs on these machines", 0 },
	{ "test", KEY_TEST, "PATTERN", 0, "runs of these tests", 0 },
	{ "commit", KEY_COMMIT, "PATTERN", 0, "runs of these commits", 0 },
	{ "dry-run", KEY_DRY_RUN, NULL, 0, "only print how many runs would be removed", 0 },
	{ }
};

struct forget_options {
	const char *store;
	char *selection;
	bool dry_run;
};

static void choose(struct argp_state *state, struct forget_options *o, const char *word, const char *value)
{
	char *longer;

	if (!*value)
		argp_error(state, "--%s: the value is empty", word);
	/* A selection has these between its words. */
	if (strpbrk(value, "&,"))
		argp_error(state, "--%s: a pattern has no & and no comma: give ? in their place", word);
	longer = xasprintf("%s%s%s=%s", o->selection ?: "", o->selection ? "&" : "", word, value);
	free(o->selection);
	o->selection = longer;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct forget_options *o = state->input;

	switch (key) {
	case KEY_OLDER:
		choose(state, o, "until", arg);
		break;
	case KEY_HOST:
		choose(state, o, "host", arg);
		break;
	case KEY_TEST:
		choose(state, o, "test", arg);
		break;
	case KEY_COMMIT:
		choose(state, o, "commit", arg);
		break;
	case KEY_DRY_RUN:
		o->dry_run = true;
		break;
	case ARGP_KEY_ARG:
		if (o->store)
			argp_usage(state);
		o->store = arg;
		break;
	case ARGP_KEY_END:
		if (!o->store)
			argp_usage(state);
		if (!o->selection)
			argp_error(state, "say which runs: --older, --host, --test or --commit");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int cmd_forget(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "STORE",
		.doc = "Removes runs from a store: those for which all options hold."
		       "\vExamples:\n"
		       "  hytrace forget runs.db --older 90d\n"
		       "  hytrace forget runs.db --host 'old-*' --test 'ltp/*' --dry-run\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, or no store.",
	};
	struct forget_options o = {};
	struct store *s = NULL;
	int64_t *runs = NULL;
	size_t count;
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	err = store__open(&s, o.store, STORE_WRITE);
	if (!err)
		err = store__select(s, o.selection, &runs, &count);
	if (!err && !o.dry_run)
		err = store__forget(s, runs, count);
	if (!err)
		printf("%zu runs %s\n", count, o.dry_run ? "would be removed" : "removed");
	store__close(s);
	free(runs);
	free(o.selection);
	return error__status(err, false);
}
