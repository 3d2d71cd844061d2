/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a function can be entered: by a call, by a jump at the end of another function, or by a
 * pointer, if its address is taken anywhere. This goes over all code and data of an image once.
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
 * @image: the image, which must live as long
 * @calls: its calls
 *
 * Return: the references, to be freed by references__free().
 */
struct references *references__read(const struct image *image, const struct calls *calls);
void references__free(struct references *r);

/* Is the address of a function taken anywhere except in the lists of tracers and of exports? */
enum taken references__taken(const struct references *r, const struct image_function *f);

/**
 * references__ways() - find the calls of a function, and the jumps into it
 * @r: the references
 * @f: the function; NULL: those that lead to other files, which only have a name
 * @ret_count: their number
 *
 * Return: those in the same image that name its entry, by address; NULL: there are none.
 */
const struct call *references__ways(const struct references *r, const struct image_function *f, size_t *ret_count);

#endif
