/* SPDX-License-Identifier: GPL-2.0-only */
/* How many files may be open: the soft limit is 1024 by default, and the hard one is large. */
#ifndef HYTRACE_BASE_DESCRIPTORS_H
#define HYTRACE_BASE_DESCRIPTORS_H

#include <stddef.h>

/*
 * Allows this process @more descriptors than it needs in general. Call it when the command is forked,
 * which then keeps its limit. Returns a negative errno without a message.
 */
int descriptors__allow(size_t more);

#endif
