/* SPDX-License-Identifier: GPL-2.0-only */
/* The command of this folder. */
#ifndef HYTRACE_AFFECTED_COMMANDS_H
#define HYTRACE_AFFECTED_COMMANDS_H

int cmd_affected(int argc, char **argv);

#endif
