// SPDX-License-Identifier: GPL-2.0-only
/* hytrace diff: functions that only one of two recordings has seen; of one build, or of two. */
#include <argp.h>
#include <string.h>

#include "base/error.h"
#include "base/program.h"
#include "report/commands.h"
#include "report/diff.h"
#include "report/documents.h"
#include "report/universes.h"
#include "run/output.h"

enum { KEY_FAIL_ON = 256, KEY_IN, KEY_UNIVERSE };

static const struct argp_option options[] = {
	OPTION_FORMAT("text (default) or json" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	{ "fail-on", KEY_FAIL_ON, "WHAT", 0, "exit with status 1 only if there are new functions, or some are gone: "
	  "new, gone, any (default)", 0 },
	{ "in", KEY_IN, "WHERE", 0, "only functions of this directory or file of the source (fs/ext4, "
	  "fs/ext4/inode.c), or of this module (:mod:NAME)", 0 },
	{ "universe", KEY_UNIVERSE, "FILE", 0, "the functions of one of the kernels, by `hytrace functions -f json`; "
	  "may be given twice. Default: what its vmlinux says", 0 },
	{ }
};

enum fail_on { FAIL_ON_NEW = 1, FAIL_ON_GONE = 2 };

/* Index + 1 is an enum fail_on; "any" is FAIL_ON_NEW | FAIL_ON_GONE. */
static const char *const fail_names[] = { "new", "gone", "any", NULL };

struct diff_options {
	const char *const *paths;
	size_t count;
	const char *universes[2], *where;
	struct result_options result;
	int fail_on;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct diff_options *o = state->input;

	switch (key) {
	case KEY_FAIL_ON:
		o->fail_on = option__word(state, "fail-on", arg, fail_names) + 1;
		break;
	case KEY_IN:
		if (!*arg)
			argp_error(state, "--in: the name is empty");
		o->where = arg;
		break;
	case KEY_UNIVERSE:
		if (o->universes[1])
			argp_error(state, "--universe: there are only two kernels");
		o->universes[o->universes[0] ? 1 : 0] = arg;
		break;
	case ARGP_KEY_ARGS:
		o->count = option__arguments(state, &o->paths);
		break;
	case ARGP_KEY_END:
		if (o->count != 2)
			argp_usage(state);
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* Reads the user's function lists. Each goes to the side with the list's build id. */
static int read_given(struct universe *list, const struct diff_options *o, const struct documents *d)
{
	for (int i = 0; i < 2 && o->universes[i]; i++) {
		struct universe u;
		int err, side;

		err = universe__read_json(&u, o->universes[i]);
		if (err)
			return err;
		if (u.some) {
			universe__free(&u);
			return error__return(-EINVAL, "--universe %s: has some functions of that kernel: make it again "
					     "by `hytrace functions -f json` without names", o->universes[i]);
		}
		for (side = 0; side < 2; side++) {
			const char *build_id = d->list[side]->kernel.build_id;

			if (!list[side].count && build_id && u.build_id && !strcmp(build_id, u.build_id))
				break;
		}
		if (side == 2) {
			universe__free(&u);
			return error__return(-EINVAL, "--universe %s: is of neither kernel, or a second list of "
					     "one kernel", o->universes[i]);
		}
		list[side] = u;
	}
	return 0;
}

/* Two recordings of one build have one function list, which is then list[0]. */
static int find_universes(struct universe *list, const struct diff_options *o, const struct documents *d)
{
	const struct universe_source nowhere = {};
	bool one = coverage__same_builds(d->list[0], d->list[1]);
	int err = read_given(list, o, d);

	for (size_t side = 0; !err && side < (one ? 1 : 2); side++) {
		if (!list[side].count)
			err = universe__find_for(&list[side], &d->list[side], one ? 2 : 1, &nowhere);
		else
			err = universe__fit(&list[side], &d->list[side], one ? 2 : 1);
	}
	return err;
}

static int print(const struct diff_options *o, const struct diff *d)
{
	struct output *output;
	int err;

	err = output__open(&output, o->result.output, NULL);
	if (err)
		return err;
	if (o->result.format == RESULT_JSON)
		diff__write_json(d, o->paths[0], o->paths[1], output__stream(output));
	else
		diff__print(d, o->paths[0], o->paths[1], output__stream(output));
	return output__finish(output, 0);
}

static int diff(const struct diff_options *o, const struct documents *documents, bool *ret_fails)
{
	struct universe list[2] = {};
	struct diff_side a = { documents->list[0], &list[0] }, b = { documents->list[1], &list[1] };
	struct diff d;
	int err;

	if (coverage__same_builds(a.c, b.c))
		b.u = &list[0];
	err = find_universes(list, o, documents);
	if (!err)
		err = diff__run(&d, &a, &b, o->where);
	if (!err) {
		err = print(o, &d);
		*ret_fails = (o->fail_on & FAIL_ON_NEW && d.new.count) || (o->fail_on & FAIL_ON_GONE && d.gone.count);
		diff__free(&d);
	}
	universe__free(&list[0]);
	universe__free(&list[1]);
	return err;
}

int cmd_diff(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "A.json B.json",
		.doc = "Prints which functions B.json has seen and A.json has not, and which are gone, and why the "
		       "other recording lacks each. The recordings of `hytrace cover -f json` may be of two builds of "
		       "the kernel. (`hytrace compare` tells whether two recordings of the same time agree.)"
		       "\vExamples:\n"
		       "  hytrace diff yesterday.json today.json\n"
		       "  hytrace diff --fail-on gone --in fs/ext4 release.json candidate.json\n\n"
		       "Exit status: 0 no difference, 1 differences (those of --fail-on), 2 trouble.",
	};
	struct diff_options o = { .fail_on = FAIL_ON_NEW | FAIL_ON_GONE };
	struct documents d = {};
	bool fails = false;
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	err = documents__read(&d, o.paths, o.count);
	if (!err)
		err = diff(&o, &d, &fails);
	documents__free(&d);
	/* As in diff(1), the status of a failure is not that of a difference. */
	if (err)
		return EXIT_USAGE;
	return fails ? EXIT_FAILED : EXIT_DONE;
}
