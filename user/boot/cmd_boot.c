// SPDX-License-Identifier: GPL-2.0-only
/*
 * hytrace boot: reports this boot: the early part, as very early function tracing has recorded it,
 * and the part from the initcalls on, as trace events tell on any kernel. This has the options and
 * calls the other parts. It traces nothing.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/command.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "boot/asked.h"
#include "boot/commands.h"
#include "boot/next.h"
#include "boot/report.h"
#include "boot/start_load.h"
#include "boot/whole.h"
#include "kernel/features.h"
#include "run/output.h"

/* How many functions the text lists. Documents have all. */
#define MOST_FUNCTIONS 10

enum boot_format { BOOT_TEXT, BOOT_JSON, BOOT_SVG, BOOT_CHROME, BOOT_FOLDED, BOOT_TIME };

struct boot_options {
	struct result_options result;
	size_t most;			/* 0: not given */
	bool next, early, graph, no_probes, bootconfig, release, plot, time;
	const char *kernel, *initrd;	/* of the next boot */
	char **reboot;			/* its command; NULL: only print */
};

enum { OPTION_NEXT = 0x100, OPTION_EARLY, OPTION_NO_PROBES, OPTION_BOOTCONFIG, OPTION_KERNEL,
       OPTION_INITRD, OPTION_RELEASE };

