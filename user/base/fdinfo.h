/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel says about an open file descriptor in /proc/self/fdinfo. */
#ifndef HYTRACE_BASE_FDINFO_H
#define HYTRACE_BASE_FDINFO_H

#include <stdint.h>

/*
 * The memory that the kernel charges for a BPF map or program, in bytes; 0: unknown. The info
 * structs of the kernel do not have this number.
 */
uint64_t fdinfo__memory(int fd);

#endif
