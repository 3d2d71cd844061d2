// SPDX-License-Identifier: GPL-2.0-only
/* hytrace why: whether a function can be traced, and why it was not seen. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/text.h"
#include "document/coverage_json.h"
#include "kernel/elf_file.h"
#include "report/commands.h"
#include "report/running.h"
#include "report/universes.h"
#include "report/why.h"
#include "run/output.h"

enum { KEY_IN = 256, KEY_MODULES };

static const struct argp_option options[] = {
	{ "in", KEY_IN, "FILE", OPTION_HIDDEN, NULL, 0 },
	OPTION_FORMAT("text (default) or json" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	OPTION_VMLINUX("of the kernel that is asked about, with debug information; default: that of the first FILE, "
		       "or of the running kernel, where it usually is"),
	{ "modules", KEY_MODULES, "DIR", 0, "where its modules are; default: lib/modules/RELEASE beside the "
	  "vmlinux, or /lib/modules/RELEASE", 0 },
	{ }
};

struct why_options {
	const char **names;
	size_t name_count;
	const char *modules;
	const char *const *paths;
	size_t path_count;
	struct result_options result;
};

/* The first argument names the functions, the other arguments are recordings. */
static void take_arguments(struct argp_state *state, struct why_options *o)
{
	char *rest;

	for (char *name = strtok_r(state->argv[state->next++], ",", &rest); name; name = strtok_r(NULL, ",", &rest))
		*LIST_ADD(o->names, o->name_count) = name;
	o->path_count = option__arguments(state, &o->paths);
	if (o->path_count > EDGES_MOST_DOCUMENTS)
		argp_error(state, "%zu files: one answer can be about %d at most", o->path_count, EDGES_MOST_DOCUMENTS);
	for (size_t i = 0; i < o->path_count; i++) {
		if (strcmp(o->paths[i], "-") && access(o->paths[i], F_OK) && errno == ENOENT)
			argp_error(state, "%s: there is no such file; several functions are separated by commas",
				   o->paths[i]);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct why_options *o = state->input;

	switch (key) {
	case KEY_IN:
		argp_error(state, "--in %s: recordings come after the function: `hytrace why FUNCTION %s`", arg, arg);
		break;
	case KEY_MODULES:
		o->modules = arg;
		break;
	case ARGP_KEY_ARGS:
		take_arguments(state, o);
		break;
	case ARGP_KEY_END:
		if (!o->name_count)
			argp_usage(state);
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* The sources of all answers. */
struct looked_at {
	struct universe universe;
	struct images images;		/* only vmlinux; empty: it was not found */
	struct edges edges;		/* calls in recordings of the build of @images */
	const struct coverage **called;	/* the recordings in @edges */
	struct coverage *documents;
	struct universe *others;	/* function lists of recordings of other builds, by index */
	size_t document_count;
	char *modules;
};

static void looked_at__free(struct looked_at *l)
{
	for (size_t i = 0; i < l->document_count; i++)
		coverage__free(&l->documents[i]);
	for (size_t i = 0; l->others && i < l->document_count; i++)
		universe__free(&l->others[i]);
	free(l->documents);
	free(l->others);
	universe__free(&l->universe);
	edges__free(&l->edges);
	images__free(&l->images);
	free(l->called);
	free(l->modules);
}

static int read_documents(struct looked_at *l, const struct why_options *o)
{
	int err = 0;

	l->documents = xcalloc(o->path_count, sizeof(*l->documents));
	for (size_t i = 0; !err && i < o->path_count; i++) {
		err = coverage__read_json(&l->documents[i], o->paths[i]);
		l->document_count += !err;
	}
	return err;
}

/* Takes the first recording's kernel, with all modules of the recordings of that build. */
static int of_documents(struct looked_at *l, const char *vmlinux)
{
	const struct coverage *first = &l->documents[0];
	struct covered_modules modules = {};
	int err;

	for (size_t i = 0; i < l->document_count; i++) {
		const struct coverage *c = &l->documents[i];

		for (size_t m = 0; (c == first || coverage__same_build(c, first, NULL)) && m < c->modules.count; m++) {
			if (!covered_modules__find(&modules, c->modules.list[m].name))
				*LIST_ADD(modules.list, modules.count) = c->modules.list[m];
		}
	}
	err = universe__of_build(&l->universe, &first->kernel, &modules, vmlinux);
	/* The names in the list belong to the recordings. */
	free(modules.list);
	if (!err && !l->universe.count)
		err = error__return(-EINVAL, "the functions of %s are not known: give --vmlinux, a file of that kernel",
				    first->kernel.release ?: "that kernel");
	return err;
}

/* Functions of another build are matched by source file, if that build's files are found. */
static int find_others(struct looked_at *l)
{
	const char *build_id = l->universe.build_id;
	int err = 0;

	l->others = xcalloc(l->document_count, sizeof(*l->others));
	for (size_t i = 0; !err && i < l->document_count; i++) {
		const struct coverage *c = &l->documents[i];

		if (c->kernel.build_id && !text__equals(build_id, c->kernel.build_id))
			err = universe__of_build(&l->others[i], &c->kernel, &c->modules, NULL);
	}
	return err;
}

static bool is_of_documents(const struct looked_at *l, const char *vmlinux)
{
	const char *build_id = l->document_count ? l->documents[0].kernel.build_id : NULL;

	return l->document_count && (!vmlinux || (build_id && !kernel_id__check_vmlinux(vmlinux, build_id)));
}

static int find_universe(struct looked_at *l, const struct why_options *o)
{
	if (is_of_documents(l, o->result.vmlinux))
		return of_documents(l, o->result.vmlinux);
	return o->result.vmlinux ? universe__of_files(&l->universe, o->result.vmlinux, NULL, 0) :
			    universe__of_running(&l->universe, NULL);
}

/* Opens vmlinux if it is found. Without it, there are fewer answers. */
static int find_image(struct looked_at *l, const char *given)
{
	const struct kernel_id id = { .release = l->universe.release, .build_id = l->universe.build_id };
	char *path = kernel_id__find_vmlinux(&id, given);
	struct image *image = NULL;
	int err = path ? image__open(&image, path, NULL) : 0;

	free(path);
	return err || !image ? err : images__of_vmlinux(&l->images, image);
}

/* Recorded calls prove that functions ran which cannot be traced, or were entered earlier. */
static void find_edges(struct looked_at *l)
{
	const char *build_id = l->images.count ? image__build_id(l->images.list[0].image) : NULL;
	size_t count = 0;

	l->called = xcalloc(l->document_count, sizeof(*l->called));
	for (size_t i = 0; build_id && i < l->document_count; i++) {
		const struct coverage *c = &l->documents[i];

		if (c->how.callers && c->kernel.build_id && !strcmp(c->kernel.build_id, build_id))
			l->called[count++] = c;
	}
	if (count)
		edges__make(&l->edges, &l->images, l->called, count);
}

static void find_modules(struct looked_at *l, const char *given, const char *vmlinux)
{
	char *directory;

	if (!given && !l->universe.release)
		return;
	directory = given ? xstrdup(given) : module_files__directory(vmlinux, l->universe.release);
	if (given || !access(directory, R_OK))
		l->modules = directory;
	else
		free(directory);
}

static int write_answers(const struct why_options *o, const struct looked_at *l, const struct why *list)
{
	struct output *output;
	int err;

	err = output__open(&output, o->result.output, NULL);
	if (err)
		return err;
	if (o->result.format == RESULT_JSON)
		why__write_json(list, o->name_count, &l->universe, output__stream(output));
	for (size_t i = 0; o->result.format == RESULT_TEXT && i < o->name_count; i++)
		why__print(&list[i], output__stream(output));
	return output__finish(output, 0);
}

/* @ret_found: whether all names are known. */
static int answer(const struct why_options *o, const struct looked_at *l, bool *ret_found)
{
	const struct why_sources sources = {
		.universe = &l->universe, .image = l->images.count ? l->images.list[0].image : NULL,
		.modules = l->modules, .documents = l->documents, .document_count = l->document_count,
		.others = l->others, .edges = l->edges.nodes ? &l->edges : NULL, .labels = o->paths,
		.running = !l->document_count && !o->result.vmlinux,
	};
	struct why *list = xcalloc(o->name_count, sizeof(*list));
	size_t count = 0;
	int err = 0;

	*ret_found = true;
	for (; !err && count < o->name_count; count++) {
		err = why__find(&list[count], o->names[count], &sources);
		*ret_found &= list[count].found;
	}
	if (!err)
		err = write_answers(o, l, list);
	for (size_t i = 0; i < count; i++)
		why__free(&list[i]);
	free(list);
	return err;
}

int cmd_why(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "FUNCTION[,FUNCTION...] [FILE...]",
		.doc = "Says whether functions can be traced, and why not: notrace, inlined, another name, a "
		       "module that is not loaded; and why FILEs, recordings of `hytrace cover -f json`, do not "
		       "have them.\vExamples:\n"
		       "  hytrace why vfs_read,rcu_nmi_enter\n"
		       "  hytrace why --vmlinux vmlinux ext4_fallocate tests.json\n\n"
		       "Exit status: 0 done, 1 a FUNCTION is not known or it failed, 2 usage, or bad files, 3 "
		       "the kernel or the privileges do not allow it.", };
	struct why_options o = {};
	struct looked_at l = {};
	bool found = true;
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	err = read_documents(&l, &o);
	if (!err)
		err = find_universe(&l, &o);
	if (!err)
		err = find_others(&l);
	if (!err)
		err = find_image(&l, o.result.vmlinux);
	if (!err) {
		find_edges(&l);
		find_modules(&l, o.modules, o.result.vmlinux);
		err = answer(&o, &l, &found);
	}
	looked_at__free(&l);
	free(o.names);
	return err ? error__status(err, false) : found ? EXIT_DONE : EXIT_FAILED;
}
