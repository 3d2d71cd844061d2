/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the source directory from which the code at an address was compiled, by vmlinux's DWARF. */
#ifndef HYTRACE_KERNEL_SOURCE_DIRS_H
#define HYTRACE_KERNEL_SOURCE_DIRS_H

#include <stdint.h>

struct source_dirs;

/* Returns -ENODATA without a message if the file has no DWARF. */
int source_dirs__open(struct source_dirs **ret, const char *vmlinux);
void source_dirs__free(struct source_dirs *d);
/*
 * The directory, relative to the source tree, such as "fs/ext4"; NULL: unknown. @addr: as linked.
 */
const char *source_dirs__find(const struct source_dirs *d, uint64_t addr);

#endif
