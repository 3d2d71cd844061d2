// SPDX-License-Identifier: GPL-2.0-only
/* hytrace affected: which tests and machines ran what a patch changes. */
#include <argp.h>

#include "affected/answers.h"
#include "affected/commands.h"
#include "affected/cve.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/text.h"
#include "document/read.h"
#include "kernel/elf_file.h"
#include "kernel/running.h"
#include "run/output.h"

enum { KEY_STORE = 256, KEY_GIT, KEY_CVE, KEY_TESTS };
enum { AFFECTED_TEXT, AFFECTED_JSON, AFFECTED_LCOV, AFFECTED_TAP };

static const char *const format_names[] = { "text", "json", "lcov", "tap", NULL };

static const struct argp_option options[] = {
	{ "store", KEY_STORE, "FILE", 0, "a store, as runs.db or runs.db?since=7d; or a recording, and may be given "
	  "several times", 0 },
	{ "git", KEY_GIT, "DIR", 0, "the change is a COMMIT or a RANGE, as A..B or A...B, of this repository", 0 },
	{ "cve", KEY_CVE, "RECORD", 0, "the change is the fix of this CVE, a record in json; with --git, its "
	  "functions, without it all code of its files", 0 },
	{ "tests", KEY_TESTS, NULL, 0, "print only the tests to run, the fewest that reach all that tests reach", 0 },
	OPTION_FORMAT("text (default), json, lcov or tap" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	OPTION_VMLINUX("of a build with debug information, may be given several times; default: those of the runs, "
		       "where they usually are"),
	{ }
};

struct affected_options {
	const char **stores, **vmlinux;
	size_t store_count, vmlinux_count;
	const char *git, *cve;
	bool tests;
	const char *const *arguments;
	size_t count;
	struct result_options result;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct affected_options *o = state->input;

	switch (key) {
	case KEY_STORE:
		*LIST_ADD(o->stores, o->store_count) = arg;
		break;
	case OPTION_KEY_VMLINUX:
		*LIST_ADD(o->vmlinux, o->vmlinux_count) = arg;
		break;
	case KEY_GIT:
		o->git = arg;
		break;
	case KEY_CVE:
		o->cve = arg;
		break;
	case KEY_TESTS:
		o->tests = true;
		break;
	case ARGP_KEY_ARGS:
		o->count = option__arguments(state, &o->arguments);
		break;
	case ARGP_KEY_END:
		if (o->cve ? o->count : o->git ? o->count != 1 : !o->count)
			argp_usage(state);
		if ((o->tests || o->result.format == AFFECTED_TAP) && !o->store_count)
			argp_error(state, "%s needs runs: give --store", o->tests ? "--tests" : "-f tap");
		if (o->tests && o->result.format != AFFECTED_TEXT)
			argp_error(state, "--tests prints names: -f does not go with it");
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* ---- what changes */

struct change_source {
	struct patch patch;
	struct tags tags[SIDES];
	bool whole;			/* only files are known */
};

static int read_patch(struct patch *p, const char *path)
{
	struct text t;
	int err;

	err = document__read_text(&t, document__open(path), path);
	if (err)
		return err;
	err = patch__read(p, t.bytes, t.length, path);
	free(t.bytes);
	return err;
}

/* The same fix is in several branches; any one that the repository has will do. */
static int read_cve(struct change_source *c, const struct affected_options *o)
{
	struct cve cve;
	size_t i = 0;
	int err = cve__read(&cve, o->cve);

	while (!err && o->git && i < cve.commit_count && !git__has(o->git, cve.commits[i]))
		i++;
	if (!err && o->git && i < cve.commit_count) {
		err = git__read(&c->patch, c->tags, o->git, cve.commits[i]);
	} else if (!err) {
		if (o->git)
			error__warn("%s has none of the %zu commits that fix it: all code of its files counts", o->git,
				    cve.commit_count);
		c->whole = true;
		for (i = 0; i < cve.file_count; i++)
			patch__add(&c->patch, cve.files[i], cve.files[i]);
	}
	cve__free(&cve);
	return err;
}

static int read_change(struct change_source *c, const struct affected_options *o)
{
	int err = 0;

	patch__init(&c->patch);
	if (o->cve)
		return read_cve(c, o);
	if (o->git)
		return git__read(&c->patch, c->tags, o->git, o->arguments[0]);
	for (size_t i = 0; !err && i < o->count; i++)
		err = read_patch(&c->patch, o->arguments[i]);
	return err;
}

/* ---- builds */

struct builds {
	struct build *list;
	size_t count;
	const char **paths;		/* files of the patch, in order, each once */
	size_t path_count;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_paths(struct builds *b, const struct patch *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		const char *both[] = { p->list[i].old, p->list[i].new };

		for (int k = 0; k < 2; k++) {
			if (both[k])
				*LIST_ADD(b->paths, b->path_count) = both[k];
		}
	}
	if (b->path_count)
		qsort(b->paths, b->path_count, sizeof(*b->paths), by_text);
	for (size_t i = 0; i < b->path_count; i++) {
		if (!kept || strcmp(b->paths[kept - 1], b->paths[i]))
			b->paths[kept++] = b->paths[i];
	}
	b->path_count = kept;
}

static int open_build(struct builds *b, const char *vmlinux, struct coverage *runs)
{
	return build__open(&b->list[b->count++], vmlinux, runs, b->paths, b->path_count);
}

/* The runs of the build of a file; NULL: there are none. @used: by kernel */
static struct coverage *runs_of(const struct runs *r, const char *vmlinux, bool *used)
{
	for (size_t i = 0; i < r->kernel_count; i++) {
		const char *build_id = r->kernels[i].build_id;

		if (!used[i] && build_id && !kernel_id__check_vmlinux(vmlinux, build_id)) {
			used[i] = true;
			return &r->kernels[i].all;
		}
	}
	return NULL;
}

static int open_builds(struct builds *b, const struct affected_options *o, const struct runs *r)
{
	bool *used = xcalloc(r->kernel_count, sizeof(*used));
	int err = 0;

	b->list = xcalloc(o->vmlinux_count + r->kernel_count, sizeof(*b->list));
	for (size_t i = 0; !err && i < o->vmlinux_count; i++)
		err = open_build(b, o->vmlinux[i], runs_of(r, o->vmlinux[i], used));
	for (size_t i = 0; !err && i < r->kernel_count; i++) {
		char *path = used[i] ? NULL : kernel_id__find_vmlinux(&r->kernels[i].all.kernel, NULL);

		if (path)
			err = open_build(b, path, &r->kernels[i].all);
		free(path);
	}
	free(used);
	return err;
}

static void close_builds(struct builds *b)
{
	for (size_t i = 0; i < b->count; i++)
		build__free(&b->list[i]);
	free(b->list);
	free(b->paths);
}

/* ---- the command */

static int print(const struct answers *a, const struct affected_options *o)
{
	/* In the order of the formats. */
	static void (*const print[])(const struct answers *a, FILE *out) = {
		answers__text, answers__json, answers__lcov, answers__tap,
	};
	struct output *output;
	int err;

	err = output__open(&output, o->result.output, NULL);
	if (err)
		return err;
	(o->tests ? answers__tests : print[o->result.format])(a, output__stream(output));
	return output__commit(output);
}

static int answer(const struct affected_options *o, const struct change_source *c, struct runs *r,
		  const struct builds *b, size_t *ret_missed)
{
	struct changed changed;
	struct answers a = {
		.patch = &c->patch, .changed = &changed, .runs = r, .builds = b->list, .build_count = b->count,
		.triage = o->cve != NULL, .tags = c->tags,
	};
	int err;

	changed__find(&changed, &c->patch, c->tags, b->count ? &b->list[0] : NULL, c->whole);
	err = answers__find(&a, r);
	if (!err)
		err = print(&a, o);
	for (int class = 0; class < CLASSES; class++)
		*ret_missed += class_texts[class].missed ? a.classes[class] : 0;
	answers__free(&a);
	changed__free(&changed);
	return err;
}

int cmd_affected(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "PATCH...\n--git=DIR COMMIT|RANGE\n--cve=RECORD",
		.doc = "Says which functions a change is in, and which tests and machines have run each of them: from "
		       "a patch, a commit or a CVE, and recordings of `hytrace cover` or a store of `hytrace keep`."
		       "\vExamples:\n"
		       "  hytrace affected --store runs.db fix.patch\n"
		       "  hytrace affected --store runs.db --git linux v6.12.1..v6.12.2 --tests\n"
		       "  hytrace affected --store 'runs.db?since=7d' --cve CVE-2026-12345.json --git linux\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, or bad files. With -f tap: 0 each function that can "
		       "be seen was, 1 some were not, 2 an error.",
	};
	struct affected_options o = { .result = { .formats = format_names } };
	struct change_source change = {};
	struct builds builds = {};
	struct runs runs = {};
	size_t missed = 0;
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	err = read_change(&change, &o);
	if (!err)
		err = runs__open(&runs, o.stores, o.store_count);
	if (!err)
		err = runs__join(&runs);
	if (!err) {
		list_paths(&builds, &change.patch);
		err = open_builds(&builds, &o, &runs);
	}
	if (!err)
		err = answer(&o, &change, &runs, &builds, &missed);
	close_builds(&builds);
	runs__free(&runs);
	tags__free(change.tags);
	patch__free(&change.patch);
	free(o.stores);
	free(o.vmlinux);
	if (o.result.format == AFFECTED_TAP)
		return err ? EXIT_USAGE : missed ? EXIT_FAILED : EXIT_DONE;
	return error__status(err, false);
}
