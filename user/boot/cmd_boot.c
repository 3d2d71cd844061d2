// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace boot: writes a boot, this one or that of a json file, in one of its formats. This file has
 * the options, and those of plot, time and release. It traces nothing.
 */
#include <argp.h>
#include <errno.h>
#include <string.h>
#include <tracefs.h>

#include "base/error.h"
#include "base/program.h"
#include "boot/commands.h"
#include "boot/record.h"
#include "kernel/features.h"
#include "run/output.h"

/* How many rows of a table the text lists. */
#define MOST_ROWS 10

/* ---- an answer */

static int write_view(const struct boot *b, const struct boot_options *o, boot_view *view, struct guard *guard)
{
	struct output *output;
	int err = output__open(&output, o->result.output, guard);

	return err ? err : output__finish(output, view(b, o, output__stream(output)));
}

int boot__answer(const struct boot_options *o, unsigned int needs, boot_view *view)
{
	struct guard *guard = NULL;
	struct boot b;
	int failed, err = o->document ? boot__read(&b, o->document) : boot__record(&b, needs);

	if (!err && (needs & NEEDS_ACCOUNT))
		boot__losses(&b);
	if (!err)
		err = guard__start(&guard);
	if (!err)
		err = write_view(&b, o, view, guard);
	boot__free(&b);
	failed = guard__finish(guard);
	return error__status(err ? err : failed, 0);
}

void boot_options__argument(struct boot_options *o, char *arg, const struct argp_state *state)
{
	bool is_file = strstr(arg, ".json") || strchr(arg, '/') || !strcmp(arg, "-");

	if (!is_file && !o->takes_unit)
		argp_error(state, "%s: is no json file: there is no \".json\" in its name", arg);
	if (is_file ? o->document : o->unit)
		argp_error(state, "%s: one %s is enough", arg, is_file ? "file" : "unit");
	*(is_file ? &o->document : &o->unit) = arg;
}

/* ---- views */

/* FORMAT_TIME is that of `hytrace boot time`. */
enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_SVG, FORMAT_CHROME, FORMAT_FOLDED, FORMAT_FTRACE, FORMAT_TIME };

