/* SPDX-License-Identifier: GPL-2.0-only */
/* How long calls took, and inside of which others, as far as a trace of functions shows that. */
#ifndef HYTRACE_BOOT_SPANS_H
#define HYTRACE_BOOT_SPANS_H

#include "boot/calls.h"

struct early_span {
	size_t call;			/* its index */
	uint64_t start, end;
};

/*
 * The @most longest spans in order of time, outer ones before inner ones; to be freed. All calls
 * must have both names.
 */
int early_calls__spans(const struct early_calls *c, size_t most, struct early_span **ret,
		       size_t *ret_count);

/*
 * For each call, the index of the first later call that is not from inside it, or the number of
 * calls; to be freed.
 */
int early_calls__ends(const struct early_calls *c, uint32_t **ret);

#endif
