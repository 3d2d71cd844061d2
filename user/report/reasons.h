/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds why one side of a comparison has hits that the other side lacks. */
#ifndef HYTRACE_REPORT_REASONS_H
#define HYTRACE_REPORT_REASONS_H

#include "report/compare.h"

/**
 * reasons__find() - find a reason for each difference
 * @cmp: the comparison
 * @list: the hits that only @from has; hits of one module are adjacent
 * @count: their number
 * @others: the number of hits that only @other has
 * @from: the side with these hits
 * @other: the side without them
 */
void reasons__find(const struct comparison *cmp, struct difference *list, size_t count,
		   size_t others, const struct coverage *from, const struct coverage *other);

/* Does the hit have an address or name by which the other side can be searched? */
bool comparison__can_match(const struct comparison *cmp, const struct hit *hit);

/* Did @first end before @second began? */
bool coverage__ended_before(const struct coverage *first, const struct coverage *second);

#endif
