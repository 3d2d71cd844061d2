// SPDX-License-Identifier: GPL-2.0-only
/* Names, opens and writes the results of a run; see outputs.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cover/outputs.h"
#include "document/coverage_json.h"
#include "kernel/features.h"
#include "report/compare.h"
#include "report/merge.h"
#include "report/report.h"
#include "run/output.h"

/* How many names are listed for each reason of a difference. The documents have all. */
#define LISTED 20

struct one {
	struct output *output;
	enum cover_format format;
	size_t engine;
	char *path;
	struct coverage *before;	/* what the file has, and keeps; NULL: nothing */
};

struct outputs {
	struct one *list;
	size_t count;
	const char *vmlinux;	/* as given */
};

char *outputs__engine_path(const char *path, const char *engine)
{
	const char *base = strrchr(path, '/'), *dot;
	char *result;
	int length;

	base = base ? base + 1 : path;
	dot = strrchr(base, '.');
	if (!dot || dot == base)
		dot = base + strlen(base);
	length = asprintf(&result, "%.*s.%s%s", (int)(dot - path), path, engine, dot);
	return length < 0 ? NULL : result;
}

static enum cover_format format_of(const struct cover_options *o, const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;

	/* -f can only select one format, so with several results their names decide. */
	if (!dot || (o->format_given && o->output_count < 2))
		return o->format;
	if (!strcmp(dot, ".json"))
		return FORMAT_JSON;
	if (!strcmp(dot, ".tailor"))
		return FORMAT_TAILOR;
	return o->format;
}

/* It is joined with what comes, and written anew; whether that can be done is tried before anything is run. */
static int read_before(struct one *one, const struct coverage *plan)
{
	const struct coverage *both[] = { plan, NULL };
	const char *const names[] = { "this run", one->path };
	struct coverage joined = {}, *before;
	struct stat st;
	int err;

	if (one->format != FORMAT_JSON)
		return error__return(-EINVAL, "--append: %s: only json documents can be added to", one->path);
	if (stat(one->path, &st) || !st.st_size)
		return 0;
	before = calloc(1, sizeof(*before));
	if (!before)
		return error__no_memory();
	err = coverage__read_json(before, one->path);
	if (err) {
		free(before);
		return err;
	}
	both[1] = one->before = before;
	err = merge__run(&joined, both, 2, names);
	if (!err)
		coverage__free(&joined);
	return err;
}

static int open_one(struct outputs *outputs, const struct cover_options *o, const char *path,
		    const struct engines *engines, size_t engine, const struct coverage *plan,
		    struct guard *guard)
{
	struct one *one = &outputs->list[outputs->count];
	char *own = NULL;
	int err;

	if (path && !cover_output__is_stream(path) && engines->count > 1) {
		own = outputs__engine_path(path, engines->list[engine].ops->name);
		if (!own)
			return error__no_memory();
	}
	one->format = format_of(o, path);
	one->engine = engine;
	one->path = own ? own : path ? strdup(path) : NULL;
	if (path && !one->path)
		return error__no_memory();
	err = output__open(&one->output, one->path, guard);
	outputs->count++;
	return err || !o->append ? err : read_before(one, plan);
}

static int check_formats(const struct outputs *outputs, const struct kernel_id *kernel)
{
	for (size_t i = 0; i < outputs->count; i++) {
		if (outputs->list[i].format == FORMAT_TAILOR && !kernel->offset_known)
			return features__refuse(FEATURE_LINKED, "--format tailor");
	}
	return 0;
}

static bool wants_text(const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++) {
		if (outputs->list[i].format == FORMAT_TEXT)
			return true;
	}
	return false;
}

int outputs__open(struct outputs **ret, const struct cover_options *o, const struct engines *engines,
		  const struct kernel_id *kernel, const struct coverage *plan, struct guard *guard)
{
	struct outputs *outputs = calloc(1, sizeof(*outputs));
	size_t paths = o->output_count ? o->output_count : 1;
	int err = 0;

	if (!outputs)
		return error__no_memory();
	outputs->vmlinux = o->vmlinux;
	outputs->list = calloc(paths * engines->count, sizeof(*outputs->list));
	if (!outputs->list)
		err = error__no_memory();
	for (size_t i = 0; !err && i < paths; i++) {
		for (size_t engine = 0; !err && engine < engines->count; engine++)
			err = open_one(outputs, o, o->output_count ? o->outputs[i] : NULL, engines,
				       engine, plan, guard);
	}
	if (!err)
		err = check_formats(outputs, kernel);
	if (err)
		outputs__free(outputs);
	else
		*ret = outputs;
	return err;
}

