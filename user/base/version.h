/* SPDX-License-Identifier: GPL-2.0-only */
/* The loader's version, in one place. */
#ifndef HYTRACE_BASE_VERSION_H
#define HYTRACE_BASE_VERSION_H

#define HYTRACE_VERSION "0.1.0"

#endif
