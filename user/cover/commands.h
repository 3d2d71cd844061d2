/* SPDX-License-Identifier: GPL-2.0-only */
/* hytrace cover. argv[0] is the command's full name, such as "hytrace cover". Returns the exit status. */
#ifndef HYTRACE_COVER_COMMANDS_H
#define HYTRACE_COVER_COMMANDS_H

int cmd_cover(int argc, char **argv);
int cmd_features(int argc, char **argv);

#endif
