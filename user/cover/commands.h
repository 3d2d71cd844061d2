/* SPDX-License-Identifier: GPL-2.0-only */
/* hytrace cover: arguments begin with the command's full name; the exit status. */
#ifndef HYTRACE_COVER_COMMANDS_H
#define HYTRACE_COVER_COMMANDS_H

int cmd_cover(int argc, char **argv);
int cmd_features(int argc, char **argv);

#endif
