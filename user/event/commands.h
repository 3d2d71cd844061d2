/* SPDX-License-Identifier: GPL-2.0-only */
/* hytrace event. argv[0] is the command's full name, "hytrace event". Returns the exit status. */
#ifndef HYTRACE_EVENT_COMMANDS_H
#define HYTRACE_EVENT_COMMANDS_H

int cmd_event(int argc, char **argv);

#endif
