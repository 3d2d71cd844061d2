/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of this folder. */
#ifndef HYTRACE_STORE_COMMANDS_H
#define HYTRACE_STORE_COMMANDS_H

int cmd_keep(int argc, char **argv);
int cmd_forget(int argc, char **argv);
int cmd_sql(int argc, char **argv);

#endif
