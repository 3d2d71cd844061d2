/* SPDX-License-Identifier: GPL-2.0-only */
/* Two coverages side by side: what only one of them has, and why. */
#ifndef HYTRACE_COMPARE_H
#define HYTRACE_COMPARE_H

#include <stdio.h>

#include "coverage.h"

enum reason {
	REASON_NOT_ASKED,	/* the other's -a names others */
	REASON_DENIED,		/* the other's -d names it */
	REASON_OWN,		/* the other leaves it out as the engine's own helper */
	REASON_UNATTACHED,	/* the other could not attach to it */
	REASON_MODULE,		/* its module came after the other had attached, which does not follow */
	REASON_OTHER_BOOT,	/* times of different boots cannot be laid side by side */
	REASON_BEFORE,		/* first hit before the other's window opened */
	REASON_AFTER,		/* first hit after it closed */
	REASON_SCOPE,		/* the other followed other tasks */
	REASON_NO_CALLERS,	/* the other did not record callers */
	REASON_NO_ADDRESS,	/* one has no address or name that could be looked for in the other */
	REASON_FULL,		/* the other's set was full */
	REASON_RECURSION,	/* the other counts calls for which its program could not run */
	REASON_UNRESOLVED,	/* the other counts such addresses and does not list them */
	REASON_UNEXPLAINED,
	REASON_COUNT,
};

struct difference {
	const struct hit *hit;
	enum reason reason;
};

struct comparison {
	const struct coverage *a, *b;
	bool by_name;		/* not of the same kernel build: addresses say nothing */
	unsigned int kind;	/* HIT_FUNCTION or HIT_CALLER */
	size_t both;
	struct difference *only_a, *only_b;
	size_t only_a_count, only_b_count;
};

int compare__run(struct comparison *ret, const struct coverage *a, const struct coverage *b,
		 unsigned int kind);
void compare__free(struct comparison *cmp);
size_t compare__unexplained(const struct comparison *cmp);

/* @names_a, @names_b: what to call them; @limit: names listed for each reason, 0: all. */
int compare__print(const struct comparison *cmp, const char *name_a, const char *name_b,
		   size_t limit, FILE *out);

const char *reason__name(enum reason reason);

#endif
