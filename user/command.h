/* SPDX-License-Identifier: GPL-2.0-only */
/* The subcommands; main.c has the table. Each gets its own name as argv[0] and returns the exit status. */
#ifndef HYTRACE_COMMAND_H
#define HYTRACE_COMMAND_H

int cmd_cover(int argc, char **argv);
int cmd_compare(int argc, char **argv);

#endif
