// SPDX-License-Identifier: GPL-2.0-only
/* hytrace report: what ran and what did not, from recordings of `hytrace cover`. */
#include <argp.h>

#include "base/error.h"
#include "base/program.h"
#include "report/commands.h"
#include "report/documents.h"
#include "report/edges.h"
#include "report/images.h"
#include "report/maintainers.h"
#include "report/proof.h"
#include "report/report.h"
#include "run/output.h"

enum { KEY_SEEN = 256, KEY_UNSEEN, KEY_BY, KEY_SORT, KEY_UNIVERSE, KEY_PROVED, KEY_SOURCE, KEY_SOURCE_URL };

static const struct argp_option options[] = {
	{ "seen", KEY_SEEN, NULL, 0, "list the functions that a FILE has seen, one on a line", 0 },
	{ "unseen", KEY_UNSEEN, NULL, 0, "list functions that every FILE was asked for and none has seen", 0 },
	OPTION_IN,
	{ "by", KEY_BY, "WHAT", 0, "a line for each directory, file, owner or function; default: directory, and with "
	  "--in file", 0 },
	{ "sort", KEY_SORT, "KEY", 0, "order of the lines: name (default), seen, unseen or share, by the first "
	  "FILE", 0 },
	{ "proved", KEY_PROVED, NULL, 0, "also tell what ran without having been recorded, as recorded calls prove "
	  "(takes a few seconds)", 0 },
	OPTION_FORMAT("text (default), json, tailor, lcov, html; dot or folded: the graph of calls"
		      OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	OPTION_RUNS,
	OPTION_MIN_RUNS,
	{ "universe", KEY_UNIVERSE, "FILE", 0, "the functions of that kernel, by `hytrace functions -f json`; "
	  "default: what its vmlinux says", 0 },
	OPTION_VMLINUX("that kernel's, with debug information; modules are looked for beside it"),
	{ "source", KEY_SOURCE, "DIR", 0, "where the kernel's source is, for the paths of -f lcov, and for -f html, "
	  "which then has the source of functions that ran; given again: where files are that are not there, such "
	  "as those that its build makes", 0 },
	{ "source-url", KEY_SOURCE_URL, "URL", 0, "-f html: where a line of the source can be seen, with %v for the "
	  "kernel's version, %f for the file and %l for the line", 0 },
	{ }
};

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_TAILOR, REPORT_LCOV, REPORT_HTML, REPORT_DOT, REPORT_FOLDED };

static const char *const format_names[] = { "text", "json", "tailor", "lcov", "html", "dot", "folded", NULL };
static const char *const sort_names[] = { "name", "seen", "unseen", "share", NULL };
/* --by function lists functions without grouping them, so it is no enum group_by. */
enum { BY_FUNCTION = BY_OWNER + 1 };
static const char *const by_names[] = { "directory", "file", "owner", "function", NULL };

/* Room for the source tree, the build tree, and a few more directories. */
#define MOST_SOURCES 8

struct report_options {
	const char *universe, *url;
	int by, sort;		/* -1: not given */
	struct report_form form;
	struct result_options result;
	bool proved;
	char *directories[MOST_SOURCES];
	size_t directory_count;
};

