/* SPDX-License-Identifier: GPL-2.0-only */
/* The limit of open files: by default the soft limit is 1024, and the hard limit is large. */
#ifndef HYTRACE_BASE_DESCRIPTORS_H
#define HYTRACE_BASE_DESCRIPTORS_H

#include <stddef.h>

/*
 * Raises the limit of this process, so that it can open @more files in addition to the usual ones. To be called after
 * the command is forked, so that the command keeps its limit. Returns 0, or a negative errno without a message.
 */
int descriptors__allow(size_t more);

#endif
