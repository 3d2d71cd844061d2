/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the functions of ftrace's list are, when it has their names only. */
#ifndef HYTRACE_KERNEL_TRACEABLE_NAMES_H
#define HYTRACE_KERNEL_TRACEABLE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/symbols.h"

/* A line of available_filter_functions. */
struct traceable_name {
	const char *name;
	const char *module;	/* NULL: vmlinux */
	uint64_t addr;		/* of the symbol; 0: not known */
};

/*
 * Sets the addresses, all of which are 0, of @list, which is in the file's order: by address in the kernel
 * and in each module. What could be one of several symbols stays 0.
 */
int traceable_names__locate(struct traceable_name *list, size_t count, const struct symbols *symbols);

#endif
