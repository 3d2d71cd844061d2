/* SPDX-License-Identifier: GPL-2.0-only */
/* hytrace suite and hytrace mark. argv[0] is the command's full name. They return the exit status. */
#ifndef HYTRACE_SUITE_COMMANDS_H
#define HYTRACE_SUITE_COMMANDS_H

int cmd_suite(int argc, char **argv);
int cmd_mark(int argc, char **argv);

#endif
