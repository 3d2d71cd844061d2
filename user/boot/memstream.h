/* SPDX-License-Identifier: GPL-2.0-only */
/* Streams into memory. If there is none, the program ends, as with base/memory.h. */
#ifndef HYTRACE_BOOT_MEMSTREAM_H
#define HYTRACE_BOOT_MEMSTREAM_H

#include <stdio.h>

#include "base/memory.h"

/* As open_memstream(). */
static inline FILE *memstream__open(char **text, size_t *size)
{
	FILE *f = open_memstream(text, size);

	if (!f)
		memory__fail();
	return f;
}

/* The stream has no other errors. */
static inline void memstream__close(FILE *f)
{
	if (fclose(f))
		memory__fail();
}

#endif
