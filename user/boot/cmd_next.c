// SPDX-License-Identifier: GPL-2.0-only
/* hytrace boot next: what the next boot needs to be reported; hytrace boot release: gives it back. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "boot/commands.h"
#include "boot/next.h"
#include "boot/record.h"
#include "kernel/features.h"

enum { KEY_EARLY = 256, KEY_NO_PROBES, KEY_GRUB, KEY_KERNEL, KEY_INITRD };

static const struct argp_option options[] = {
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

static int add_entry(const char *release, const char *line)
{
	int err = boot_next__add_entry("", release, line);

	if (!err)
		error__print("the next boot of this machine, and only that one, will be recorded");
	return err;
}

/* Prints the parameters, or takes them for the next boot. Only with REBOOT, reboots. */
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
	parameters = boot_events__parameters(kernel.release, !o->no_probes);
	line = xasprintf("%s%s", parameters, o->graph ? " ftrace=function ftrace_early=graph" :
			 o->early ? " ftrace=function" : "");
	if (o->grub)
		err = add_entry(kernel.release, line);
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

int cmd_boot_release(int argc, char **argv)
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
