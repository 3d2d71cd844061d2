/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the oneshot tracer's files oneshot_entries and oneshot_stats. */
#ifndef HYTRACE_KERNEL_ONESHOT_FILES_H
#define HYTRACE_KERNEL_ONESHOT_FILES_H

#include <stdio.h>

#include "base/counters.h"
#include "kernel/hits.h"
#include "kernel/places.h"

/*
 * Adds the entries to @hits. @name: the file's name in messages. @ret_unnamed: the number of
 * addresses without a symbol. Returns -EPERM if the kernel hides the addresses, -EPROTO if a line
 * is not known.
 */
int oneshot_entries__read(FILE *f, const char *name, const struct places *places,
			  struct hits *hits, uint64_t *ret_unnamed);
/* Returns the counter's name, as a string that stays valid, if it counts a loss; otherwise NULL. */
typedef const char *(*loss_name)(const char *name);

/* Reads losses and costs by the kernel's names. @loss: tells whether a counter is a loss. */
int oneshot_stats__read(FILE *f, const char *name, loss_name loss, struct counters *lost,
			struct counters *cost);

#endif
