/* SPDX-License-Identifier: GPL-2.0-only */
/* argv[0] is the command's full name, such as "hytrace tailor". Returns the exit status. */
#ifndef HYTRACE_TAILOR_COMMANDS_H
#define HYTRACE_TAILOR_COMMANDS_H

int cmd_tailor(int argc, char **argv);

#endif
