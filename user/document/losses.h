/* SPDX-License-Identifier: GPL-2.0-only */
/* What a result may lack, by the counters of its "lost": one table, for all that reads them. */
#ifndef HYTRACE_DOCUMENT_LOSSES_H
#define HYTRACE_DOCUMENT_LOSSES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/counters.h"

enum loss_meaning {
	LOSS_NOTHING,		/* the result has all the same */
	LOSS_MAYBE,		/* it may lack something */
	LOSS_MISSING,		/* it lacks something */
};

struct loss {
	const char *name;
	enum loss_meaning meaning;
	/* HIT_FUNCTION, HIT_CALLER: of these, one that is listed may have been called before its first hit. */
	unsigned int hides;
	const char *text;
};

/**
 * losses__at() - the table, one by one
 * @index: from 0
 *
 * Return: a loss, or NULL after the last one.
 */
const struct loss *losses__at(size_t index);

/**
 * losses__find() - what a counter says
 * @name: of the counter
 *
 * Return: the loss of that name; NULL: there is none.
 */
const struct loss *losses__find(const char *name);

/**
 * losses__name() - whether a counter is one of a loss
 * @name: of the counter
 *
 * Return: the same name, which is there for good; NULL: it is none.
 */
const char *losses__name(const char *name);

/**
 * losses__complete() - whether a result has all that it was to have
 * @lost: its counters
 *
 * A counter that is not in the table may be of something that is missing.
 *
 * Return: true if nothing is missing, for certain.
 */
bool losses__complete(const struct counters *lost);

/**
 * losses__worst() - the gravest of what was lost
 * @lost: the counters
 *
 * Return: LOSS_NOTHING if the result is complete.
 */
enum loss_meaning losses__worst(const struct counters *lost);

/**
 * losses__hide() - whether a first hit may not have been the first call
 * @lost: the counters of the result that has the hit
 * @kind: of the hit, HIT_FUNCTION or HIT_CALLER
 *
 * Return: true if an earlier call may be among what was lost.
 */
bool losses__hide(const struct counters *lost, unsigned int kind);

/**
 * loss_meaning__name() - a meaning in one word
 * @meaning: it
 *
 * Return: "nothing", "maybe" or "missing".
 */
const char *loss_meaning__name(enum loss_meaning meaning);

#endif
