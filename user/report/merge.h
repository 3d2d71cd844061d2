/* SPDX-License-Identifier: GPL-2.0-only */
/* The union of several results of one kernel build: of machines, of boots, of runs. */
#ifndef HYTRACE_REPORT_MERGE_H
#define HYTRACE_REPORT_MERGE_H

#include "document/coverage.h"

/**
 * merge__run() - join several results into one
 * @ret: to be freed by coverage__free()
 * @documents: the results, which may be unions themselves
 * @count: how many, from 1
 * @paths: their names, for messages
 *
 * Each place tells in how many results it was. First times stay if all are of one boot. Counters of losses are added
 * up, so the union is complete if all of them are.
 *
 * Return: 0, or a negative errno after a message: -EINVAL if they are of several builds of the kernel or of a module,
 * were asked for different functions, or do not say where their functions lie.
 */
int merge__run(struct coverage *ret, const struct coverage *const *documents, size_t count,
	       const char *const *paths);

#endif
