/* SPDX-License-Identifier: GPL-2.0-only */
/* hytrace bench. argv[0] is the command's full name. Returns the exit status. */
#ifndef HYTRACE_BENCH_COMMANDS_H
#define HYTRACE_BENCH_COMMANDS_H

int cmd_bench(int argc, char **argv);

#endif
