// SPDX-License-Identifier: GPL-2.0-only
/* hytrace COMMAND ...: the table of commands, and what holds for all of them. */
#include <argp.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/error.h"
#include "base/version.h"
#include "bench/commands.h"
#include "boot/commands.h"
#include "cover/commands.h"
#include "event/commands.h"
#include "report/commands.h"

static const struct command commands[] = {
	{ "cover", "hytrace cover", cmd_cover, "record which kernel functions a workload runs" },
	{ "compare", "hytrace compare", cmd_compare, "explain how two such records differ" },
	{ "functions", "hytrace functions", cmd_functions, "list what can be traced, and why the rest cannot" },
	{ "why", "hytrace why", cmd_why, "say why a function cannot be traced, or was not seen" },
	{ "callers", "hytrace callers", cmd_callers, "print from where a function was called" },
	{ "calls", "hytrace calls", cmd_calls, "print what a function has called" },
	{ "features", "hytrace features", cmd_features, "what this kernel and this user can do, and why not" },
	{ "event", "hytrace event", cmd_event, "make events of kernel functions, and record them" },
	{ "boot", "hytrace boot", cmd_boot, "report the early part of a boot that was traced early" },
	{ "bench", "hytrace bench", cmd_bench, "measure the cost of each way of tracing" },
};

const char *argp_program_version = "hytrace " HYTRACE_VERSION;

/* A usage error beside a command to run must not be mistaken for that command's status. */
static int usage_status(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--"))
			return EXIT_SELF;
	}
	return EXIT_USAGE;
}

/*
 * A standard stream that is closed, as daemons have it, is a number that the next file would get: one of
 * the kernel's would then be fed with messages, or taken for the result's place. So its number is taken
 * by what cannot be used the way that it would be: it fails as before. A command finds it closed.
 */
static int take_closed_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags | O_CLOEXEC) != fd)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct command_table table = {
		.list = commands,
		.count = sizeof(commands) / sizeof(commands[0]),
		.doc = "Kernel function coverage, in the kernel and in BPF; events of kernel functions; "
		       "the early boot.",
		.where = "`hytrace COMMAND --help` tells its options; hytrace(1) has the whole story.",
	};

	argp_err_exit_status = usage_status(argc, argv);
	if (take_closed_streams()) {
		error__print("/dev/null, in the place of a standard stream that is closed: %s",
			     strerror(errno));
		return argp_err_exit_status == EXIT_SELF ? EXIT_SELF : EXIT_FAILED;
	}
	/* A reader that went away is a write error like any other, and is told; so is a file that is too large. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* Whoever ignores it passes that on, and the end of a command could not be waited for. */
	signal(SIGCHLD, SIG_DFL);
	return command__run(&table, argc, argv);
}
