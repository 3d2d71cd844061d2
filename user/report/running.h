/* SPDX-License-Identifier: GPL-2.0-only */
/* The universe of the running kernel: its own list, and what its files say about the rest. */
#ifndef HYTRACE_REPORT_RUNNING_H
#define HYTRACE_REPORT_RUNNING_H

#include "document/universe.h"

/**
 * universe__of_running() - all functions of the running kernel
 * @ret: to be freed by universe__free()
 * @vmlinux: of this kernel; NULL: where it usually is
 *
 * What can be traced is what ftrace lists now, and code that is freed after the start, of which the file says that it
 * could have been. Without a vmlinux, less is known about the others, which is told.
 *
 * Return: 0, or a negative errno, which is told: -EPERM, -EOPNOTSUPP if the lists cannot be read.
 */
int universe__of_running(struct universe *ret, const char *vmlinux);

#endif
