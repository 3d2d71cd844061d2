/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a function can be entered without a call that names it: by a pointer, if its address is taken
 * anywhere, or by a jump at the end of another function. This goes over all code and data of an
 * image once.
 */
#ifndef HYTRACE_IMAGE_REFERENCES_H
#define HYTRACE_IMAGE_REFERENCES_H

#include "image/calls.h"

enum taken {
	TAKEN_UNKNOWN,		/* a function of a module: other files may take its address */
	TAKEN_NOT,
	TAKEN_YES,
};

struct references;

/**
 * references__read() - find all references in an image
 * @ret: to be freed by references__free()
 * @image: the image, which must live as long
 * @calls: its calls
 *
 * Return: 0, or -ENOMEM after a message.
 */
int references__read(struct references **ret, const struct image *image, const struct calls *calls);
void references__free(struct references *r);

/* Is the address of a function taken anywhere except in the lists of tracers and of exports? */
enum taken references__taken(const struct references *r, const struct image_function *f);

/**
 * references__jumps() - find the jumps into a function
 * @r: the references
 * @f: the function
 * @ret_count: their number
 *
 * Return: jumps of other functions to its entry, in any order; NULL: there are none.
 */
const struct call *references__jumps(const struct references *r, const struct image_function *f, size_t *ret_count);

#endif
