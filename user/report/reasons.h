/* SPDX-License-Identifier: GPL-2.0-only */
/* Why one side of a comparison has what the other has not. */
#ifndef HYTRACE_REPORT_REASONS_H
#define HYTRACE_REPORT_REASONS_H

#include "report/compare.h"

/**
 * reasons__find() - give each difference its reason
 * @cmp: the comparison they are of
 * @list: what only @from has, a module's functions one after the other
 * @count: how many these are
 * @others: how many only @other has
 * @from: the side that has them
 * @other: the side that has not
 */
void reasons__find(const struct comparison *cmp, struct difference *list, size_t count,
		   size_t others, const struct coverage *from, const struct coverage *other);

/* Whether there is something of it that the other side can be searched for. */
bool comparison__can_match(const struct comparison *cmp, const struct hit *hit);

/* Whether their times can be laid side by side. */
bool coverage__same_boot(const struct coverage *a, const struct coverage *b);
/* Whether the windows are apart, and in that order. */
bool coverage__ended_before(const struct coverage *first, const struct coverage *second);

#endif
