/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds where the compiler has inlined copies of a source function, by the debug information. */
#ifndef HYTRACE_IMAGE_COPIES_H
#define HYTRACE_IMAGE_COPIES_H

#include <stddef.h>
#include <stdint.h>

#include "image/image.h"

/* A source function of this name. Several files may define one. */
struct copied {
	const char *file;	/* lives as long as the image; NULL: unknown */
	unsigned int line;
};

struct copies {
	struct copied *sources;
	size_t source_count;
	/* The functions into which it was inlined, by address, each once. */
	const struct image_function **into;
	size_t into_count;
};

/**
 * copies__find() - find all copies of a function
 * @ret: to be freed by copies__free()
 * @image: the image
 * @name: the function's name in the source
 *
 * Return: 0; -ENODATA without a message if there is no debug information.
 */
int copies__find(struct copies *ret, const struct image *image, const char *name);
void copies__free(struct copies *c);

#endif
