// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace boot, and its commands that are views: each writes a boot, this one or that of a json file, in one of its
 * formats. This file has their options. It traces nothing.
 */
#include <argp.h>
#include <sys/utsname.h>
#include <tracefs.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/program.h"
#include "boot/compare.h"
#include "boot/next.h"
#include "kernel/features.h"
#include "run/output.h"

/* How many rows of a table the text lists. */
#define MOST_ROWS 10
/* For the help of each command. */
#define BOOT_EXIT_STATUS "Exit status: 0 done, 1 failed, or nothing is left of what was recorded, 2 usage, 3 the kernel or " \
			 "the privileges do not allow it."

struct boot_options {
	struct result_options result;
	size_t most;			/* 0: not given */
	const char *document;		/* NULL: this boot */
	const char *unit;		/* of critical-chain; NULL: not given */
	bool takes_unit;
};

/* A view. Returns 0, or a negative error after a message; errors of @out are found by the caller. */
typedef int boot_view(const struct boot *b, const struct boot_options *o, FILE *out);

/* ---- an answer */

/* Records this boot, or reads its document, and writes a view of it. @needs: for this boot. Returns the exit status. */
static int answer(const struct boot_options *o, unsigned int needs, boot_view *view)
{
	struct guard *guard = NULL;
	struct output *output;
	struct boot b;
	int failed, err = o->document ? boot__read(&b, o->document) : boot__record(&b, needs);

	if (!err && (needs & NEEDS_ACCOUNT))
		boot__losses(&b);
	if (!err)
		err = guard__start(&guard) ?: output__open(&output, o->result.output, guard);
	if (!err)
		err = output__finish(output, view(&b, o, output__stream(output)));
	boot__free(&b);
	failed = guard__finish(guard);
	return error__status(err ? err : failed, 0);
}

/* Takes an argument: a file ("a.json" or "-"), or the unit of critical-chain. */
static void take_argument(struct boot_options *o, char *arg, const struct argp_state *state)
{
	bool is_file = strstr(arg, ".json") || strchr(arg, '/') || !strcmp(arg, "-");

	if (!is_file && !o->takes_unit)
		argp_error(state, "%s: is no json file: there is no \".json\" in its name", arg);
	if (is_file ? o->document : o->unit)
		argp_error(state, "%s: one %s is enough", arg, is_file ? "file" : "unit");
	*(is_file ? &o->document : &o->unit) = arg;
}

/* ---- views */

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_SVG, FORMAT_CHROME, FORMAT_FOLDED, FORMAT_FTRACE };

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
	default:
		boot__text(b, o->most ?: MOST_ROWS, out);
	}
	return 0;
}

static int view_plot(const struct boot *b, const struct boot_options *o, FILE *out)
{
	boot__svg(b, out);
	return 0;
}

static int view_time(const struct boot *b, const struct boot_options *o, FILE *out)
{
	boot__time_text(b, out);
	return 0;
}

/* Without systemd, blame has the kernel's part. */
static int view_blame(const struct boot *b, const struct boot_options *o, FILE *out)
{
	if (!b->units.known && !b->has_start)
		return error__return(-EOPNOTSUPP, "what init has started is not known: %s", boot_units__why_not(&b->units));
	if (!b->units.known)
		error__warn("units are missing: %s", boot_units__why_not(&b->units));
	else if (!boot_units__complete(&b->units))
		error__warn(BOOT_NOT_COMPLETE, b->units.jobs);
	boot__blame(b, o->most ?: SIZE_MAX, o->result.format == RESULT_JSON, out);
	return 0;
}

static int view_chain(const struct boot *b, const struct boot_options *o, FILE *out)
{
	const struct boot_units *u = &b->units;
	const struct boot_unit *unit = o->unit ? boot_units__find_typed(u, o->unit) : boot_units__find(u, u->target);

	if (!u->known)
		return error__return(-EOPNOTSUPP, "what init has started is not known: %s", boot_units__why_not(u));
	if (!boot_units__complete(u))
		return error__return(-ENODATA, BOOT_NOT_COMPLETE, u->jobs);
	if (!unit)
		return error__return(-ENODATA, "no unit %s is known; `systemctl list-units --all` lists them",
				     o->unit ?: u->target ?: "(default target)");
	if (!boot_units__in_boot(u, unit))
		return error__return(-ENODATA, "the unit %s was not started, or not reached, in this boot", unit->name);
	if (o->result.format == RESULT_JSON)
		boot__chain_json(b, unit, out);
	else
		boot__chain_text(b, unit, out);
	return 0;
}

