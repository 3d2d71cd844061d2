/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The commands, and their subcommands: a table of names that is also what --help lists. Each command
 * gets its own full name as argv[0] and returns the exit status.
 */
#ifndef HYTRACE_BASE_COMMAND_H
#define HYTRACE_BASE_COMMAND_H

#include <stddef.h>

struct command {
	const char *name;
	char *full_name;	/* as argp shows it in messages */
	int (*run)(int argc, char **argv);
	const char *help;
};

struct command_table {
	const struct command *list;
	size_t count;
	const char *doc;	/* what they are all about, above the list */
	const char *where;	/* where to read on, below it */
};

/* Finds the command that argv names and hands over to it; usage errors end the program. */
int command__run(const struct command_table *table, int argc, char **argv);

#endif
