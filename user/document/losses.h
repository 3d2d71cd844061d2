/* SPDX-License-Identifier: GPL-2.0-only */
/* What a result may lack, according to the counters in its "lost": one table for all readers. */
#ifndef HYTRACE_DOCUMENT_LOSSES_H
#define HYTRACE_DOCUMENT_LOSSES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

enum loss_meaning {
	LOSS_NOTHING,		/* the result is complete nevertheless */
	LOSS_MAYBE,		/* the result may lack something */
	LOSS_MISSING,		/* the result lacks something */
};

/* Which unlisted functions may have been called, if this loss is counted? */
enum loss_of {
	LOSS_OF_NONE,		/* no function: the loss is of callers, or of modules' init text */
	LOSS_OF_MODULES,	/* functions of modules that were loaded or removed during the run */
	LOSS_OF_ANY,
};

struct loss {
	const char *name;
	enum loss_meaning meaning;
	enum loss_of of;
	/*
	 * HIT_FUNCTION, HIT_CALLER: the first call of a listed hit of this kind may have been lost.
	 */
	unsigned int hides;
	const char *text;
};

/**
 * losses__at() - the entries of the table
 * @index: from 0
 *
 * Return: a loss, or NULL after the last one.
 */
const struct loss *losses__at(size_t index);

/**
 * losses__find() - find the loss of a counter
 * @name: the name of the counter
 *
 * Return: the loss of that name; NULL: there is none.
 */
const struct loss *losses__find(const char *name);

/**
 * losses__name() - whether a counter counts a loss
 * @name: the counter's name
 *
 * Return: the same name in a string that stays valid; NULL: it is not a loss.
 */
const char *losses__name(const char *name);

/**
 * losses__complete() - whether a result is complete
 * @lost: the counters of the result
 *
 * A counter that is not in the table may mean that something is missing.
 *
 * Return: true if it is certain that nothing is missing.
 */
bool losses__complete(const struct counters *lost);

/**
 * losses__worst() - the worst of the losses
 * @lost: the counters
 *
 * Return: LOSS_NOTHING if the result is complete.
 */
enum loss_meaning losses__worst(const struct counters *lost);

/**
 * losses__hide() - whether a first hit may not have been the first call
 * @lost: the counters of the result that has the hit
 * @kind: the kind of the hit, HIT_FUNCTION or HIT_CALLER
 *
 * Return: true if an earlier call may have been lost.
 */
bool losses__hide(const struct counters *lost, unsigned int kind);

/**
 * losses__may_hide() - whether a function that is not listed may have been called nevertheless
 * @lost: the counters of the result
 * @stayed: the function is in vmlinux, or in a module that was loaded all the time
 *
 * A counter that is not in the table may mean that any function is missing.
 *
 * Return: true if a call of the function may have been lost.
 */
bool losses__may_hide(const struct counters *lost, bool stayed);

/**
 * loss_meaning__name() - a meaning in one word
 * @meaning: the meaning
 *
 * Return: "nothing", "maybe" or "missing".
 */
const char *loss_meaning__name(enum loss_meaning meaning);

#endif
