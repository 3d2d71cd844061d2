/* SPDX-License-Identifier: GPL-2.0-only */
/* hytrace bench: arguments begin with the command's full name; the exit status. */
#ifndef HYTRACE_BENCH_COMMANDS_H
#define HYTRACE_BENCH_COMMANDS_H

int cmd_bench(int argc, char **argv);

#endif
