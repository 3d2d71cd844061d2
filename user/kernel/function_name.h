/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of functions over builds. A compiler that makes another function of a function appends what it did, and a
 * number (".isra.0", ".constprop.1", ".part.2", ".cold", ".llvm.3"), so the same function has other names in other builds.
 */
#ifndef HYTRACE_KERNEL_FUNCTION_NAME_H
#define HYTRACE_KERNEL_FUNCTION_NAME_H

#include <stddef.h>

struct strings;

/* The length of @name without what the compiler appends. */
size_t function__base_length(const char *name);
/* @name without what the compiler appends, in @names; or @name itself if that is nothing. */
const char *function__base_name(struct strings *names, const char *name);

#endif
