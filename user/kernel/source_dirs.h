/* SPDX-License-Identifier: GPL-2.0-only */
/* Which source directory a kernel address was compiled from, by vmlinux's DWARF. */
#ifndef HYTRACE_KERNEL_SOURCE_DIRS_H
#define HYTRACE_KERNEL_SOURCE_DIRS_H

#include <stdint.h>

struct source_dirs;

/* -ENODATA, quietly, when the file has no DWARF. */
int source_dirs__open(struct source_dirs **ret, const char *vmlinux);
void source_dirs__free(struct source_dirs *d);
/* Relative to the source tree, "fs/ext4"; NULL: unknown. @addr as linked. */
const char *source_dirs__find(const struct source_dirs *d, uint64_t addr);

#endif
