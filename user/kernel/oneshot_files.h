/* SPDX-License-Identifier: GPL-2.0-only */
/* The oneshot tracer's files, parsed: oneshot_entries and oneshot_stats. */
#ifndef HYTRACE_KERNEL_ONESHOT_FILES_H
#define HYTRACE_KERNEL_ONESHOT_FILES_H

#include <stdio.h>

#include "cover/coverage.h"

/* @name: for messages. -EPERM when the kernel hides the addresses, -EPROTO on an unknown line. */
int oneshot_entries__read(FILE *f, const char *name, struct coverage *c,
			  const struct places *places);
/* Losses and costs by the kernel's own names. */
int oneshot_stats__read(FILE *f, const char *name, struct coverage *c);

#endif