/* ---- options */

enum { KEY_NEXT = 256, KEY_RELEASE, KEY_FUZZ };

static const struct argp_option of_boot[] = {
	OPTION_FORMAT("text (default), json: everything, to be given as FILE later, svg: a picture, chrome: trace "
		      "events for Perfetto and chrome://tracing, folded: stacks for flame graphs, or ftrace: this "
		      "boot's events, also for Perfetto" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	{ "functions", 'n', "N", 0, "list the N longest initcalls, waits, probes and units, and the N functions with "
	  "the most calls, or with the longest times if returns were recorded (default: 10)", 0 },
	{ "next", KEY_NEXT, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "release", KEY_RELEASE, NULL, OPTION_HIDDEN, NULL, 0 },
	{ }
}, of_blame[] = {
	OPTION_FORMAT("text (default) or json" OPTION_FORMAT_BY_NAME), OPTION_OUTPUT,
	{ "most", 'n', "N", 0, "list the N longest only", 0 },
	{ }
}, of_chain[] = {
	OPTION_FORMAT("text (default) or json" OPTION_FORMAT_BY_NAME), OPTION_OUTPUT,
	{ "fuzz", KEY_FUZZ, "TIME", OPTION_HIDDEN, NULL, 0 },
	{ }
}, of_picture[] = { OPTION_OUTPUT, { } };

/* Of `hytrace boot`, which has formats of its own, and of its views. */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct boot_options *o = state->input;

	switch (key) {
	case 'n':
		o->most = option__number(state, o->result.formats ? "functions" : "most", arg, 1 << 24);
		break;
	case KEY_NEXT:
	case KEY_RELEASE:
		argp_error(state, "%s is a command: `hytrace boot %s`", key == KEY_NEXT ? "--next" : "--release",
			   key == KEY_NEXT ? "next" : "release");
		break;
	case KEY_FUZZ:
		argp_error(state, "--fuzz: critical-chain follows the last unit only; `hytrace boot -f json` has each "
			   "unit with its times, and what it was started after");
		break;
	case ARGP_KEY_ARG:
		take_argument(o, arg, state);
		break;
	case ARGP_KEY_END:
		if (o->result.formats && o->most && o->result.format)
			argp_error(state, "-n is for text: other formats have all");
		if (o->result.formats && o->document && o->result.format == FORMAT_FTRACE)
			argp_error(state, "-f ftrace: %s does not have the events themselves", o->document);
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* ---- the commands */

static const struct {
	const char *name;
	struct argp argp;
	struct boot_options options;	/* before they are parsed */
	unsigned int needs;
	boot_view *view;
} views[] = {
	{
		"blame", {
			.options = of_blame, .parser = parse, .args_doc = "[FILE.json]",
			.doc = "Lists all that took time in this boot, or in the boot in FILE.json, the longest first: the "
			       "units that systemd has started, and the kernel's initcalls, modules and probes of devices. "
			       "Items that run at the same time each count in full."
			       "\vExamples:\n"
			       "  hytrace boot blame -n 20\n"
			       "  hytrace boot blame boot.json\n\n"
			       "Exit status: 0 done, 1 failed, 2 usage, 3 neither systemd nor the events of initcalls are there.",
		}, {}, NEEDS_EVENTS | NEEDS_UNITS, view_blame,
	}, {
		"critical-chain", {
			.options = of_chain, .parser = parse, .args_doc = "[UNIT] [FILE.json]",
			.doc = "Shows what the default target, or UNIT, had to wait for in this boot, or in the boot in "
			       "FILE.json: the unit that became active last, of all units that it was ordered after; what "
			       "this unit had to wait for; and so on."
			       "\vExamples:\n"
			       "  hytrace boot critical-chain\n"
			       "  hytrace boot critical-chain ssh boot.json\n\n"
			       "Exit status: 0 done, 1 failed, or the boot is not complete yet, 2 usage, 3 there is no systemd.",
		}, { .takes_unit = true }, NEEDS_UNITS, view_chain,
	}, {
		"plot", {
			.options = of_picture, .parser = parse, .args_doc = "[FILE.json]",
			.doc = "Draws a picture of this boot, or of the boot in FILE.json, from the reset until systemd has "
			       "started all units: the same as `hytrace boot -f svg`."
			       "\vExamples:\n"
			       "  hytrace boot plot -o boot.svg\n"
			       "  hytrace boot plot boot.json >boot.svg && xdg-open boot.svg\n\n" BOOT_EXIT_STATUS,
		}, { .result.only = "plot is a picture; `hytrace boot -f json` has its times" }, NEEDS_ALL, view_plot,
	}, {
		"time", {
			.options = of_picture, .parser = parse, .args_doc = "[FILE.json]",
			.doc = "Prints how long each part of this boot, or of the boot in FILE.json, took, and no more."
			       "\vExamples:\n"
			       "  hytrace boot time\n"
			       "  hytrace boot time boot.json | head -n 5\n\n" BOOT_EXIT_STATUS,
		}, { .result.only = "time is a text; `hytrace boot -f json` has its rows in parts" }, NEEDS_ALL, view_time,
	},
};

/* @argv: the first word is "hytrace boot NAME" */
static int cmd_view(int argc, char **argv)
{
	struct boot_options o;
	size_t i = 0;

	while (strcmp(views[i].name, strrchr(argv[0], ' ') + 1))
		i++;
	o = views[i].options;
	return argp_parse(&views[i].argp, argc, argv, 0, NULL, &o) ? EXIT_USAGE : answer(&o, views[i].needs, views[i].view);
}

static int run(void *options)
{
	return answer(options, NEEDS_ALL, view);
}

/* ---- the next boot, and the end of this one's recording */

enum { KEY_EARLY = 512, KEY_NO_PROBES, KEY_GRUB, KEY_KERNEL, KEY_INITRD };

static const struct argp_option of_next[] = {
	{ "early", KEY_EARLY, "graph", OPTION_ARG_OPTIONAL, "trace all functions from before start_kernel() on, too; "
	  "with =graph, also how long each call takes", 0 },
	{ "no-probes", KEY_NO_PROBES, NULL, 0, "no kernel probes, which take some 10 ms each to set up: probes of "
	  "devices, the unpacking of the initramfs and consoles stay unknown", 0 },
	{ "grub", KEY_GRUB, NULL, 0, "make GRUB or systemd-boot start this kernel with this line, in the next boot "
	  "only", 0 },
	{ "kernel", KEY_KERNEL, "FILE", 0, "for REBOOT: the kernel's image (default: that of the running "
	  "kernel in /boot)", 0 },
	{ "initrd", KEY_INITRD, "FILE", 0, "for REBOOT: the initramfs (default: that of the running kernel; with "
	  "--kernel, none)", 0 },
	{ }
};

struct next_options {
	bool early, graph, no_probes, grub;
	const char *kernel, *initrd;
	char **reboot;			/* the command REBOOT; NULL: only print */
};

static error_t parse_next(int key, char *arg, struct argp_state *state)
{
	struct next_options *o = state->input;

	switch (key) {
	case KEY_EARLY:
		if (arg && strcmp(arg, "graph"))
			argp_error(state, "--early=%s: there are --early and --early=graph", arg);
		o->early = true;
		o->graph = arg;
		break;
	case KEY_NO_PROBES:
		o->no_probes = true;
		break;
	case KEY_GRUB:
		o->grub = true;
		break;
	case KEY_KERNEL:
		o->kernel = arg;
		break;
	case KEY_INITRD:
		o->initrd = arg;
		break;
	case ARGP_KEY_ARGS:
		if (!state->quoted)
			argp_error(state, "%s: a command that reboots comes after --", state->argv[state->next]);
		o->reboot = &state->argv[state->next];
		break;
	case ARGP_KEY_END:
		if (o->grub && o->reboot)
			argp_error(state, "--grub is for an ordinary reboot, and a command after -- for kexec: give one of them");
		if ((o->kernel || o->initrd) && !o->reboot)
			argp_error(state, "--kernel and --initrd are for a command that reboots: give it after --");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Prints the parameters, or takes them for the next boot. Only with REBOOT, reboots. */
static int print_next(const struct next_options *o)
{
	int err = o->early ? features__require(FEATURE_EARLY, NULL) : 0;
	autofree char *parameters = NULL, *line = NULL;
	struct utsname kernel;

	if (err)
		return err;
	if (o->early && !features__has(FEATURE_EARLY))
		error__warn("only root can see whether this kernel has very early function tracing; without it, ftrace= "
			    "traces all functions from later on, until it is turned off");
	uname(&kernel);
	parameters = boot_events__parameters(kernel.release, !o->no_probes);
	line = xasprintf("%s%s", parameters, o->graph ? " ftrace=function ftrace_early=graph" :
			 o->early ? " ftrace=function" : "");
	if (o->grub) {
		err = boot_next__add_entry("", kernel.release, line);
		if (!err)
			error__print("the next boot of this machine, and only that one, will be recorded");
	} else if (o->reboot) {
		err = boot_next__load(o->kernel, o->initrd, line) ?: boot_next__reboot(o->reboot);
	} else if (printf("%s\n", line) < 0 || fflush(stdout)) {
		err = error__return(-errno, "cannot write: %s", strerror(errno));
	}
	return err;
}

static int cmd_next(int argc, char **argv)
{
	static const struct argp argp = {
		.options = of_next,
		.parser = parse_next,
		.args_doc = "[-- REBOOT...]",
		.doc = "Prints a line for the kernel command line of the next boot: with it, hytrace boot can report "
		       "the initcalls. With --grub, the boot loader adds this line in the next boot. With REBOOT, "
		       "this kernel is loaded with this line for kexec, and REBOOT is run."
		       "\vExamples:\n"
		       "  hytrace boot next\n"
		       "  hytrace boot next --grub && reboot\n"
		       "  hytrace boot next -- systemctl kexec\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, 3 the kernel or the privileges do not allow it.",
	};
	struct next_options o = {};

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	return error__status(print_next(&o), 0);
}

static int cmd_release(int argc, char **argv)
{
	static const struct argp argp = {
		.doc = "Removes the events that this kernel keeps because of `hytrace boot next`, with their memory, "
		       "and the boot loader's entry of --grub. Then hytrace boot cannot report the initcalls any "
		       "more."
		       "\vExamples:\n"
		       "  hytrace boot release\n"
		       "  hytrace boot -f json -o boot.json && hytrace boot release\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, 3 the kernel or the privileges do not allow it.",
	};
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, NULL))
		return EXIT_USAGE;
	err = features__require(FEATURE_BOOT, NULL);
	return error__status(err ?: boot_events__release(tracefs_tracing_dir()) ?: boot_next__remove_entry(""), 0);
}

/* ---- all */

int cmd_boot(int argc, char **argv)
{
	static const struct command commands[] = {
		{ "blame", "hytrace boot blame", cmd_view, "list all that took time, the longest first" },
		{ "critical-chain", "hytrace boot critical-chain", cmd_view,
		  "show what the default target had to wait for" },
		{ "compare", "hytrace boot compare", cmd_boot_compare,
		  "compare two boots, or several of each of two kernels" },
		{ "next", "hytrace boot next", cmd_next, "print what the command line of the next boot needs" },
		{ "plot", "hytrace boot plot", cmd_view, "draw a picture: the same as -f svg" },
		{ "release", "hytrace boot release", cmd_release, "give the memory of this boot's events back" },
		{ "time", "hytrace boot time", cmd_view, "print how long each part of the boot took, and no more" },
	};
	static const struct argp argp = { .options = of_boot, .parser = parse };
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
