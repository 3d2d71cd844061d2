/* SPDX-License-Identifier: GPL-2.0-only */
/* Places in the source of addresses, of many at once: all line tables are read for one as for all. */
#ifndef HYTRACE_IMAGE_LINES_H
#define HYTRACE_IMAGE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/image.h"

struct line_place {
	const char *file;	/* "fs/read_write.c", lives as long as the image; NULL: unknown */
	unsigned int line;	/* from 1; 0: unknown */
	bool begins;		/* the compiler has a line that begins there, as at the entry of a function of C */
};

/**
 * lines__find() - where addresses come from
 * @image: the image
 * @addrs: in ascending order; for a return address, one byte less
 * @count: of these
 * @ret: one for each
 *
 * Return: 0; -ENODATA, quietly, if the image has no debug information; -ENOMEM, which is told.
 */
int lines__find(const struct image *image, const uint64_t *addrs, size_t count, struct line_place *ret);

#endif
