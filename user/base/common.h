/* SPDX-License-Identifier: GPL-2.0-only */
/* What nearly all files use of the C library. The compiler includes it first, as all files of git do with its own. */
#ifndef HYTRACE_BASE_COMMON_H
#define HYTRACE_BASE_COMMON_H

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#endif
