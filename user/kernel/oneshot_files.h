/* SPDX-License-Identifier: GPL-2.0-only */
/* The oneshot tracer's files, parsed: oneshot_entries and oneshot_stats. */
#ifndef HYTRACE_KERNEL_ONESHOT_FILES_H
#define HYTRACE_KERNEL_ONESHOT_FILES_H

#include <stdio.h>

#include "base/counters.h"
#include "kernel/hits.h"
#include "kernel/places.h"

/*
 * Adds to @hits. @name: for messages. @ret_unnamed: addresses that no symbol is known for. -EPERM
 * when the kernel hides the addresses, -EPROTO on an unknown line.
 */
int oneshot_entries__read(FILE *f, const char *name, const struct places *places,
			  struct hits *hits, uint64_t *ret_unnamed);
/* Losses and costs by the kernel's own names. */
int oneshot_stats__read(FILE *f, const char *name, struct counters *lost, struct counters *cost);

#endif
