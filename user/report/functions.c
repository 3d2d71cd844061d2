// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace functions: what can be traced, and why other functions cannot, of the running kernel or
 * of files.
 */
#include <argp.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/table.h"
#include "document/filter.h"
#include "image/image.h"
#include "kernel/elf_file.h"
#include "kernel/traceable.h"
#include "report/commands.h"
#include "report/images.h"
#include "run/output.h"

enum { COLUMN_NAME, COLUMN_PLACE, COLUMN_TRACEABLE };

static void add_line(struct libscols_table *table, const struct function *f)
{
	struct libscols_line *line = table__line(table, NULL);

	table__printf(line, COLUMN_NAME, f->module ? "%s [%s]" : "%s", f->name, f->module);
	/* "fs/read_write.c:460", or only the file; empty: unknown. */
	table__printf(line, COLUMN_PLACE, f->file ? "%s:%u" : "%s", f->file ?: f->unit ?: "", f->line);
	table__printf(line, COLUMN_TRACEABLE, f->untraced ? "no: %s" : f->init ? "at start" : "yes", f->untraced);
}

/* Prints "9 functions: 5 can be traced, 1 only at start, 3 cannot: noinstr 2, file 1". */
static void print_totals(const struct universe *u, FILE *out)
{
	size_t traceable = 0, at_start = 0, untraced = 0, reasons[UNTRACED_COUNT] = {};
	const char *between = ":";

	for (size_t i = 0; i < u->count; i++) {
		traceable += !u->list[i].untraced && !u->list[i].init;
		at_start += !u->list[i].untraced && u->list[i].init;
		untraced += u->list[i].untraced != NULL;
		reasons[untraced__of_word(u->list[i].untraced)]++;
	}
	fprintf(out, "\n%zu functions: %zu can be traced, %zu only at the start of the kernel or its module, "
		"%zu cannot", u->count, traceable, at_start, untraced);
	for (int i = UNTRACED_NOT + 1; i < UNTRACED_COUNT; i++) {
		if (!reasons[i])
			continue;
		fprintf(out, "%s %s %zu", between, untraced__word(i), reasons[i]);
		between = ",";
	}
	fputc('\n', out);
}

static void print_functions(const struct universe *u, FILE *out)
{
	struct libscols_table *table = table__new(out);

	table__column(table, "FUNCTION", 0, 0);
	table__column(table, "SOURCE", 0, 0);
	table__column(table, "TRACEABLE", 0, 0);
	for (size_t i = 0; i < u->count; i++)
		add_line(table, &u->list[i]);
	table__print(table);
	print_totals(u, out);
}

/* ---- the command */

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
	autofree char *name = module_file__name(path);
	const struct module_file *had = name ? find_module(o, name) : NULL;

	if (had)
		error__warn("%s: is left out: the functions of the module %s are those of %s", path, name, had->path);
	o->found_count++;
	return had ? 0 : add_module(o, path);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct functions_options *o = state->input;
	size_t found;

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
		found = o->found_count;
		if (module_files__each(arg, add_found, o))
			exit(EXIT_USAGE);
		if (o->found_count == found)
			exit(error__return(EXIT_USAGE, "%s: there is no module below it", arg));
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

static int select_functions(const struct functions_options *o, struct universe *u)
{
	size_t kept = 0, named = 0;

	for (size_t i = 0; i < u->count; i++) {
		bool is_named = filter__judge(&o->filter, u->list[i].name, u->list[i].module) == FILTER_TRACED;

		named += is_named;
		if (is_named && !(u->list[i].untraced ? o->traceable : o->untraced))
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
	int err = output__open(&output, o->result.output, NULL);

	if (err)
		return err;
	(o->result.format == RESULT_JSON ? universe__write_json : print_functions)(u, output__stream(output));
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
	err = err ?: select_functions(&o, &u) ?: write_universe(&o, &u);
	universe__free(&u);
	filter__free(&o.filter);
	for (size_t i = 0; i < o.module_count; i++) {
		free((char *)o.modules[i].name);
		free((char *)o.modules[i].path);
	}
	free(o.modules);
	return error__status(err, false);
}
