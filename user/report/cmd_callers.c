// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace callers and hytrace calls: who called a function, and what it called, from recordings of
 * `hytrace cover`.
 */
#include <argp.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/program.h"
#include "report/callers.h"
#include "report/commands.h"
#include "report/documents.h"
#include "report/origins.h"
#include "run/output.h"

#define MODULE_MARK ":mod:"

static const struct argp_option options[] = {
	OPTION_FORMAT("text (default) or json" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	OPTION_VMLINUX("the vmlinux of that kernel; default: where distributions put it"),
	{ }
};

struct callers_options {
	const char *function;
	const char *const *paths;
	size_t count;
	struct result_options result;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct callers_options *o = state->input;

	switch (key) {
	case ARGP_KEY_ARGS:
		o->function = state->argv[state->next];
		o->paths = (const char *const *)state->argv + state->next + 1;
		o->count = state->argc - state->next - 1;
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

struct found {
	size_t *list, count;
};

/* Finds all functions of that name; static functions may share one. */
static void find_named(struct found *found, const struct image_of *of, const char *name)
{
	size_t count;
	const struct image_function *const *list = image__named(of->image, name, &count);

	for (size_t i = 0; list && i < count; i++)
		*LIST_ADD(found->list, found->count) = images__number(of, edges__whole(of, list[i]));
}

/* Finds functions that match a pattern and ran. Thousands that did not run may match, too. */
static void find_matching(struct found *found, const struct edges *e, const struct image_of *of, const char *pattern)
{
	size_t count;
	const struct image_function *list = image__functions(of->image, &count);

	for (size_t i = 0; i < count; i++) {
		size_t number = images__number(of, &list[i]);

		if (edges__ran(e, number) && !fnmatch(pattern, list[i].name, 0))
			*LIST_ADD(found->list, found->count) = number;
	}
}

/* "NAME:mod:MODULE" only finds functions of that module. */
static int find_functions(struct found *found, const char *wanted, const struct edges *e)
{
	const char *mark = strstr(wanted, MODULE_MARK), *module = mark ? mark + strlen(MODULE_MARK) : NULL;
	char *name = mark ? xstrndup(wanted, mark - wanted) : xstrdup(wanted);
	const struct images *images = e->images;
	bool pattern = strpbrk(wanted, "*?[");

	for (size_t i = 0; i < images->count; i++) {
		const struct image_of *of = &images->list[i];

		if (!of->image || (module && (!of->module || strcmp(of->module, module))))
			continue;
		if (pattern)
			find_matching(found, e, of, name);
		else
			find_named(found, of, name);
	}
	free(name);
	if (found->count)
		return 0;
	return error__return(-EINVAL, pattern ? "%s: no such function is known to have run, of %s%s" :
			     "%s: there is no such function in %s%s", wanted, image__path(images->list[0].image),
			     images->count > 1 ? ", nor in a module" : "");
}

static int print(struct question *q, const struct callers_options *o)
{
	struct output *output;
	int err;

	question__find_lines(q);
	err = output__open(&output, o->result.output, NULL);
	if (err)
		return err;
	(o->result.format == RESULT_JSON ? callers__json : callers__text)(q, output__stream(output));
	return output__finish(output, 0);
}

static int answer(const struct callers_options *o, bool calls, const struct documents *d, struct images *images)
{
	struct question q = { .calls = calls, .labels = (const char *const *)d->labels };
	struct edges edges = {};
	struct found found = {};
	int err;

	edges__make(&edges, images, d->list, d->count);
	err = find_functions(&found, o->function, &edges);
	if (!err && !calls)
		origins__read(images);
	if (!err) {
		edges__check(&edges);
		q.edges = &edges;
		q.functions = found.list;
		q.count = found.count;
		err = print(&q, o);
	}
	source_lines__free(&q.heads);
	source_lines__free(&q.lines);
	edges__free(&edges);
	free(found.list);
	return err;
}

static int run(const struct argp *argp, bool calls, int argc, char **argv)
{
	struct callers_options o = {};
	struct images images = {};
	struct documents d = {};
	int err;

	if (argp_parse(argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	err = documents__read(&d, o.paths, o.count);
	if (!err)
		err = edges__check_documents(d.list, d.count);
	if (!err)
		err = images__open(&images, d.list, d.count, o.result.vmlinux);
	if (!err)
		err = answer(&o, calls, &d, &images);
	images__free(&images);
	documents__free(&d);
	return error__status(err, false);
}

#define STATUS "Exit status: 0 done, 1 failed, 2 usage, or a FILE that is no recording."

int cmd_callers(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "FUNCTION FILE...",
		.doc = "Prints from where a function was called, from recordings of `hytrace cover -f json` and "
		       "the vmlinux of their kernel. Each call is certain.\vExamples:\n"
		       "  hytrace callers vfs_read run.json\n"
		       "  hytrace callers dummy_xmit:mod:dummy --vmlinux build/vmlinux boot.json run.json\n\n"
		       STATUS,
	};

	return run(&argp, false, argc, argv);
}

int cmd_calls(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "FUNCTION FILE...",
		.doc = "Prints which calls in a function were executed, and what they called, from recordings of "
		       "`hytrace cover -f json` and the vmlinux of their kernel."
		       "\vExamples:\n"
		       "  hytrace calls vfs_read run.json\n"
		       "  hytrace calls -f json vfs_read boot.json run.json\n\n"
		       STATUS,
	};

	return run(&argp, true, argc, argv);
}