static const char *const formats[] = {
	[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", [FORMAT_SVG] = "svg", [FORMAT_CHROME] = "chrome",
	[FORMAT_FOLDED] = "folded", [FORMAT_FTRACE] = "ftrace", NULL,
};

static int view(const struct boot *b, const struct boot_options *o, FILE *out)
{
	switch (o->result.format) {
	case FORMAT_JSON:
		boot__write(b, out);
		break;
	case FORMAT_SVG:
		boot__svg(b, out);
		break;
	case FORMAT_CHROME:
		boot__chrome(b, out);
		break;
	case FORMAT_FOLDED:
		return boot__folded(b, out);
	case FORMAT_FTRACE:
		/* Not a view of the document: the events themselves, which it does not have. */
		return boot_events__copy(tracefs_tracing_dir(), out);
	case FORMAT_TIME:
		boot__time_text(b, out);
		break;
	default:
		boot__text(b, o->most ?: MOST_ROWS, out);
	}
	return 0;
}

/* ---- the commands */

enum { KEY_NEXT = 256, KEY_RELEASE };

static const struct argp_option options[] = {
	OPTION_FORMAT("text (default), json: everything, to be given as FILE later, svg: a picture, chrome: trace "
		      "events for Perfetto and chrome://tracing, folded: stacks for flame graphs, or ftrace: this "
		      "boot's events, also for Perfetto" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	{ "functions", 'n', "N", 0, "list the N longest initcalls, waits, probes and units, and the N functions with "
	  "the most calls, or with the longest times if returns were recorded (default: 10)", 0 },
	{ "next", KEY_NEXT, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "release", KEY_RELEASE, NULL, OPTION_HIDDEN, NULL, 0 },
	{ }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct boot_options *o = state->input;

	switch (key) {
	case 'n':
		o->most = option__number(state, "functions", arg, 1 << 24);
		break;
	case KEY_NEXT:
	case KEY_RELEASE:
		argp_error(state, "%s is a command: `hytrace boot %s`", key == KEY_NEXT ? "--next" : "--release",
			   key == KEY_NEXT ? "next" : "release");
		break;
	case ARGP_KEY_END:
		if (o->most && o->result.format)
			argp_error(state, "-n is for text: other formats have all");
		if (o->document && o->result.format == FORMAT_FTRACE)
			argp_error(state, "-f ftrace: %s does not have the events themselves", o->document);
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

static int run(void *options)
{
	return boot__answer(options, NEEDS_ALL, view);
}

/* plot and time have no other options than -o, and one argument. */
static error_t parse_view(int key, char *arg, struct argp_state *state)
{
	struct boot_options *o = state->input;

	if (key == ARGP_KEY_ARG) {
		boot_options__argument(o, arg, state);
		return 0;
	}
	return result_options__parse(&o->result, key, arg, state);
}

static const struct argp_option of_view[] = { OPTION_OUTPUT, { } };

static int cmd_plot(int argc, char **argv)
{
	static const struct argp argp = {
		.options = of_view, .parser = parse_view, .args_doc = "[FILE.json]",
		.doc = "Draws a picture of this boot, or of the boot in FILE.json, from the reset until systemd has "
		       "started all units: the same as `hytrace boot -f svg`."
		       "\vExamples:\n"
		       "  hytrace boot plot -o boot.svg\n"
		       "  hytrace boot plot boot.json >boot.svg && xdg-open boot.svg\n\n" BOOT_EXIT_STATUS,
	};
	struct boot_options o = { .result.only = "plot is a picture; `hytrace boot -f json` has its times" };

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	o.result.format = FORMAT_SVG;
	return run(&o);
}

static int cmd_time(int argc, char **argv)
{
	static const struct argp argp = {
		.options = of_view, .parser = parse_view, .args_doc = "[FILE.json]",
		.doc = "Prints how long each part of this boot, or of the boot in FILE.json, took, and no more."
		       "\vExamples:\n"
		       "  hytrace boot time\n"
		       "  hytrace boot time boot.json | head -n 5\n\n" BOOT_EXIT_STATUS,
	};
	struct boot_options o = { .result.only = "time is a text; `hytrace boot -f json` has its rows in parts" };

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	o.result.format = FORMAT_TIME;
	return run(&o);
}

int cmd_boot(int argc, char **argv)
{
	static const struct command commands[] = {
		{ "blame", "hytrace boot blame", cmd_boot_blame, "list all that took time, the longest first" },
		{ "critical-chain", "hytrace boot critical-chain", cmd_boot_chain,
		  "show what the default target had to wait for" },
		{ "compare", "hytrace boot compare", cmd_boot_compare,
		  "compare two boots, or several of each of two kernels" },
		{ "next", "hytrace boot next", cmd_boot_next, "print what the command line of the next boot needs" },
		{ "plot", "hytrace boot plot", cmd_plot, "draw a picture: the same as -f svg" },
		{ "release", "hytrace boot release", cmd_boot_release, "give the memory of this boot's events back" },
		{ "time", "hytrace boot time", cmd_time, "print how long each part of the boot took, and no more" },
	};
	static const struct argp argp = { .options = options, .parser = parse };
	struct boot_options o = { .result.formats = formats };
	const struct command_table table = {
		.list = commands,
		.count = sizeof(commands) / sizeof(commands[0]),
		.run = run,
		.argp = &argp,
		.options = &o,
		.file = &o.document,
		.doc = "Reports this boot, or the boot in FILE, which -f json has written: how long each part took, "
		       "from the reset until systemd has started all units; the initcalls, modules, waits and "
		       "probes, if the kernel command line had what `hytrace boot next` prints; and the calls from "
		       "before start_kernel() on until ftrace was ready, if it had ftrace=function or "
		       "ftrace=oneshot, on a kernel with very early function tracing.",
		.where = "Examples:\n"
			 "  hytrace boot -n 30\n"
			 "  hytrace boot -o boot.json\n"
			 "  hytrace boot boot.json -f chrome -o boot.trace\n"
			 "  hytrace boot plot boot.json -o boot.svg\n\n" BOOT_EXIT_STATUS,
	};

	argp_err_exit_status = EXIT_USAGE;
	return command__run(&table, argc, argv);
}
