// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace functions: what can be traced, and why other functions cannot, of the running kernel or
 * of files.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/program.h"
#include "document/filter.h"
#include "kernel/elf_file.h"
#include "report/commands.h"
#include "report/report.h"
#include "report/running.h"
#include "report/universes.h"
#include "run/output.h"

enum { KEY_MODULE = 256, KEY_MODULES, KEY_TRACEABLE, KEY_UNTRACED };

static const struct argp_option options[] = {
	OPTION_FORMAT("text (default) or json" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	{ "traceable", KEY_TRACEABLE, NULL, 0, "only functions that can be traced", 0 },
	{ "untraced", KEY_UNTRACED, NULL, 0, "only functions that cannot be traced", 0 },
	OPTION_VMLINUX("use this kernel's file instead of the running kernel"),
	{ "module", KEY_MODULE, "FILE", 0, "with --vmlinux: also use this module's file", 0 },
	{ "modules", KEY_MODULES, "DIR", 0, "with --vmlinux: also use all modules below DIR", 0 },
	{ }
};

struct functions_options {
	struct filter filter;	/* only its allow is used */
	struct result_options result;
	struct module_file *modules;	/* owns the names and paths */
	size_t module_count;
	size_t found_count;	/* module files found in directories, including those left out */
	bool traceable, untraced;
};

static const struct module_file *find_module(const struct functions_options *o, const char *name)
{
	for (size_t i = 0; i < o->module_count; i++) {
		if (!strcmp(o->modules[i].name, name))
			return &o->modules[i];
	}
	return NULL;
}

static int add_module(struct functions_options *o, const char *path)
{
	char *name = module_file__name(path);
	const struct module_file *had = name ? find_module(o, name) : NULL;

	if (!name)
		return error__return(-EINVAL, "%s: a module's file ends with .ko, .ko.gz, .ko.xz or .ko.zst", path);
	if (had) {
		free(name);
		return error__return(-EINVAL, "%s: %s is given for the module %s already: give one of them", path,
				     had->path, had->name);
	}
	*LIST_ADD(o->modules, o->module_count) = (struct module_file){ .name = name, .path = xstrdup(path) };
	return 0;
}

/* A directory may have several files of one module. The kernel loads only one of them. */
static int add_found(const char *path, void *context)
{
	struct functions_options *o = context;
	char *name = module_file__name(path);
	const struct module_file *had = name ? find_module(o, name) : NULL;

	if (had)
		error__warn("%s: is left out: the functions of the module %s are those of %s", path, name, had->path);
	free(name);
	o->found_count++;
	return had ? 0 : add_module(o, path);
}

static int add_directory(struct functions_options *o, const char *directory)
{
	size_t before = o->found_count;
	int err = module_files__each(directory, add_found, o);

	if (!err && o->found_count == before)
		err = error__return(-EINVAL, "%s: there is no module below it", directory);
	return err;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct functions_options *o = state->input;

	switch (key) {
	case KEY_TRACEABLE:
		o->traceable = true;
		break;
	case KEY_UNTRACED:
		o->untraced = true;
		break;
	case KEY_MODULE:
		if (add_module(o, arg))
			exit(EXIT_USAGE);
		break;
	case KEY_MODULES:
		if (add_directory(o, arg))
			exit(EXIT_USAGE);
		break;
	case ARGP_KEY_ARG:
		if (globs__add(&o->filter.allow, arg))
			exit(EXIT_USAGE);
		break;
	case ARGP_KEY_END:
		if (o->traceable && o->untraced)
			argp_error(state, "--traceable and --untraced exclude each other");
		if (o->module_count && !o->result.vmlinux)
			argp_error(state, "--module and --modules are for files: give --vmlinux as well");
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* ---- the functions that were asked for */

static bool is_named(const struct functions_options *o, const struct function *f)
{
	return filter__judge(&o->filter, f->name, f->module) == FILTER_TRACED;
}

static bool is_wanted(const struct functions_options *o, const struct function *f)
{
	return is_named(o, f) && !(o->traceable && f->untraced) && !(o->untraced && !f->untraced);
}

static int select_functions(const struct functions_options *o, struct universe *u)
{
	size_t kept = 0, named = 0;

	for (size_t i = 0; i < u->count; i++) {
		named += is_named(o, &u->list[i]);
		if (is_wanted(o, &u->list[i]))
			u->list[kept++] = u->list[i];
	}
	u->some = o->filter.allow.count || o->traceable || o->untraced;
	u->count = kept;
	/* Functions have moved, so they must be sorted and indexed again. */
	universe__settle(u);
	if (!named && o->filter.allow.count)
		return error__return(-EINVAL, "%s%s: no function has such a name; `hytrace why` looks for similar ones",
				     o->filter.allow.list[0].text, o->filter.allow.count > 1 ? " and others" : "");
	return 0;
}

static int write_universe(const struct functions_options *o, const struct universe *u)
{
	struct output *output;
	int err;

	err = output__open(&output, o->result.output, NULL);
	if (err)
		return err;
	if (o->result.format == RESULT_JSON)
		universe__write_json(u, output__stream(output));
	else
		report__functions(u, output__stream(output));
	return output__finish(output, 0);
}

int cmd_functions(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[GLOB...]",
		.doc = "Lists the functions of a kernel: which of them can be traced, where they are, and for each "
		       "of the others why it cannot be traced. GLOBs are as for `hytrace cover -a`."
		       "\vExamples:\n"
		       "  hytrace functions 'vfs_*'\n"
		       "  hytrace functions -f json --vmlinux vmlinux --modules /lib/modules/6.12.1 -o kernel.json\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, bad files, or no such function, 3 the kernel or the "
		       "privileges do not allow it.",
	};
	struct functions_options o = {};
	struct universe u = {};
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	if (o.result.vmlinux)
		err = universe__of_files(&u, o.result.vmlinux, o.modules, o.module_count);
	else
		err = universe__of_running(&u, NULL);
	if (!err)
		err = select_functions(&o, &u);
	if (!err)
		err = write_universe(&o, &u);
	universe__free(&u);
	filter__free(&o.filter);
	for (size_t i = 0; i < o.module_count; i++) {
		free((char *)o.modules[i].name);
		free((char *)o.modules[i].path);
	}
	free(o.modules);
	return error__status(err, false);
}
