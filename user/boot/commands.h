/* SPDX-License-Identifier: GPL-2.0-only */
/* hytrace boot and its commands. argv[0] is a command's full name. Each returns the exit status. */
#ifndef HYTRACE_BOOT_COMMANDS_H
#define HYTRACE_BOOT_COMMANDS_H

#include "base/program.h"

int cmd_boot(int argc, char **argv);
int cmd_boot_blame(int argc, char **argv);
int cmd_boot_chain(int argc, char **argv);
int cmd_boot_compare(int argc, char **argv);
int cmd_boot_next(int argc, char **argv);
int cmd_boot_plot(int argc, char **argv);
int cmd_boot_release(int argc, char **argv);
int cmd_boot_time(int argc, char **argv);

/* BOOT_TIME is the format of `hytrace boot time`. */
enum boot_format { BOOT_TEXT, BOOT_JSON, BOOT_SVG, BOOT_CHROME, BOOT_FOLDED, BOOT_TIME };

struct boot_options {
	struct result_options result;
	size_t most;			/* 0: not given */
};

/**
 * boot__report() - report this boot
 * @o: the format and the output file
 *
 * Return: the exit status.
 */
int boot__report(const struct boot_options *o);

#endif
