/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of functions across builds. A compiler that clones or splits a function appends a suffix
 * (".isra.0", ".constprop.1", ".part.2", ".cold", ".llvm.3"), but not in each build.
 */
#ifndef HYTRACE_KERNEL_FUNCTION_NAME_H
#define HYTRACE_KERNEL_FUNCTION_NAME_H

#include <stddef.h>

struct strings;

/* The length of @name without what the compiler appends. */
size_t function__base_length(const char *name);
/* @name without what the compiler appends, in @names; @name itself if nothing is appended. */
const char *function__base_name(struct strings *names, const char *name);

#endif
