/* SPDX-License-Identifier: GPL-2.0-only */
/* The universe of the running kernel: its own list, and files for the functions not in it. */
#ifndef HYTRACE_REPORT_RUNNING_H
#define HYTRACE_REPORT_RUNNING_H

#include "document/universe.h"
#include "report/why.h"

/**
 * universe__of_running() - all functions of the running kernel
 * @ret: to be freed by universe__free()
 * @vmlinux: its vmlinux; NULL: look in the usual places
 *
 * Functions that can be traced are those that ftrace lists now, and freed init functions that could
 * be traced according to the file. Without a vmlinux, a warning says that reasons and places of
 * other functions are not known.
 *
 * Return: 0, or a negative errno after a message: -EPERM, -EOPNOTSUPP if the lists cannot be read.
 */
int universe__of_running(struct universe *ret, const char *vmlinux);

/**
 * why__of_running() - find why the running kernel cannot trace a function
 * @ret: to be freed by why__free()
 * @name: the function's name
 * @vmlinux: as for universe__of_running()
 *
 * Return: as universe__of_running().
 */
int why__of_running(struct why *ret, const char *name, const char *vmlinux);

#endif
