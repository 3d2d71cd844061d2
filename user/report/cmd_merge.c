// SPDX-License-Identifier: GPL-2.0-only
/* hytrace merge: joins several recordings into one. */
#include <argp.h>

#include "base/error.h"
#include "base/program.h"
#include "document/coverage_json.h"
#include "report/commands.h"
#include "report/documents.h"
#include "report/merge.h"
#include "run/output.h"

static const struct argp_option options[] = {
	OPTION_OUTPUT,
	{ }
};

struct merge_options {
	const char *const *paths;
	size_t count;
	struct result_options result;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct merge_options *o = state->input;

	switch (key) {
	case ARGP_KEY_ARGS:
		o->count = option__arguments(state, &o->paths);
		break;
	case ARGP_KEY_END:
		if (!o->count)
			argp_usage(state);
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

static int merge(const struct merge_options *o, const struct documents *d)
{
	struct output *output;
	struct coverage c;
	int err;

	err = merge__run(&c, d->list, d->count, d->paths);
	if (err)
		return err;
	err = output__open(&output, o->result.output, NULL);
	if (!err) {
		coverage__write_json(&c, output__stream(output));
		err = output__finish(output, 0);
	}
	coverage__free(&c);
	return err;
}

int cmd_merge(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "FILE...",
		.doc = "Joins several recordings of `hytrace cover -f json`, of one kernel build, into one: all "
		       "that any of them has seen, and how many of them have seen it.\vExamples:\n"
		       "  hytrace merge -o week.json monday.json tuesday.json\n"
		       "  hytrace merge machine-*.json.zst | zstd -o all.json.zst\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, or FILEs that do not go together.",
	};
	struct merge_options o = {};
	struct documents d;
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	err = documents__read(&d, o.paths, o.count);
	if (!err)
		err = merge(&o, &d);
	documents__free(&d);
	return error__status(err, false);
}
