/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel says about an open file descriptor in /proc/self/fdinfo. */
#ifndef HYTRACE_BASE_FDINFO_H
#define HYTRACE_BASE_FDINFO_H

#include <stdint.h>

/*
 * The bytes that the kernel charges for a BPF map or program; no structure has this number. 0:
 * unknown.
 */
uint64_t fdinfo__memory(int fd);

#endif
