/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares two recordings: which hits only one of them has, and why. */
#ifndef HYTRACE_REPORT_COMPARE_H
#define HYTRACE_REPORT_COMPARE_H

#include "document/coverage.h"

enum reason {
	/*
	 * Certain: the other side could not record the hit, or the function was not called while it
	 * recorded.
	 */
	REASON_NO_CALLERS,	/* the other side did not record callers */
	REASON_UNATTACHED,	/* the other side could not attach to the function */
	REASON_NOT_ASKED,	/* -a of the other side does not match the function */
	REASON_DENIED,		/* -d of the other side matches the function */
	REASON_OWN,		/* a helper of the other side's engine, which excludes it */
	REASON_MODULE,		/* its module came later; the other side does not follow modules */
	REASON_AFTER,		/* not called before the other side had ended */
	/* Possible: nothing proves it. */
	REASON_NO_ADDRESS,	/* no address or name: may be any hit of the other side */
	REASON_OTHER_BOOT,	/* times of different boots cannot be compared */
	REASON_OTHER_RUN,	/* one side had ended before the other side began */
	REASON_BEFORE,		/* first hit before the other side's window opened */
	REASON_LATER,		/* first hit after the other side's window; maybe called before */
	REASON_EDGE,		/* first hit while the other side's window opened or closed */
	REASON_SCOPE,		/* the other side followed other tasks */
	REASON_REWRITTEN,	/* callers: the kernel rewrote the call, so its address differs */
	REASON_INSIDE_OWN,	/* callers: the call site is in a helper of the BPF program */
	REASON_CALLED_UNATTACHED, /* callers: the other side may exclude the callee (4 reasons) */
	REASON_CALLED_NOT_ASKED,
	REASON_CALLED_DENIED,
	REASON_CALLED_OWN,
	REASON_CALLED_MODULE,	/* callers: the callee may be in a module that came later */
	REASON_PINNED,		/* this side's fentry.multi may have caused the call */
	REASON_RETIRED,		/* callers: the other side may have retired the callee */
	REASON_HIDDEN,		/* callers: a return trampoline hid some from the other side */
	REASON_FULL,		/* the other side's set was full */
	REASON_UNRESOLVED,	/* the other side counted addresses that it could not resolve */
	REASON_MODULE_LATE,	/* its module came meanwhile; the other side attached too late */
	REASON_RECURSION,	/* the other side counted calls that its program could not see */
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
	const char *by_name;	/* why hits are matched by name; NULL: by address */
	unsigned int kind;	/* HIT_FUNCTION or HIT_CALLER */
	size_t both;
	struct difference *only_a, *only_b;
	size_t only_a_count, only_b_count;
};

/* @ret: to be freed by compare__free(). */
void compare__run(struct comparison *ret, const struct coverage *a, const struct coverage *b, unsigned int kind);
void compare__free(struct comparison *cmp);
/* Returns how many differences have a reason of this certainty. */
size_t compare__count(const struct comparison *cmp, enum certainty certainty);

/* @name_a, @name_b: the sides' names; @limit: names listed for each reason, 0: all. */
void compare__print(const struct comparison *cmp, const char *name_a, const char *name_b, size_t limit, FILE *out);

enum certainty reason__certainty(enum reason reason);

/* ---- reasons.c */

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
