/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that read recordings. argv[0] is the command's full name. Return the exit status. */
#ifndef HYTRACE_REPORT_COMMANDS_H
#define HYTRACE_REPORT_COMMANDS_H

int cmd_callers(int argc, char **argv);
int cmd_calls(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_functions(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_why(int argc, char **argv);

#endif