/* Makes the path absolute, because genhtml may run in another directory. */
static void add_directory(struct argp_state *state, struct report_options *o, const char *path)
{
	char *whole = realpath(path, NULL);

	if (!whole)
		argp_error(state, "--source %s: %s", path, strerror(errno));
	if (o->directory_count == MOST_SOURCES)
		argp_error(state, "--source can be given %d times", MOST_SOURCES);
	o->directories[o->directory_count++] = whole;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_options *o = state->input;

	switch (key) {
	case KEY_SEEN:
	case KEY_UNSEEN:
		if (o->form.which != LIST_ALL)
			argp_error(state, "--seen and --unseen exclude each other");
		o->form.which = key == KEY_SEEN ? LIST_SEEN : LIST_UNSEEN;
		break;
	case KEY_PROVED:
		o->proved = true;
		break;
	case KEY_BY:
		o->by = option__word(state, "by", arg, by_names);
		break;
	case KEY_SORT:
		o->sort = option__word(state, "sort", arg, sort_names);
		break;
	case KEY_UNIVERSE:
		o->universe = arg;
		break;
	case KEY_SOURCE:
		add_directory(state, o, arg);
		break;
	case KEY_SOURCE_URL:
		if (strncmp(arg, "https://", 8) && strncmp(arg, "http://", 7))
			argp_error(state, "--source-url %s: does not begin with https://", arg);
		o->url = arg;
		break;
	case ARGP_KEY_END:
		if (o->result.format >= REPORT_DOT &&
		    (o->result.where || o->form.which != LIST_ALL || o->proved || o->by >= 0))
			argp_error(state, "-f dot and -f folded have the whole graph: no other option goes with "
				   "them but --vmlinux and --output");
		if (o->result.format == REPORT_TAILOR &&
		    (o->result.count > 1 || o->result.where || o->form.which != LIST_ALL))
			argp_error(state, "-f tailor has the addresses of one FILE, all of them; `hytrace merge` "
				   "joins several into one");
		if ((o->result.format == REPORT_LCOV || o->result.format == REPORT_HTML) && o->form.which != LIST_ALL)
			argp_error(state, "-f %s has what was seen and what was not; --seen and --unseen do not "
				   "go with it", format_names[o->result.format]);
		if (o->result.format == REPORT_TAILOR && o->proved)
			argp_error(state, "-f tailor has recorded addresses; --proved does not go with it");
		if (o->sort >= 0 && o->result.format != REPORT_JSON &&
		    (o->result.format != REPORT_TEXT || o->by == BY_FUNCTION || o->form.which != LIST_ALL))
			argp_error(state, "--sort orders the lines of directories and files; functions are in "
				   "the order of their places");
		if (o->result.format != REPORT_LCOV && o->result.format != REPORT_HTML && o->by != BY_OWNER &&
		    o->directory_count)
			argp_error(state, "--source goes with -f lcov, -f html and --by owner");
		if (o->by == BY_OWNER && !o->directory_count)
			argp_error(state, "--by owner reads MAINTAINERS of the kernel's source: say where that is, by "
				   "--source DIR");
		if (o->result.format != REPORT_HTML && o->url)
			argp_error(state, "--source-url goes with -f html");
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* Prints lcov or html, which also have calls if the kernel's files are found. */
static int print_with_calls(const struct report_options *o, const struct rows *r, const char *const *labels,
			    struct output *output)
{
	const struct lcov_source source = { (const char *const *)o->directories, o->directory_count, o->url };
	struct images images = {};
	/* With --proved, the images are open already. */
	autofree char *vmlinux = o->form.proof ? NULL :
				 kernel_id__fetch_vmlinux(&r->documents[0]->kernel, o->result.vmlinux);
	const struct images *opened = o->form.proof ? &o->form.proof->images : vmlinux ? &images : NULL;
	int err = 0;

	if (vmlinux)
		err = images__open(&images, r->documents, r->columns, vmlinux);
	else if (!opened)
		error__warn("-f %s does not tell what was called, because there is no vmlinux of that kernel: give "
			    "--vmlinux FILE", format_names[o->result.format]);
	if (!err && o->result.format == REPORT_LCOV)
		err = report__lcov(r, labels, opened, &source, output);
	else if (!err)
		err = report__html(r, labels, opened, &source, output__stream(output));
	images__free(&images);
	return err;
}

static int print(const struct report_options *o, const struct rows *r, const char *const *labels,
		 struct output *output)
{
	FILE *out = output__stream(output);
	const struct hits *hits;
	size_t left_out;
	int err;

	if (o->result.format == REPORT_LCOV || o->result.format == REPORT_HTML)
		return print_with_calls(o, r, labels, output);
	if (o->result.format == REPORT_JSON)
		report__json(r, labels, &o->form, out);
	else if (o->result.format == REPORT_TEXT && o->form.which == LIST_ALL && o->by != BY_FUNCTION)
		report__text(r, labels, &o->form, out);
	else if (o->result.format == REPORT_TEXT)
		report__list(r, &o->form, out);
	if (o->result.format != REPORT_TAILOR)
		return 0;
	err = coverage__open_hits(r->documents[0], HITS_ALL, &hits);
	if (err)
		return err;
	left_out = report__tailor(hits, out);
	coverage__close_hits(r->documents[0], hits);
	if (left_out)
		error__warn("%zu places are left out: their linked addresses were not known when they were "
			    "recorded", left_out);
	return 0;
}

/* Without a function list, no function can be called unseen. */
static int check(const struct report_options *o, const struct documents *d, const struct universe *u)
{
	if (o->form.which == LIST_UNSEEN && !u->count)
		return error__return(-EINVAL, "--unseen: the functions of that kernel are not known");
	if (o->result.format == REPORT_TAILOR && d->count > 1)
		return error__return(-EINVAL, "-f tailor has the addresses of one run: `hytrace merge` joins "
				     "several into one");
	if (o->result.format == REPORT_TAILOR && !d->list[0]->kernel.offset_known)
		return error__return(-EINVAL, "%s: has no addresses as linked, which -f tailor consists of: "
				     "record again with `hytrace cover --vmlinux FILE`", d->paths[0]);
	return 0;
}

/* Warns if no function could be seen: an empty list must not read as "all were reached". A few warnings say enough. */
static void check_unseen(const struct rows *r, const char *const *paths)
{
	size_t shown = 0;

	for (size_t column = 0; column < r->columns; column++) {
		const struct row *blind = NULL;
		bool sees = false;

		if (shown == DOCUMENTS_MANY)
			break;

		for (size_t i = 0; !sees && i < r->count; i++) {
			sees = row__is_asked_for(&r->list[i], column);
			blind = blind || row__is_seen(&r->list[i], column) ? blind : &r->list[i];
		}
		shown += !sees;
		if (!sees)
			error__warn("--unseen: %s: no function there could be seen%s%s%s%s",
				    paths[column], blind ? ", such as " : "",
				    blind ? blind->f->name : "", blind ? ": " : "",
				    blind ? verdict__sentence(row__verdict(blind, column)) : "");
	}
}

static int report(const struct report_options *o, const struct documents *d, const struct universe *u)
{
	const char *const *labels = (const char *const *)d->labels;
	struct output *output = NULL;
	struct maintainers *owners = NULL;
	struct rows rows;
	int err = check(o, d, u);

	if (!err && o->by == BY_OWNER)
		err = maintainers__read(&owners, (const char *const *)o->directories, o->directory_count);
	if (err)
		return err;
	err = rows__make(&rows, u, d->list, d->count);
	rows.owners = owners;
	if (!err)
		rows__check(&rows, labels);
	if (!err && o->form.proof)
		proof__mark(o->form.proof, &rows);
	if (!err && o->result.where)
		err = rows__restrict(&rows, o->result.where);
	if (!err && o->form.which == LIST_UNSEEN)
		check_unseen(&rows, d->paths);
	if (!err)
		err = output__open(&output, o->result.output, NULL) ?:
		      print(o, &rows, labels, output);
	rows__free(&rows);
	maintainers__free(owners);
	return output__finish(output, err);
}

static int graph(const struct report_options *o, const struct documents *d)
{
	struct output *output = NULL;
	struct images images = {};
	struct edges edges = {};
	int err = edges__open(&edges, &images, d->list, d->count, o->result.vmlinux);

	if (!err) {
		if (o->result.format == REPORT_FOLDED)
			origins__read(&images);
		edges__check(&edges);
		err = output__open(&output, o->result.output, NULL);
	}
	if (!err)
		(o->result.format == REPORT_DOT ? graph__dot : graph__folded)(&edges, output__stream(output));
	edges__free(&edges);
	images__free(&images);
	return output__finish(output, err);
}

static int rows_report(struct report_options *o, const struct documents *d)
{
	const struct universe_source source = { .universe = o->universe, .vmlinux = o->result.vmlinux };
	struct universe u = {};
	struct proof proof = {};
	int err = 0;

	/* -f tailor prints addresses, and needs no function list. */
	if (o->result.format != REPORT_TAILOR)
		err = universe__find_for(&u, d->list, d->count, &source);
	if (!err && o->proved) {
		err = proof__make(&proof, d->list, d->count, o->result.vmlinux);
		o->form.proof = &proof;
	}
	if (!err)
		err = report(o, d, &u);
	proof__free(&proof);
	universe__free(&u);
	return err;
}

int cmd_report(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "FILE...",
		.doc = "Prints which functions ran and which did not, by directory, file and function, from "
		       "recordings of `hytrace cover -f json`. Several FILEs are columns.\vExamples:\n"
		       "  hytrace report boot.json tests.json\n"
		       "  hytrace report --unseen --in fs/ext4 tests.json\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, or a FILE that is no recording.",
	};
	struct report_options o = { .by = -1, .sort = -1, .result.formats = format_names, .result.least = 1 };
	struct documents d = {};
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	o.form.sort = o.sort >= 0 ? o.sort : 0;
	o.form.by = o.by >= 0 && o.by != BY_FUNCTION ? (enum group_by)o.by : o.result.where ? BY_FILE : BY_DIRECTORY;
	err = documents__open(&d, o.result.arguments, o.result.count, &o.result);
	if (!err && o.result.format == REPORT_HTML && d.count > PAGE_MOST_COLUMNS)
		err = documents__gather(&d, PAGE_MOST_COLUMNS);
	if (!err)
		err = o.result.format >= REPORT_DOT ? graph(&o, &d) : rows_report(&o, &d);
	documents__free(&d);
	while (o.directory_count)
		free(o.directories[--o.directory_count]);
	return error__status(err, false);
}
