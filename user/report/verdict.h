/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verdict of a run on a function: did the run see it, and if not, could it have? All answers
 * from recordings use this one rule, so that no two answers disagree: shares, lists, diff, why,
 * callers, compare, lcov and the page.
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
	VERDICT_NOT_ASKED,	/* -a does not match it */
	VERDICT_DENIED,		/* -d matches it */
	VERDICT_OWN,		/* a helper of the engine, which hytrace excludes */
	VERDICT_UNATTACHED,	/* the engine could not attach to it */
	VERDICT_NO_MODULE,	/* its module was not loaded, or came later and was not followed */
	VERDICT_FREED,		/* init text: freed by then, or a module's */
	/* The kernel's build is the reason. */
	VERDICT_UNTRACEABLE,
	VERDICT_NO_FUNCTION,	/* there is no such function, or it is inlined everywhere */
	/* It is open whether it ran. */
	VERDICT_INLINED,	/* not called, but inlined where it may have run */
	VERDICT_UNKNOWN,	/* it is not known which functions the build has */
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
/* Could the build trace the function, but the run not see it? Then its absence means nothing. */
bool verdict__is_blind(enum verdict v);

/**
 * verdict__is_certain() - does a verdict follow from the data?
 * @v: the verdict on a function
 * @c: the run
 * @module: the function's module; NULL: vmlinux
 *
 * Return: false if it is open whether the function ran, or if the run may have lost it.
 */
bool verdict__is_certain(enum verdict v, const struct coverage *c, const char *module);

/* Returns a word for json; and the end of a sentence about the run. */
const char *verdict__word(enum verdict v);
const char *verdict__sentence(enum verdict v);

#endif
