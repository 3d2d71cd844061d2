/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments begin with the command's full name; the exit status is returned. */
#ifndef HYTRACE_TAILOR_COMMANDS_H
#define HYTRACE_TAILOR_COMMANDS_H

int cmd_tailor(int argc, char **argv);

#endif
