/* SPDX-License-Identifier: GPL-2.0-only */
/* What the compiler made of a function of the source, by the debug information: where it has put copies of it. */
#ifndef HYTRACE_IMAGE_COPIES_H
#define HYTRACE_IMAGE_COPIES_H

#include <stddef.h>
#include <stdint.h>

#include "image/image.h"

/* A function of that name in the source; several files may have one each. */
struct copied {
	const char *file;	/* lives as long as the image; NULL: unknown */
	unsigned int line;
};

struct copies {
	struct copied *sources;
	size_t source_count;
	/* The functions that it was inlined into, by address, each once. */
	const struct image_function **into;
	size_t into_count;
};

/**
 * copies__find() - find all copies of a function
 * @ret: to be freed by copies__free()
 * @image: the image
 * @name: of the function in the source
 *
 * Return: 0; -ENODATA, quietly, if the image has no debug information; -ENOMEM, which is told.
 */
int copies__find(struct copies *ret, const struct image *image, const char *name);
void copies__free(struct copies *c);

#endif
