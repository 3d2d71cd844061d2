/* SPDX-License-Identifier: GPL-2.0-only */
/* Locates the functions of ftrace's list if it only has names. */
#ifndef HYTRACE_KERNEL_TRACEABLE_NAMES_H
#define HYTRACE_KERNEL_TRACEABLE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/symbols.h"

/* A line of available_filter_functions. */
struct traceable_name {
	const char *name;
	const char *module;	/* NULL: vmlinux */
	uint64_t addr;		/* the symbol's address; 0: unknown */
};

/*
 * Sets the addresses of @list, all of which are 0 before. The list has the order of the file: by
 * address in the kernel and in each module. If a name could mean several symbols, its address stays
 * 0.
 */
void traceable_names__locate(struct traceable_name *list, size_t count, const struct symbols *symbols);

#endif
