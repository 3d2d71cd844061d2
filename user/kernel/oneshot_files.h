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
/* The same name, which is there for good, if a counter is one of a loss; else NULL. */
typedef const char *(*loss_name)(const char *name);

/* Losses and costs by the kernel's own names. @loss: tells them apart. */
int oneshot_stats__read(FILE *f, const char *name, loss_name loss, struct counters *lost,
			struct counters *cost);

#endif
