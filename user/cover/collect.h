/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes a complete result from what an engine has recorded. */
#ifndef HYTRACE_COVER_COLLECT_H
#define HYTRACE_COVER_COLLECT_H

#include "cover/engines.h"

/* The clocks before the opening and after the closing. */
struct clocks {
	struct clock_pair first, last;
};

/* The number of functions that the user asked for. */
size_t kernel__count_asked_for(const struct kernel *k, const struct filter *filter);

/*
 * Fills in what the result of a run will say about its kernel, its functions and its tasks, before the run begins. @ret
 * must be freed.
 */
void collect__plan(struct coverage *ret, const struct request *request);
/*
 * Makes the result of what @e has recorded. @after: the symbols at its end; NULL: they have not
 * changed. @ret must be freed even after a failure.
 */
int collect__run(struct coverage *ret, const struct running *e, const struct request *request,
		 const struct symbols *after, const struct clocks *clocks);
/* Makes the result of what was recorded from boot until now. Starts and stops nothing. */
int collect__boot(struct coverage *ret, const struct request *request);

#endif
