/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a function can be entered other than by a call that names it: by a pointer, if its address is taken anywhere,
 * or by a jump that is the last thing another function does. One pass over all code and data of an image.
 */
#ifndef HYTRACE_IMAGE_REFERENCES_H
#define HYTRACE_IMAGE_REFERENCES_H

#include "image/calls.h"

enum taken {
	TAKEN_UNKNOWN,		/* a module's, which other files may take */
	TAKEN_NOT,
	TAKEN_YES,
};

struct references;

/**
 * references__read() - look at all of an image
 * @ret: to be freed by references__free()
 * @image: the image, which has to live as long
 * @calls: its calls
 *
 * Return: 0, or -ENOMEM, which is told.
 */
int references__read(struct references **ret, const struct image *image, const struct calls *calls);
void references__free(struct references *r);

/* Whether something has the address of a function of the image, other than lists of the tracers and of exports. */
enum taken references__taken(const struct references *r, const struct image_function *f);

/**
 * references__jumps() - the jumps into a function
 * @r: the references
 * @f: the function
 * @ret_count: how many there are
 *
 * Return: jumps of other functions to its entry, in no order that matters; NULL: none.
 */
const struct call *references__jumps(const struct references *r, const struct image_function *f, size_t *ret_count);

#endif