static int write_text(const struct coverage *c, const struct universe *u, FILE *stream)
{
	const struct report_form form = {};
	struct rows rows;
	int err;

	err = rows__make(&rows, u, &c, 1);
	if (err)
		return err;
	rows__check(&rows, (const char *const *)&c->engine);
	err = report__text(&rows, NULL, &form, stream);
	rows__free(&rows);
	return err;
}

/* @u: NULL: it was told why there is none, which only shares are missing for. */
static int write_joined(const struct one *one, const struct coverage *c, FILE *stream)
{
	const struct coverage *const both[] = { one->before, c };
	const char *const names[] = { one->path, "this run" };
	struct coverage joined;
	int err = merge__run(&joined, both, 2, names);

	if (err)
		return err;
	err = coverage__write_json(&joined, stream);
	coverage__free(&joined);
	return err;
}

static int write_one(const struct one *one, const struct coverage *c, const struct universe *u)
{
	FILE *stream = output__stream(one->output);

	switch (one->format) {
	case FORMAT_JSON:
		return one->before ? write_joined(one, c, stream) : coverage__write_json(c, stream);
	case FORMAT_TAILOR:
		report__tailor(c, stream);
		return 0;
	case FORMAT_TEXT:
		break;
	}
	return u ? write_text(c, u, stream) : -ENODATA;
}

static int print_comparison(const struct coverage *a, const struct coverage *b)
{
	struct comparison cmp;
	int err;

	err = compare__run(&cmp, a, b, HIT_FUNCTION);
	if (err)
		return err;
	err = compare__print(&cmp, a->engine, b->engine, LISTED, stdout);
	compare__free(&cmp);
	if (!err && fflush(stdout))
		err = error__return(-EIO, "standard output: %s", strerror(errno));
	return err;
}

static int write_all(struct outputs *outputs, const struct coverage *const *coverages, const struct universe *u)
{
	int err = 0;

	/* If one output fails, the others are written all the same. */
	for (size_t i = 0; i < outputs->count; i++) {
		struct one *one = &outputs->list[i];
		int failed;

		failed = write_one(one, coverages[one->engine], u);
		if (failed)
			output__discard(one->output);
		else
			failed = output__commit(one->output);
		one->output = NULL;
		err = err ? err : failed;
	}
	return err;
}

/* Only shares need it: without one, all that is no text is written all the same. */
static bool find_universe(struct universe *ret, const struct outputs *outputs, const struct coverage *const *coverages,
			  size_t count, const struct running_kernel *kernel)
{
	const struct universe_source source = { .vmlinux = outputs->vmlinux, .running = kernel };

	return !wants_text(outputs) || !universe__find_for(ret, coverages, count, &source);
}

int outputs__write(struct outputs *outputs, const struct coverage *const *coverages, size_t count,
		   const struct running_kernel *kernel)
{
	struct universe u = {};
	int err;

	err = write_all(outputs, coverages, find_universe(&u, outputs, coverages, count, kernel) ? &u : NULL);
	universe__free(&u);
	if (!err && count == 2)
		err = print_comparison(coverages[0], coverages[1]);
	return err;
}

void outputs__write_so_far(struct outputs *outputs, const struct coverage *const *coverages,
			   const struct running_kernel *kernel)
{
	struct universe u = {};
	bool is_known = find_universe(&u, outputs, coverages, 1, kernel), any = false;

	for (size_t i = 0; i < outputs->count; i++) {
		struct one *one = &outputs->list[i];

		if (!output__can_checkpoint(one->output))
			continue;
		any = true;
		if (write_one(one, coverages[one->engine], is_known ? &u : NULL))
			rewind(output__stream(one->output));
		else
			output__checkpoint(one->output);
	}
	universe__free(&u);
	if (!any)
		error__warn("SIGUSR1: the result is written once, at the end; give -o FILE to have it before");
}

void outputs__free(struct outputs *outputs)
{
	if (!outputs)
		return;
	for (size_t i = 0; i < outputs->count; i++) {
		struct one *one = &outputs->list[i];

		output__discard(one->output);
		if (one->before)
			coverage__free(one->before);
		free(one->before);
		free(one->path);
	}
	free(outputs->list);
	free(outputs);
}
