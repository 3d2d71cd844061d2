/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds where an address lies, by the symbol tables of the beginning and the end of tracing. */
#ifndef HYTRACE_KERNEL_PLACES_H
#define HYTRACE_KERNEL_PLACES_H

#include <stdbool.h>

#include "kernel/hits.h"
#include "kernel/running.h"

struct places {
	const struct kernel *kernel;	/* at the beginning */
	const struct symbols *after;	/* NULL: nothing has changed */
};

/*
 * Fills name, module, offset and link of a hit whose addr is set. The address of a function may be
 * its traced instruction, and becomes its entry. Returns false if the address is unknown or in
 * generated code. @hits: the list that will get the hit.
 */
bool places__resolve(const struct places *p, struct hits *hits, struct hit *hit);
/* Like places__resolve(), for a hit with a module and an offset, as the oneshot tracer lists it. */
void places__resolve_offset(const struct places *p, struct hits *hits, struct hit *hit);
/* Fills in the other address of a hit. @other: has its addr, or its module and offset; it need not be found. */
void places__resolve_other(const struct places *p, struct hits *hits, struct hit *hit, struct hit *other);

#endif
