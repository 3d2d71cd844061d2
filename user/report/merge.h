/* SPDX-License-Identifier: GPL-2.0-only */
/* Joins recordings of one kernel build: of several machines, boots or runs. */
#ifndef HYTRACE_REPORT_MERGE_H
#define HYTRACE_REPORT_MERGE_H

#include "document/coverage.h"

/**
 * merge__run() - join several recordings into one
 * @ret: to be freed by coverage__free()
 * @documents: the recordings, which may be unions themselves
 * @count: their number, from 1
 * @paths: their names, for messages
 *
 * Each hit counts the runs that have it. First times stay if all are of one boot. Losses are added
 * up, so the union is complete if all recordings are.
 *
 * Return: 0, or a negative errno after a message: -EINVAL if they are of several builds of the
 * kernel or of a module, were asked for different functions, or have no linked addresses.
 */
int merge__run(struct coverage *ret, const struct coverage *const *documents, size_t count,
	       const char *const *paths);

#endif
