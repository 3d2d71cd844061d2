/* SPDX-License-Identifier: GPL-2.0-only */
/* Which source directory a kernel address was compiled from, by vmlinux's DWARF. */
#ifndef HYTRACE_DIRECTORIES_H
#define HYTRACE_DIRECTORIES_H

#include <stdint.h>

struct directories;

/* -ENODATA, quietly, when the file has no DWARF. */
int directories__open(struct directories **ret, const char *vmlinux);
void directories__free(struct directories *d);
/* Relative to the source tree, "fs/ext4"; NULL: unknown. @addr as linked. */
const char *directories__find(const struct directories *d, uint64_t addr);

#endif
