// SPDX-License-Identifier: GPL-2.0-only
/* hytrace boot next: prints the kernel parameters that a boot needs to be reported. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "boot/commands.h"
#include "boot/next.h"
#include "boot/start_load.h"
#include "kernel/features.h"

enum { KEY_EARLY = 256, KEY_NO_PROBES, KEY_BOOTCONFIG, KEY_KERNEL, KEY_INITRD };

static const struct argp_option options[] = {
	{ "early", KEY_EARLY, "graph", OPTION_ARG_OPTIONAL, "trace all functions from before start_kernel() on, too; "
	  "with =graph, also how long each call takes", 0 },
	{ "no-probes", KEY_NO_PROBES, NULL, 0, "no kernel probes, which take some 10 ms each to set up: probes of "
	  "devices, the unpacking of the initramfs and consoles are not told", 0 },
	{ "bootconfig", KEY_BOOTCONFIG, NULL, 0, "print a bootconfig for the end of the initramfs, in place of a "
	  "command line", 0 },
	{ "kernel", KEY_KERNEL, "FILE", 0, "for REBOOT: the kernel's image (default: that of the running "
	  "kernel in /boot)", 0 },
	{ "initrd", KEY_INITRD, "FILE", 0, "the same for its initramfs", 0 },
	{ }
};

struct next_options {
	bool early, graph, no_probes, bootconfig;
	const char *kernel, *initrd;
	char **reboot;			/* the command REBOOT; NULL: only print */
};

static error_t parse(int key, char *arg, struct argp_state *state)
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
	case KEY_BOOTCONFIG:
		o->bootconfig = true;
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
		if (o->bootconfig && (o->early || o->reboot))
			argp_error(state, "--bootconfig takes neither --early, as the kernel reads it too late for "
				   "ftrace=, nor a command that reboots");
		if ((o->kernel || o->initrd) && !o->reboot)
			argp_error(state, "--kernel and --initrd are for a command that reboots: give it after --");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
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

/* Prints the parameters. Only with REBOOT, loads the next kernel and reboots. */
static int print_next(const struct next_options *o)
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

int cmd_boot_next(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[-- REBOOT...]",
		.doc = "Prints what the kernel command line of the next boot needs, so that that boot can be reported. "
		       "With REBOOT, loads this kernel with it for kexec, and runs REBOOT."
		       "\vExamples:\n"
		       "  hytrace boot next\n"
		       "  hytrace boot next -- systemctl kexec\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, 3 the kernel or the privileges do not allow it.",
	};
	struct next_options o = {};

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	return error__status(print_next(&o), 0);
}
