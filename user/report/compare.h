/* SPDX-License-Identifier: GPL-2.0-only */
/* The comparison of two coverages: what only one of them has, and why. */
#ifndef HYTRACE_REPORT_COMPARE_H
#define HYTRACE_REPORT_COMPARE_H

#include <stdio.h>

#include "document/coverage.h"

enum reason {
	/*
	 * Certain: the other could not record any call of it, or there was none while the other
	 * recorded.
	 */
	REASON_NO_CALLERS,	/* the other did not record callers */
	REASON_UNATTACHED,	/* the other could not attach to it */
	REASON_NOT_ASKED,	/* the other's -a names others */
	REASON_DENIED,		/* the other's -d names it */
	REASON_OWN,		/* the other leaves it out as the engine's own helper */
	REASON_MODULE,		/* its module came after the other had attached, which does not follow */
	REASON_AFTER,		/* first hit after the other had ended, although this side recorded all the time */
	/* Possible: nothing proves it. */
	REASON_NO_ADDRESS,	/* it may be any hit that only the other has */
	REASON_OTHER_BOOT,	/* times of different boots cannot be compared */
	REASON_OTHER_RUN,	/* one of the two had ended before the other began */
	REASON_BEFORE,		/* first hit before the other's window opened */
	REASON_LATER,		/* first hit after it closed; an earlier one might not have been seen */
	REASON_EDGE,		/* first hit as the other's window opened or closed */
	REASON_SCOPE,		/* the other followed other tasks */
	REASON_REWRITTEN,	/* of callers: one has a call as linked, the other as the kernel rewrote it */
	REASON_INSIDE_OWN,	/* of callers: a place in a BPF program's helper */
	REASON_CALLED_UNATTACHED, /* of callers: it may have called a function that the other leaves out, ... */
	REASON_CALLED_NOT_ASKED,
	REASON_CALLED_DENIED,
	REASON_CALLED_OWN,
	REASON_CALLED_MODULE,	/* ... or in a module that came later */
	REASON_PINNED,		/* the other way round: this side's fentry.multi may have caused it */
	REASON_RETIRED,		/* of callers: the called function may have retired in the other */
	REASON_HIDDEN,		/* of callers: the other counts return addresses that somebody had replaced */
	REASON_FULL,		/* the other's set was full */
	REASON_UNRESOLVED,	/* the other only counts such addresses */
	REASON_MODULE_LATE,	/* its module came while the other recorded, and was attached to later */
	REASON_RECURSION,	/* the other counts calls for which its program could not run */
	REASON_UNEXPLAINED,
	REASON_COUNT,
};

enum certainty { CERTAIN, POSSIBLE, UNEXPLAINED };

struct difference {
	const struct hit *hit;
	enum reason reason;
};

struct comparison {
	const struct coverage *a, *b;
	const char *by_name;	/* why addresses cannot be compared; NULL: they can */
	unsigned int kind;	/* HIT_FUNCTION or HIT_CALLER */
	size_t both;
	struct difference *only_a, *only_b;
	size_t only_a_count, only_b_count;
};

/* @ret: to be freed by compare__free(). */
void compare__run(struct comparison *ret, const struct coverage *a, const struct coverage *b, unsigned int kind);
void compare__free(struct comparison *cmp);
/* The number of differences whose reasons have this certainty. */
size_t compare__count(const struct comparison *cmp, enum certainty certainty);

/* @names_a, @names_b: the names to print; @limit: names listed for each reason, 0: all. */
void compare__print(const struct comparison *cmp, const char *name_a, const char *name_b, size_t limit, FILE *out);

/**
 * compare__write_json() - comparisons as one document
 * @list: the comparison of the functions of two results, and that of their callers if these were compared
 * @count: the number of comparisons, from 1
 * @name_a: the name to print for the first result
 * @name_b: the same for the second result
 * @out: where to; write errors stay in the stream
 */
void compare__write_json(const struct comparison *list, size_t count, const char *name_a, const char *name_b,
			 FILE *out);

enum certainty reason__certainty(enum reason reason);
/* One word, as documents have it. */
const char *reason__word(enum reason reason);

#endif
