// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace features: prints the table of kernel/features.h. For named features, the exit status says
 * whether the kernel has all of them.
 */
#include <argp.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/table.h"
#include "cover/commands.h"
#include "kernel/features.h"
#include "kernel/running.h"

#define FEATURES_SCHEMA 1

static const struct argp_option options[] = {
	OPTION_FORMAT("text (default) or json"),
	{ }
};

struct features_options {
	struct result_options result;
	bool chosen;
	bool wanted[FEATURE_COUNT];
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct features_options *o = state->input;
	enum feature f;

	switch (key) {
	case ARGP_KEY_ARG:
		f = features__find(arg);
		if (f == FEATURE_COUNT)
			argp_error(state, "%s: no such feature; `hytrace features` lists them", arg);
		else
			o->wanted[f] = true;
		o->chosen = true;
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

static const char *word(enum feature_state state)
{
	static const char *const words[] = {
		[FEATURE_NO] = "no", [FEATURE_YES] = "yes", [FEATURE_UNKNOWN] = "unknown",
	};

	return words[state];
}

/* ---- text */

static void add_row(struct libscols_table *table, enum feature f)
{
	const struct feature_answer *answer = features__ask(f);
	struct libscols_line *line = table__line(table, NULL);
	char *why;

	/* A reason that another row has is not repeated. */
	if (answer->cause != f)
		why = xasprintf("%s: needs %s", feature__use(f), feature__name(answer->cause));
	else
		why = xasprintf("%s%s%s", answer->reason ?: feature__use(f), answer->remedy ? "; " : "",
				answer->remedy ?: "");
	table__cell(line, 0, feature__name(f));
	table__cell(line, 1, word(answer->state));
	table__cell(line, 2, why);
	free(why);
}

static void print_text(const struct features_options *o, FILE *out)
{
	struct libscols_table *table = table__new(out);

	/* On a terminal, a long reason is wrapped. */
	table__column(table, "FEATURE", 0.2, 0);
	table__column(table, "HERE", 7, 0);
	table__column(table, "WHAT FOR, OR WHY NOT", 0.6, SCOLS_FL_WRAP);
	for (enum feature f = 0; f < FEATURE_COUNT; f++) {
		if (o->wanted[f])
			add_row(table, f);
	}
	table__print(table);
}

/* ---- json */

static void write_feature(json_writer_t *w, enum feature f)
{
	const struct feature_answer *answer = features__ask(f);

	jsonw_start_object(w);
	jsonw_string_field(w, "name", feature__name(f));
	jsonw_string_field(w, "use", feature__use(f));
	jsonw_string_field(w, "here", word(answer->state));
	json__string_or_null(w, "needs", answer->cause == f ? NULL : feature__name(answer->cause));
	json__string_or_null(w, "reason", answer->reason);
	json__string_or_null(w, "remedy", answer->remedy);
	jsonw_end_object(w);
}

static int print_json(const struct features_options *o, FILE *out)
{
	struct kernel_id kernel;
	json_writer_t *w;
	int err;

	err = kernel_id__read(&kernel, NULL, NULL);
	if (err)
		return err;
	w = json__begin(out, "features", FEATURES_SCHEMA);
	jsonw_string_field(w, "release", kernel.release);
	json__string_or_null(w, "build_id", kernel.build_id);
	json__array(w, "features");
	for (enum feature f = 0; f < FEATURE_COUNT; f++) {
		if (o->wanted[f])
			write_feature(w, f);
	}
	jsonw_end_array(w);
	json__end(&w);
	kernel_id__free(&kernel);
	return 0;
}

/* Only named features count: for the whole list, the exit status is 0. */
static bool has_all(const struct features_options *o)
{
	bool all = true;

	for (enum feature f = 0; o->chosen && f < FEATURE_COUNT; f++)
		all &= !o->wanted[f] || features__has(f);
	return all;
}

int cmd_features(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[FEATURE...]",
		.doc = "Lists what hytrace can do with this kernel, as this user, in this container, and why it "
		       "cannot do more. With FEATURE: only these, and the exit status tells whether all of "
		       "them are there.\v"
		       "Examples:\n"
		       "  hytrace features                         all of them, with reasons and remedies\n"
		       "  hytrace features cover-bpf >/dev/null && sudo hytrace cover -e bpf -- make test\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, 3 a FEATURE that is named is not there.",
	};
	struct features_options o = {};
	int err = 0;

	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	for (enum feature f = 0; !o.chosen && f < FEATURE_COUNT; f++)
		o.wanted[f] = true;
	if (o.result.format == RESULT_JSON)
		err = print_json(&o, stdout);
	else
		print_text(&o, stdout);
	if (!err && fflush(stdout))
		err = error__return(-EIO, "standard output: %s", strerror(errno));
	if (err)
		return error__status(err, 0);
	return has_all(&o) ? EXIT_DONE : EXIT_UNSUPPORTED;
}
