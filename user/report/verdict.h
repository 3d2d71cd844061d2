/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a run says of one function: did it see the function, and if not, could it have? All answers from documents use
 * this one rule, so that no two of them disagree: shares, lists, diff, why, callers, compare, lcov and the page.
 */
#ifndef HYTRACE_REPORT_VERDICT_H
#define HYTRACE_REPORT_VERDICT_H

#include <stdbool.h>

#include "document/coverage.h"
#include "document/universe.h"

enum verdict {
	/* It ran. */
	VERDICT_SEEN,
	VERDICT_PROVED,		/* not recorded, but recorded calls lie in it or lead to it */
	/* It could have been seen. */
	VERDICT_NOT_CALLED,
	VERDICT_NOT_FOLLOWED,	/* only some tasks were followed, and these did not call it */
	/* It could not have been seen, whether it ran or not. */
	VERDICT_NOT_ASKED,	/* -a names others */
	VERDICT_DENIED,		/* -d names it */
	VERDICT_OWN,		/* a helper of the engine's, which hytrace itself leaves out */
	VERDICT_UNATTACHED,	/* the engine could not attach to it */
	VERDICT_NO_MODULE,	/* its module was not there, or came and was not followed */
	VERDICT_FREED,		/* init text that had been freed, or that of a module */
	/* That build of the kernel is the reason. */
	VERDICT_UNTRACEABLE,
	VERDICT_NO_FUNCTION,	/* there is no such function, or it is inlined everywhere */
	/* It is open whether it ran. */
	VERDICT_INLINED,	/* its code was not called, but is also inlined into functions that ran, or leave no record */
	VERDICT_UNKNOWN,	/* it is not known what that build has */
	VERDICT_COUNT
};

/**
 * verdict__of() - find out why a run has not seen a function
 * @c: the run, which has no hit of it
 * @f: the function. Only its name, its module, @init and @untraced matter
 *
 * Return: one of VERDICT_NOT_CALLED to VERDICT_UNTRACEABLE.
 */
enum verdict verdict__of(const struct coverage *c, const struct function *f);

/* Could the run have seen it? Only then is the function part of a share. */
bool verdict__could_see(enum verdict v);
/* Is the run blind to it? Then nothing follows from its absence. */
bool verdict__is_blind(enum verdict v);

/**
 * verdict__is_certain() - does a verdict follow from the data?
 * @v: what was said of a function
 * @c: of this run
 * @module: the function's; NULL: vmlinux
 *
 * Return: false if it is open whether it ran, or if what the run has lost may be this function.
 */
bool verdict__is_certain(enum verdict v, const struct coverage *c, const char *module);

/* One word, for json; and the end of a sentence about the run. */
const char *verdict__word(enum verdict v);
const char *verdict__sentence(enum verdict v);

#endif