static const struct argp_option options[] = {
	OPTION_FORMAT("text (default), json, svg: a picture, chrome: trace events for Perfetto and chrome://tracing, or "
		      "folded: stacks for flame graphs" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	{ "functions", 'n', "N", 0, "list the N functions with the most calls, or with the longest times if these are "
	  "known, and the N longest initcalls (default: 10 in text, all in json)", 0 },
	{ "next", OPTION_NEXT, NULL, 0, "print what the kernel command line of the next boot needs, so that "
	  "that boot can be reported; with REBOOT, load this kernel with it for kexec, and run REBOOT", 0 },
	{ "early", OPTION_EARLY, "graph", OPTION_ARG_OPTIONAL, "with --next: trace all functions from before "
	  "start_kernel() on, too; with =graph, also how long each call takes", 0 },
	{ "no-probes", OPTION_NO_PROBES, NULL, 0, "with --next: no kernel probes, which take some 10 ms each "
	  "to set up: probes of devices, the unpacking of the initramfs and consoles are not told", 0 },
	{ "bootconfig", OPTION_BOOTCONFIG, NULL, 0, "with --next: print a bootconfig for the end of the "
	  "initramfs, in place of a command line", 0 },
	{ "kernel", OPTION_KERNEL, "FILE", 0, "with --next -- REBOOT: the kernel's image (default: that of the "
	  "running kernel in /boot)", 0 },
	{ "initrd", OPTION_INITRD, "FILE", 0, "the same for its initramfs", 0 },
	{ "release", OPTION_RELEASE, NULL, 0, "remove what --next has made this kernel keep, with its "
	  "memory; hytrace boot cannot report the initcalls any more", 0 },
	{ }
};

static const char *const formats[] = {
	[BOOT_TEXT] = "text", [BOOT_JSON] = "json", [BOOT_SVG] = "svg", [BOOT_CHROME] = "chrome",
	[BOOT_FOLDED] = "folded", NULL,
};

/* What can be asked besides the report. --help lists them. */
static const struct command words[] = {
	{ "blame", "hytrace boot blame", cmd_boot_blame, NULL },
	{ "critical-chain", "hytrace boot critical-chain", cmd_boot_chain, NULL },
	{ "compare", "hytrace boot compare", cmd_boot_compare, NULL },
};

#define WORDS (sizeof(words) / sizeof(words[0]))

/*
 * These have options of their own, so they have to come first.
 * @reboots: @arg may be any other command
 */
static void refuse_word(struct argp_state *state, const char *arg, bool reboots)
{
	for (size_t i = 0; i < WORDS; i++) {
		if (!strcmp(arg, words[i].name))
			argp_error(state, "%s: has to come before its options: `%s [OPTION...]`", arg,
				   words[i].full_name);
	}
	if (reboots)
		return;
	argp_error(state, "%s: no such command; there are blame, compare, critical-chain, plot and time, and "
		   "systemd-analyze(1) may have others", arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct boot_options *o = state->input;

	switch (key) {
	case 'n':
		o->most = option__number(state, "functions", arg, 1 << 24);
		break;
	case OPTION_NEXT:
		o->next = true;
		break;
	case OPTION_EARLY:
		if (arg && strcmp(arg, "graph"))
			argp_error(state, "--early=%s: there are --early and --early=graph", arg);
		o->early = true;
		o->graph = arg;
		break;
	case OPTION_NO_PROBES:
		o->no_probes = true;
		break;
	case OPTION_BOOTCONFIG:
		o->bootconfig = true;
		break;
	case OPTION_KERNEL:
		o->kernel = arg;
		break;
	case OPTION_INITRD:
		o->initrd = arg;
		break;
	case OPTION_RELEASE:
		o->release = true;
		break;
	case ARGP_KEY_ARG:
		/* The words that systemd-analyze has for it. No command that reboots has these names. */
		if (state->arg_num)
			return ARGP_ERR_UNKNOWN;
		o->plot = !strcmp(arg, "plot");
		o->time = !strcmp(arg, "time");
		return o->plot || o->time ? 0 : ARGP_ERR_UNKNOWN;
	case ARGP_KEY_ARGS:
		if (!o->next && (o->plot || o->time))
			argp_error(state, "%s: %s takes no arguments", state->argv[state->next],
				   o->plot ? "plot" : "time");
		refuse_word(state, state->argv[state->next], o->next);
		o->reboot = &state->argv[state->next];
		break;
	case ARGP_KEY_END:
		if ((o->early || o->no_probes || o->bootconfig) && !o->next)
			argp_error(state, "%s is for --next", o->early ? "--early" : o->no_probes ? "--no-probes" :
				   "--bootconfig");
		if (o->bootconfig && (o->early || o->reboot))
			argp_error(state, "--bootconfig takes neither --early, as the kernel reads it too late for "
				   "ftrace=, nor a command that reboots");
		if (o->next && (o->result.output || o->result.format_given || o->most))
			argp_error(state, "--next prints parameters to standard output, and takes neither -f nor -n nor "
				   "-o");
		if ((o->kernel || o->initrd) && !o->reboot)
			argp_error(state, "--kernel and --initrd are for --next with a command that reboots");
		if (o->release && (o->next || o->result.output || o->result.format_given || o->most || o->plot ||
				   o->time))
			argp_error(state, "--release takes no other option");
		if (o->plot && (o->result.format_given || o->next || o->result.format == BOOT_JSON))
			argp_error(state, "plot is -f svg, and takes neither another format nor --next");
		if (o->time && (o->result.format_given || o->next || o->most || o->result.format != BOOT_TEXT))
			argp_error(state, "time is a text, and takes neither a format nor -n nor --next; `hytrace boot "
				   "-f json` has the same as parts");
		if (o->most && (o->plot || o->result.format > BOOT_JSON))
			argp_error(state, "-n is for text and json: pictures and stacks have all");
		if (o->plot)
			o->result.format = BOOT_SVG;
		else if (o->time)
			o->result.format = BOOT_TIME;
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* Early addresses are the kernel's own, so their names need no files of modules. */
static int load_oneshot(struct boot_report *r, const char *dir)
{
	struct places places = { .kernel = &r->kernel };

	return kernel__load(&r->kernel, KERNEL_LISTS | KERNEL_SITES, NULL) ?:
	       early_calls__load_oneshot(&r->calls, &r->stats, dir, &places);
}

/* One part of the report is not there, or cannot be read. */
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
	/* A message has told why. The other part is there. */
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

/* What came before and after the kernel's part. */
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
 * Which parts of the kernel's boot are there? If there is none, a message tells why. systemd tells its
 * part of any boot.
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
	/* A message has told why. The other parts may be there. */
	if (err && err != -ENOENT && !(is_missing(err) && (early || units)))
		return err;
	if (r->start && !early)
		return 0;
	if (!early && units) {
		if (err == -ENOENT)
			error__warn("this boot was not asked for the events of initcalls and modules; `hytrace boot "
				    "--next` prints what the next one needs");
		return 0;
	}
	if (!early && err == -ENOENT)
		return error__return(-EOPNOTSUPP, "this boot was not asked for the events of initcalls and modules, and "
				     "there is no systemd to tell its part: `hytrace boot --next` prints what the next "
				     "boot needs, which any kernel since Linux 6.1 understands");
	err = early_stats__load(&r->stats, dir);
	r->early = !err;
	return r->start && is_missing(err) ? 0 : err;
}

static int print_bootconfig(const char *line)
{
	char *text = boot_next__bootconfig(line);
	int err = 0;

	if (access("/proc/bootconfig", F_OK))
		error__warn("this kernel has no CONFIG_BOOT_CONFIG: it would not read a bootconfig");
	if (fputs(text, stdout) < 0 || fflush(stdout))
		err = error__return(-errno, "cannot write: %s", strerror(errno));
	free(text);
	return err;
}

/* For the next boot. Without a command that reboots, nothing is changed. */
static int print_next(const struct boot_options *o)
{
	int err = o->early ? features__require(FEATURE_EARLY, NULL) : 0;
	char *parameters, *line;
	struct utsname kernel;

	if (err)
		return err;
	if (o->early && !features__has(FEATURE_EARLY))
		error__warn("only root can see whether this kernel has very early function tracing; without it, ftrace= "
			    "traces all functions from later on, until it is turned off");
	uname(&kernel);
	parameters = boot_start__parameters(kernel.release, !o->no_probes);
	line = xasprintf("%s%s", parameters, o->graph ? " ftrace=function ftrace_early=graph" :
			 o->early ? " ftrace=function" : "");
	if (o->bootconfig)
		err = print_bootconfig(line);
	else if (o->reboot)
		err = boot_next__load(o->kernel, o->initrd, line) ?: boot_next__reboot(o->reboot);
	else if (printf("%s\n", line) < 0 || fflush(stdout))
		err = error__return(-errno, "cannot write: %s", strerror(errno));
	free(line);
	free(parameters);
	return err;
}

static int release(void)
{
	int err = features__require(FEATURE_BOOT, NULL);

	return err ?: boot_start__release(tracefs_tracing_dir());
}

static int run(const struct boot_options *o)
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
	return err ? err : failed;
}

int cmd_boot(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[COMMAND [ARGUMENT...]]",
		.doc = "Reports the boot of this kernel, from the reset until systemd has started all units: its "
		       "initcalls and modules, and when init was started, if "
		       "the kernel command line had what --next prints; and what ran from before "
		       "start_kernel() until the ordinary tracer took over, if it had ftrace=function or "
		       "ftrace=oneshot, on a kernel with very early function tracing."
		       "\vCommands:\n"
		       "  blame           list all that took time, the longest first\n"
		       "  critical-chain  show what the default target had to wait for\n"
		       "  compare         compare two boots, or several of each of two kernels\n"
		       "  plot            draw a picture: the same as -f svg\n"
		       "  time            print how long each part of the boot took, and no more\n\n"
		       "Examples:\n"
		       "  hytrace boot --next\n"
		       "  hytrace boot -n 30\n"
		       "  hytrace boot plot -o boot.svg\n"
		       "  hytrace boot plot >boot.svg && xdg-open boot.svg\n"
		       "  hytrace boot time\n"
		       "  hytrace boot time | head -n 5\n"
		       "  hytrace boot -f chrome -o boot.trace\n\n"
		       "Exit status: 0 done, 1 failed, or "
		       "nothing of it is left, 2 usage, 3 the kernel or the privileges do not allow "
		       "it.",
	};
	struct boot_options o = { .result.formats = formats };

	for (size_t i = 0; argc > 1 && i < WORDS; i++) {
		if (strcmp(argv[1], words[i].name))
			continue;
		argv[1] = words[i].full_name;
		return words[i].run(argc - 1, argv + 1);
	}
	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	return error__status(o.next ? print_next(&o) : o.release ? release() : run(&o), 0);
}
