// SPDX-License-Identifier: GPL-2.0-only
/* hytrace COMMAND ...: the table of commands. One without a function is a program of its own. */
#include "affected/commands.h"
#include "base/program.h"
#include "cover/commands.h"
#include "event/commands.h"
#include "report/commands.h"
#include "store/commands.h"
#include "suite/commands.h"

static const struct command commands[] = {
	{ "cover", "hytrace cover", cmd_cover, "record which kernel functions a workload runs" },
	{ "suite", "hytrace suite", cmd_suite, "record each test of a suite as a run of its own" },
	{ "mark", "hytrace mark", cmd_mark, "tell `hytrace suite` where a test ends" },
	{ "compare", "hytrace compare", cmd_compare, "explain how two recordings of the same time differ" },
	{ "report", "hytrace report", cmd_report, "show what ran and what did not, from recordings" },
	{ "merge", "hytrace merge", cmd_merge, "join several recordings into one" },
	{ "keep", "hytrace keep", cmd_keep, "put recordings into a store: one file for any number of runs" },
	{ "forget", "hytrace forget", cmd_forget, "remove runs from a store" },
	{ "sql", "hytrace sql", cmd_sql, "print the result of a query on a store" },
	{ "diff", "hytrace diff", cmd_diff, "show what is new and what is gone in a second recording" },
	{ "functions", "hytrace functions", cmd_functions,
	  "list which functions can be traced, and why others cannot" },
	{ "why", "hytrace why", cmd_why, "say why a function cannot be traced, or was not seen" },
	{ "affected", "hytrace affected", cmd_affected, "say which tests and machines ran what a patch changes" },
	{ "callers", "hytrace callers", cmd_callers, "print from where a function was called" },
	{ "calls", "hytrace calls", cmd_calls, "print what a function has called" },
	{ "tailor", "hytrace tailor", NULL, "make a smaller configuration of the kernel, from what ran" },
	{ "features", "hytrace features", cmd_features,
	  "list what hytrace can do here, and why it cannot do more" },
	{ "event", "hytrace event", cmd_event, "make events of kernel functions, and record them" },
	{ "boot", "hytrace boot", NULL, "report where the time of this boot went" },
	{ "bench", "hytrace bench", NULL, "measure the cost of each way of tracing" },
};

static int run(int argc, char **argv)
{
	static const struct command_table table = {
		.list = commands,
		.count = sizeof(commands) / sizeof(commands[0]),
		.doc = "Kernel function coverage, in the kernel and in BPF; events of kernel functions; "
		       "the early boot.",
		.where = "`hytrace COMMAND --help` lists its options; hytrace(1) explains everything.",
		.programs = true,
	};

	return command__run(&table, argc, argv);
}

int main(int argc, char **argv)
{
	return program__run(argc, argv, NULL, run);
}
