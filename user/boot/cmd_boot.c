// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace boot: reports this boot: the early part, as recorded by very early function tracing, and
 * the part from the initcalls on, as recorded by trace events, on any kernel. This file has the
 * options and calls the parts of the report. It traces nothing.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/program.h"
#include "boot/asked.h"
#include "boot/commands.h"
#include "boot/report.h"
#include "boot/start_load.h"
#include "boot/whole.h"
#include "kernel/features.h"
#include "run/output.h"

/* How many functions the text lists. The json has all. */
#define MOST_FUNCTIONS 10

enum { KEY_NEXT = 256, KEY_RELEASE };

static const struct argp_option options[] = {
	OPTION_FORMAT("text (default), json, svg: a picture, chrome: trace events for Perfetto and chrome://tracing, or "
		      "folded: stacks for flame graphs" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	{ "functions", 'n', "N", 0, "list the N functions with the most calls, or with the longest times if these are "
	  "known, and the N longest initcalls (default: 10 in text, all in json)", 0 },
	{ "next", KEY_NEXT, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "release", KEY_RELEASE, NULL, OPTION_HIDDEN, NULL, 0 },
	{ }
};

static const char *const formats[] = {
	[BOOT_TEXT] = "text", [BOOT_JSON] = "json", [BOOT_SVG] = "svg", [BOOT_CHROME] = "chrome",
	[BOOT_FOLDED] = "folded", NULL,
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
		if (o->most && o->result.format > BOOT_JSON)
			argp_error(state, "-n is for text and json: pictures and stacks have all");
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* Early calls are of vmlinux, so their names need no files of modules. */
static int load_oneshot(struct boot_report *r, const char *dir)
{
	struct places places = { .kernel = &r->kernel };

	return kernel__load(&r->kernel, KERNEL_LISTS | KERNEL_SITES, NULL) ?:
	       early_calls__load_oneshot(&r->calls, &r->stats, dir, &places);
}

/* Does the error mean that a part of the report does not exist, or cannot be read? */
static bool is_missing(int err)
{
	return err == -EOPNOTSUPP || err == -ENODATA || err == -EPROTO;
}

static int load(struct boot_report *r, const char *dir)
{
	int err = kernel__load(&r->kernel, KERNEL_ID, NULL);

	if (err)
		return err;
	early_calls__init(&r->calls);
	r->boot_id = kernel_id__boot_id();
	machine__read(&r->machine);
	if (!r->early)
		return 0;
	if (!strcmp(r->stats.tracer, "oneshot"))
		err = load_oneshot(r, dir);
	else
		err = early_calls__load(&r->calls, &r->stats, dir, &r->missing);
	/* A message has told why. Go on with the kernel's events. */
	if (r->start && is_missing(err)) {
		r->early = false;
		return 0;
	}
	boot_report__measure_cost(r);
	if (!err)
		boot_report__analyse(r);
	return err;
}

static int write_report(const struct boot_report *r, const struct boot_options *o, FILE *out)
{
	size_t most = o->most;

	switch (o->result.format) {
	case BOOT_JSON:
		boot_report__json(r, most ? most : SIZE_MAX, out);
		break;
	case BOOT_CHROME:
		boot_report__chrome(r, out);
		break;
	case BOOT_SVG:
		boot_report__svg(r, out);
		break;
	case BOOT_FOLDED:
		return boot_report__folded(r, out);
	case BOOT_TIME:
		boot_whole__text(r->whole, out);
		break;
	default:
		boot_report__text(r, most ? most : MOST_FUNCTIONS, out);
	}
	return 0;
}

/* Loads the parts of the boot before and after the kernel's part. */
static void load_whole(struct boot_report *r, struct boot_whole *whole, const char *dir)
{
	bool first_known = r->early && !boot_report__is_oneshot(r) && !strcmp(r->stats.clock, "x86-tsc");

	r->whole = whole;
	boot_whole__load(whole, dir, r->start, first_known ? &r->stats.first : NULL);
}

static int report(struct boot_report *r, struct boot_whole *whole, const struct boot_options *o,
		  const char *dir, struct guard *guard)
{
	struct output *output;
	int err;

	err = output__open(&output, o->result.output, guard);
	if (err)
		return err;
	err = load(r, dir);
	if (!err) {
		load_whole(r, whole, dir);
		boot_report__losses(r);
		err = write_report(r, o, output__stream(output));
	}
	return output__finish(output, err);
}

/*
 * Finds the recorded parts of the kernel's boot. If there is none, a message tells why. systemd's
 * part is there after any boot.
 */
static int find_parts(struct boot_report *r, struct boot_start *start, const char *dir)
{
	int err = boot_start__load(start, dir);
	bool early = early_stats__asked(dir), units = boot_units__are_here();

	if (!err) {
		r->start = start;
		start->event_ns = boot_start__measure_events(dir);
	} else {
		boot_start__free(start);
	}
	/* A message has told why. Go on with early calls or units, if there are any. */
	if (err && err != -ENOENT && !(is_missing(err) && (early || units)))
		return err;
	if (r->start && !early)
		return 0;
	if (!early && units) {
		if (err == -ENOENT)
			error__warn("this boot was not asked for the events of initcalls and modules; `hytrace boot "
				    "next` prints what the next one needs");
		return 0;
	}
	if (!early && err == -ENOENT)
		return error__return(-EOPNOTSUPP, "this boot was not asked for the events of initcalls and modules, and "
				     "there is no systemd to tell its part: `hytrace boot next` prints what the next "
				     "boot needs, which any kernel since Linux 6.1 understands");
	err = early_stats__load(&r->stats, dir);
	r->early = !err;
	return r->start && is_missing(err) ? 0 : err;
}

int boot__report(const struct boot_options *o)
{
	const char *dir;
	struct boot_report r = {};
	struct boot_start start = {};
	struct boot_whole whole = {};
	struct guard *guard = NULL;
	int err, failed;

	err = features__require(FEATURE_BOOT, NULL);
	dir = tracefs_tracing_dir();
	if (!err) {
		err = find_parts(&r, &start, dir);
		boot_asked__explain(r.start, r.early);
	}
	if (!err)
		err = guard__start(&guard);
	if (!err)
		err = report(&r, &whole, o, dir, guard);
	boot_report__free(&r);
	failed = guard__finish(guard);
	return error__status(err ? err : failed, 0);
}

static int run(void *options)
{
	return boot__report(options);
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
		{ "plot", "hytrace boot plot", cmd_boot_plot, "draw a picture: the same as -f svg" },
		{ "release", "hytrace boot release", cmd_boot_release, "give the memory of this boot's events back" },
		{ "time", "hytrace boot time", cmd_boot_time, "print how long each part of the boot took, and no more" },
	};
	static const struct argp argp = { .options = options, .parser = parse };
	struct boot_options o = { .result.formats = formats };
	const struct command_table table = {
		.list = commands,
		.count = sizeof(commands) / sizeof(commands[0]),
		.run = run,
		.argp = &argp,
		.options = &o,
		.doc = "Reports the boot of this kernel, from the reset until systemd has started all units: its "
		       "initcalls and modules, and when init was started, if "
		       "the kernel command line had what `hytrace boot next` prints; and what ran from before "
		       "start_kernel() until the ordinary tracer took over, if it had ftrace=function or "
		       "ftrace=oneshot, on a kernel with very early function tracing.",
		.where = "Examples:\n"
			 "  hytrace boot -n 30\n"
			 "  hytrace boot plot -o boot.svg\n"
			 "  hytrace boot time\n"
			 "  hytrace boot -f chrome -o boot.trace\n\n"
			 "Exit status: 0 done, 1 failed, or "
			 "nothing of it is left, 2 usage, 3 the kernel or the privileges do not allow "
			 "it.",
	};

	argp_err_exit_status = EXIT_USAGE;
	return command__run(&table, argc, argv);
}
