/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel tells of an open descriptor, in /proc/self/fdinfo. */
#ifndef HYTRACE_BASE_FDINFO_H
#define HYTRACE_BASE_FDINFO_H

#include <stdint.h>

/* Bytes that it charges for a BPF map or program, which are in no structure; 0: it does not say. */
uint64_t fdinfo__memory(int fd);

#endif
