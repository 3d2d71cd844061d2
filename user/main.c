// SPDX-License-Identifier: GPL-2.0-only
/* hytrace COMMAND ...: the table of commands, and what is the same for all of them. */
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
#include "tailor/commands.h"

static const struct command commands[] = {
	{ "cover", "hytrace cover", cmd_cover, "record which kernel functions a workload runs" },
	{ "compare", "hytrace compare", cmd_compare, "explain how two such records differ" },
	{ "report", "hytrace report", cmd_report, "show what ran and what did not, from such records" },
	{ "merge", "hytrace merge", cmd_merge, "join several records into one" },
	{ "diff", "hytrace diff", cmd_diff, "show what is new and what is gone in such a record" },
	{ "functions", "hytrace functions", cmd_functions, "list what can be traced, and why the rest cannot" },
	{ "why", "hytrace why", cmd_why, "say why a function cannot be traced, or was not seen" },
	{ "callers", "hytrace callers", cmd_callers, "print from where a function was called" },
	{ "calls", "hytrace calls", cmd_calls, "print what a function has called" },
	{ "tailor", "hytrace tailor", cmd_tailor, "make a smaller configuration of the kernel, from what ran" },
	{ "features", "hytrace features", cmd_features, "list what hytrace can do here, and why it cannot do the rest" },
	{ "event", "hytrace event", cmd_event, "make events of kernel functions, and record them" },
	{ "boot", "hytrace boot", cmd_boot, "report where the time of this boot went" },
	{ "bench", "hytrace bench", cmd_bench, "measure the cost of each way of tracing" },
};

const char *argp_program_version = "hytrace " HYTRACE_VERSION;

/* With a command, the status of a usage error must not be mistaken for the command's. */
static int usage_status(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--"))
			return EXIT_SELF;
	}
	return EXIT_USAGE;
}

/*
 * Daemons may have closed standard streams. The next file that is opened would get the number of
 * such a stream; messages could then go to a file of the kernel, or the result to a wrong place. So
 * these numbers are taken by descriptors that fail in the same way as a closed stream. A command
 * finds the streams closed.
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
		.where = "`hytrace COMMAND --help` lists its options; hytrace(1) explains everything.",
	};

	argp_err_exit_status = usage_status(argc, argv);
	if (take_closed_streams()) {
		error__print("cannot open /dev/null in place of a closed standard stream: %s",
			     strerror(errno));
		return argp_err_exit_status == EXIT_SELF ? EXIT_SELF : EXIT_FAILED;
	}
	/*
	 * A reader that has closed its pipe is a write error like any other, and is reported; so is
	 * a file that is too large.
	 */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* If it is inherited as ignored, the end of a command cannot be waited for. */
	signal(SIGCHLD, SIG_DFL);
	return command__run(&table, argc, argv);
}
