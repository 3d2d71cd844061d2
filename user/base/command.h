/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands and subcommands: a table of names, which --help also lists. Each command gets its full
 * name as argv[0], and returns the exit status.
 */
#ifndef HYTRACE_BASE_COMMAND_H
#define HYTRACE_BASE_COMMAND_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

struct command {
	const char *name;
	char *full_name;	/* as argp shows it in messages */
	int (*run)(int argc, char **argv);	/* NULL: it is a program of its own */
	const char *help;
};

struct command_table {
	const struct command *list;
	size_t count;
	const char *doc;	/* text above the list: what the commands do */
	const char *where;	/* text below the list: where to read more */
	bool programs;		/* a name that has no function here is a program, hytrace-NAME */
	/* The action without a command, and its options; NULL: a command is required. */
	int (*run)(void *options);
	const struct argp *argp;
	void *options;
};

/* Runs the command that argv names. After a usage error, ends the program. */
int command__run(const struct command_table *table, int argc, char **argv);

#endif
