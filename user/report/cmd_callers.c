// SPDX-License-Identifier: GPL-2.0-only
/* hytrace callers and hytrace calls: who called a function, and what it called, from recordings of `hytrace cover`. */
#include <argp.h>
#include <fnmatch.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/text.h"
#include "report/callers.h"
#include "report/commands.h"
#include "report/documents.h"
#include "run/output.h"

static const struct argp_option options[] = {
	OPTION_FORMAT("text (default) or json" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	OPTION_RUNS,
	OPTION_MIN_RUNS,
	OPTION_VMLINUX("the vmlinux of that kernel; default: where distributions put it"),
	{ }
};

/* Finds functions that match a pattern and ran (thousands that did not run may match, too), or all of a name. */
static void find_in(struct question *q, const struct image_of *of, const char *name, bool pattern)
{
	size_t count;
	const struct image_function *all = image__functions(of->image, &count);
	const struct image_function *const *named;

	for (size_t i = 0; pattern && i < count; i++) {
		if (edges__ran(q->edges, images__number(of, &all[i])) && !fnmatch(name, all[i].name, 0))
			*LIST_ADD(q->functions, q->count) = images__number(of, &all[i]);
	}
	named = pattern ? NULL : image__named(of->image, name, &count);
	for (size_t i = 0; named && i < count; i++)
		*LIST_ADD(q->functions, q->count) = images__number(of, edges__whole(of, named[i]));
}

/* "NAME:mod:MODULE" only finds functions of that module. */
static int find_functions(struct question *q, const char *wanted)
{
	const char *mark = strstr(wanted, CALLERS_MODULE), *module = mark ? mark + strlen(CALLERS_MODULE) : NULL;
	autofree char *name = mark ? xstrndup(wanted, mark - wanted) : xstrdup(wanted);
	const struct images *images = q->edges->images;
	bool pattern = strpbrk(wanted, "*?[");

	for (size_t i = 0; i < images->count; i++) {
		const struct image_of *of = &images->list[i];

		if (of->image && (!module || text__equals(of->module, module)))
			find_in(q, of, name, pattern);
	}
	if (q->count)
		return 0;
	return error__return(-EINVAL, pattern ? "%s: no such function is known to have run, of %s%s" :
			     "%s: there is no such function in %s%s", wanted, image__path(images->list[0].image),
			     images->count > 1 ? ", nor in a module" : "");
}

static int answer(const struct result_options *o, struct question *q)
{
	struct output *output;
	int err = find_functions(q, o->arguments[0]);

	if (err)
		return err;
	if (!q->calls)
		origins__read(q->edges->images);
	edges__check(q->edges);
	question__find_lines(q);
	err = output__open(&output, o->output, NULL);
	if (err)
		return err;
	(o->format == RESULT_JSON ? callers__json : callers__text)(q, output__stream(output));
	return output__finish(output, 0);
}

/* There is no vmlinux. */
static int answer_recorded(const struct result_options *o, const struct documents *d, bool calls)
{
	struct output *output = NULL;
	int err = edges__check_documents(d->list, d->count) ?: documents__check_builds(d->list, d->count) ?:
		  output__open(&output, o->output, NULL);

	err = err ?: callers__recorded(d, o->arguments[0], calls, o->format == RESULT_JSON, output__stream(output));
	return output__finish(output, err);
}

static int run(const struct argp *argp, bool calls, int argc, char **argv)
{
	/* A function, and recordings. */
	struct result_options o = { .least = 2 };
	struct images images = {};
	struct documents d = {};
	struct edges edges = {};
	struct question q = { .edges = &edges, .calls = calls };
	autofree char *vmlinux = NULL;
	int err;

	if (argp_parse(argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	err = documents__open(&d, o.arguments + 1, o.count - 1, &o);
	vmlinux = err ? NULL : kernel_id__fetch_vmlinux(&d.list[0]->kernel, o.vmlinux);
	q.labels = (const char *const *)d.labels;
	if (vmlinux)
		err = edges__open(&edges, &images, d.list, d.count, vmlinux) ?: answer(&o, &q);
	else if (!err)
		err = answer_recorded(&o, &d, calls);
	source_lines__free(&q.heads);
	source_lines__free(&q.lines);
	free(q.functions);
	edges__free(&edges);
	images__free(&images);
	documents__free(&d);
	return error__status(err, false);
}

#define STATUS "Exit status: 0 done, 1 failed, 2 usage, or a FILE that is no recording."

int cmd_callers(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = result_options__parser,
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
		.parser = result_options__parser,
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
