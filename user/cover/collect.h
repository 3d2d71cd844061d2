/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes a complete result from what an engine has recorded. */
#ifndef HYTRACE_COVER_COLLECT_H
#define HYTRACE_COVER_COLLECT_H

#include "cover/engines.h"

/* Both clocks before the gate opens, and after it has closed. */
struct clocks {
	struct clock_pair first, last;
};

/* The number of functions that the user asked for. */
size_t kernel__count_asked_for(const struct kernel *k, const struct filter *filter);

/*
 * Fills in what is known about the result before the run begins: its kernel, its functions and its
 * tasks. @ret must be freed.
 */
void collect__plan(struct coverage *ret, const struct request *request);
/*
 * Makes the result of what @e has recorded. @after: the symbols at the end of the run; NULL: they
 * are those of the beginning. @ret must be freed even after a failure.
 */
int collect__run(struct coverage *ret, const struct running *e, const struct request *request,
		 const struct symbols *after, const struct clocks *clocks);
/* Makes the result of what was recorded from boot until now. It does not start or stop a tracer. */
int collect__boot(struct coverage *ret, const struct request *request);

#endif
