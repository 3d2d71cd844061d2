// SPDX-License-Identifier: GPL-2.0-only
/* hytrace why: whether a function can be traced, and why it was not seen. */
#include <argp.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/text.h"
#include "kernel/elf_file.h"
#include "report/commands.h"
#include "report/documents.h"
#include "report/images.h"
#include "report/why.h"
#include "run/output.h"

enum { KEY_IN = 256, KEY_MODULES };

static const struct argp_option options[] = {
	{ "in", KEY_IN, "FILE", OPTION_HIDDEN, NULL, 0 },
	OPTION_FORMAT("text (default) or json" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	OPTION_RUNS,
	OPTION_MIN_RUNS,
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
	for (size_t i = 0; i < o->path_count; i++) {
		if (strcmp(o->paths[i], "-") && !strchr(o->paths[i], '?') && access(o->paths[i], F_OK) &&
		    errno == ENOENT)
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

/* ---- the sources of the answers */

static void close_sources(struct why_sources *s)
{
	for (size_t i = 0; s->others && i < s->documents.count; i++)
		universe__free(&s->others[i]);
	free(s->others);
	free(s->seen.words);
	universe__free(&s->universe);
	edges__free(&s->edges);
	images__free(&s->images);
	documents__free(&s->documents);
	free(s->called);
	free(s->modules);
}

/* @boot: without the files, it may be init text. */
static void add_hit(struct universe *u, const struct hit *hit, bool boot)
{
	if (hit->kind != HIT_FUNCTION || !hit->name)
		return;
	universe__add(u, &(struct function){
		.addr = hit->module ? hit->offset : u->linked ? hit->link : 0, .name = universe__text(u, hit->name),
		.module = universe__text(u, hit->module), .sympos = hit->sympos, .init = !hit->module && boot,
	});
}

static bool is_of_first(const struct why_sources *s, size_t document)
{
	const struct coverage *c = s->documents.list[document], *first = s->documents.list[0];

	return c == first || coverage__same_build(c, first, NULL);
}

/*
 * Without the files of a kernel, some functions are known all the same: those that recordings of it have. If only boots
 * have one, it may be init text.
 */
static int of_hits(struct why_sources *s)
{
	const struct coverage *first = s->documents.list[0];
	struct universe *u = &s->universe;
	const struct hits *hits;
	size_t kept = 0;
	int err = 0;

	error__warn("the functions of %s are not known, but for those that recordings have: --vmlinux FILE tells the "
		    "rest", first->kernel.release ?: "that kernel");
	universe__free(u);
	universe__init(u);
	u->release = xstrdup(first->kernel.release);
	u->build_id = xstrdup(first->kernel.build_id);
	/* A function has an address in all recordings, or its name stands for it in all of them. */
	u->linked = true;
	for (size_t i = 0; i < s->documents.count; i++)
		u->linked &= !is_of_first(s, i) || s->documents.list[i]->kernel.offset_known;
	for (size_t i = 0; !err && i < s->documents.count; i++) {
		const struct coverage *c = s->documents.list[i];

		if (!is_of_first(s, i))
			continue;
		err = coverage__open_hits(c, HITS_FUNCTIONS, &hits);
		for (size_t k = 0; k < hits->count; k++)
			add_hit(u, &hits->list[k], c->scope.kind == SCOPE_BOOT);
		coverage__close_hits(c, hits);
	}
	universe__settle(u);
	/* Each function once, though several recordings have it. */
	for (size_t i = 1; i < u->count; i++) {
		struct function *f = &u->list[i], *last = &u->list[kept];

		if (f->addr != last->addr || !text__equals(f->module, last->module) || strcmp(f->name, last->name))
			u->list[++kept] = *f;
		else
			last->init &= f->init;
	}
	u->count = u->count ? kept + 1 : 0;
	return err;
}

/* Takes the first recording's kernel, with all modules of the recordings of that build. */
static int of_documents(struct why_sources *s, const char *vmlinux)
{
	const struct coverage *first = s->documents.list[0];
	struct covered_modules modules = {};
	int err;

	for (size_t i = 0; i < s->documents.count; i++) {
		const struct coverage *c = s->documents.list[i];

		for (size_t m = 0; is_of_first(s, i) && m < c->modules.count; m++) {
			if (!covered_modules__find(&modules, c->modules.list[m].name))
				*LIST_ADD(modules.list, modules.count) = c->modules.list[m];
		}
	}
	err = universe__of_build(&s->universe, &first->kernel, &modules, vmlinux, true);
	/* The names in the list belong to the recordings. */
	free(modules.list);
	if (!err && !s->universe.count)
		err = of_hits(s);
	return err;
}

/* Finds which functions of the universe the recordings of its build have. */
static int find_seen(struct why_sources *s)
{
	const struct hits *hits;
	int err = 0;

	sets__make(&s->seen, s->documents.count, s->universe.count);
	for (size_t d = 0; !err && d < s->documents.count; d++) {
		const struct coverage *c = s->documents.list[d];

		if (!text__is_known_equal(s->universe.build_id, c->kernel.build_id))
			continue;
		err = coverage__open_hits(c, HITS_FUNCTIONS, &hits);
		for (size_t i = 0; i < hits->count; i++) {
			const struct hit *hit = &hits->list[i];
			const struct function *f = hit->kind == HIT_FUNCTION ? universe__find(&s->universe, hit) : NULL;

			if (f)
				set__add(sets__at(&s->seen, d), f - s->universe.list);
		}
		coverage__close_hits(c, hits);
	}
	return err;
}

/* Functions of another build are matched by source file, if that build's files are found. */
static int find_others(struct why_sources *s)
{
	int err = 0;

	s->others = xcalloc(s->documents.count, sizeof(*s->others));
	for (size_t i = 0; !err && i < s->documents.count; i++) {
		const struct coverage *c = s->documents.list[i];

		if (c->kernel.build_id && !text__equals(s->universe.build_id, c->kernel.build_id))
			err = universe__of_build(&s->others[i], &c->kernel, &c->modules, NULL, true);
	}
	return err;
}

static int find_universe(struct why_sources *s, const char *vmlinux)
{
	const char *build_id = s->documents.count ? s->documents.list[0]->kernel.build_id : NULL;

	if (s->documents.count && (!vmlinux || (build_id && !kernel_id__check_vmlinux(vmlinux, build_id))))
		return of_documents(s, vmlinux);
	s->running = !s->documents.count && !vmlinux;
	return vmlinux ? universe__of_files(&s->universe, vmlinux, NULL, 0) : universe__of_running(&s->universe, NULL);
}

/* Recorded calls prove that functions ran which cannot be traced, or were entered earlier. */
static int find_edges(struct why_sources *s)
{
	const char *build_id = image__build_id(s->images.list[0].image);
	size_t count = 0;

	s->called = xcalloc(s->documents.count, sizeof(*s->called));
	for (size_t i = 0; i < s->documents.count; i++) {
		const struct coverage *c = s->documents.list[i];

		if (c->how.callers && text__is_known_equal(c->kernel.build_id, build_id))
			s->called[count++] = c;
	}
	return count ? edges__make(&s->edges, &s->images, s->called, count) : 0;
}

/* Opens vmlinux if it is found, and finds the modules. Without them, there are fewer answers. */
static int find_files(struct why_sources *s, const char *vmlinux, const char *modules)
{
	const struct kernel_id id = { .release = s->universe.release, .build_id = s->universe.build_id };
	autofree char *path = (s->running ? kernel_id__find_vmlinux : kernel_id__fetch_vmlinux)(&id, vmlinux);
	struct image *image;
	int err = path ? image__open(&image, path, NULL) : 0;

	if (!err && path) {
		images__of_vmlinux(&s->images, image);
		err = find_edges(s);
	}
	if (!err && (modules || id.release))
		s->modules = modules ? xstrdup(modules) : module_files__directory(vmlinux, id.release);
	if (s->modules && !modules && access(s->modules, R_OK)) {
		free(s->modules);
		s->modules = NULL;
	}
	return err;
}

int why__of_running(struct why *ret, const char *name, const char *vmlinux)
{
	struct why_sources s = { .running = true };
	int err = universe__of_running(&s.universe, vmlinux) ?: find_files(&s, vmlinux, NULL) ?:
		  why__find(ret, name, &s);

	close_sources(&s);
	return err;
}

/* ---- the command */

/* @ret_found: whether all names are known. */
static int answer(const struct why_options *o, const struct why_sources *s, bool *ret_found)
{
	autofree struct why *list = xcalloc(o->name_count, sizeof(*list));
	struct output *output = NULL;
	size_t count = 0;
	int err = 0;

	*ret_found = true;
	for (; !err && count < o->name_count; count++) {
		err = why__find(&list[count], o->names[count], s);
		*ret_found &= list[count].found;
	}
	if (!err)
		err = output__open(&output, o->result.output, NULL);
	if (!err && o->result.format == RESULT_JSON)
		why__write_json(list, count, &s->universe, output__stream(output));
	for (size_t i = 0; i < count; i++) {
		if (!err && o->result.format == RESULT_TEXT)
			why__print(&list[i], output__stream(output));
		why__free(&list[i]);
	}
	return output__finish(output, err);
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
	struct why_sources s = {};
	bool found = true;
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	err = documents__open(&s.documents, o.paths, o.path_count, &o.result) ?:
	      find_universe(&s, o.result.vmlinux) ?:
	      find_seen(&s) ?: find_others(&s);
	s.sums = o.result.format == RESULT_TEXT && s.documents.count >= DOCUMENTS_MANY;
	if (!err)
		err = find_files(&s, o.result.vmlinux, o.modules) ?: answer(&o, &s, &found);
	close_sources(&s);
	free(o.names);
	return err ? error__status(err, false) : found ? EXIT_DONE : EXIT_FAILED;
}
