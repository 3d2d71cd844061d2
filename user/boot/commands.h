/* SPDX-License-Identifier: GPL-2.0-only */
/* hytrace boot and its commands. argv[0] is a command's full name. Each returns the exit status. */
#ifndef HYTRACE_BOOT_COMMANDS_H
#define HYTRACE_BOOT_COMMANDS_H

#include <stdio.h>

#include "base/program.h"
#include "boot/boot.h"

int cmd_boot(int argc, char **argv);
int cmd_boot_blame(int argc, char **argv);
int cmd_boot_chain(int argc, char **argv);
int cmd_boot_compare(int argc, char **argv);
int cmd_boot_next(int argc, char **argv);
int cmd_boot_release(int argc, char **argv);

struct boot_options {
	struct result_options result;
	size_t most;			/* 0: not given */
	const char *document;		/* NULL: this boot */
	const char *unit;		/* of critical-chain; NULL: not given */
	bool takes_unit;
};

/* A view. Returns 0, or a negative error after a message; errors of @out are found by the caller. */
typedef int boot_view(const struct boot *b, const struct boot_options *o, FILE *out);

/**
 * boot__answer() - record this boot, or read its document, and write a view of it
 * @o: the document and the output file
 * @needs: bits of enum boot_needs, for this boot
 * @view: the view
 *
 * Return: the exit status.
 */
int boot__answer(const struct boot_options *o, unsigned int needs, boot_view *view);

/* Parses an argument: a file ("a.json" or "-"), or the unit of critical-chain. @state: from argp. */
void boot_options__argument(struct boot_options *o, char *arg, const struct argp_state *state);

/* For the help of each command. */
#define BOOT_EXIT_STATUS "Exit status: 0 done, 1 failed, or nothing is left of what was recorded, 2 usage, 3 the kernel or " \
			 "the privileges do not allow it."

#endif
