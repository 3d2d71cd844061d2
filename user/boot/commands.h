/* SPDX-License-Identifier: GPL-2.0-only */
/* hytrace boot: arguments begin with the command's full name; the exit status. */
#ifndef HYTRACE_BOOT_COMMANDS_H
#define HYTRACE_BOOT_COMMANDS_H

int cmd_boot(int argc, char **argv);
int cmd_boot_blame(int argc, char **argv);
int cmd_boot_chain(int argc, char **argv);
int cmd_boot_compare(int argc, char **argv);

#endif
