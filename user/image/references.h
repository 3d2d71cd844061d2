/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a function can be entered: by a call, by a jump at the end of another function, or by a
 * pointer, if its address is taken anywhere. All code and data of an image are searched once.
 */
#ifndef HYTRACE_IMAGE_REFERENCES_H
#define HYTRACE_IMAGE_REFERENCES_H

#include "image/calls.h"

enum taken {
	TAKEN_UNKNOWN,		/* for a module's function: other files may take its address */
	TAKEN_NOT,
	TAKEN_YES,
};

struct references;

/**
 * references__read() - find all references in an image
 * @image: the image, which must outlive the references
 * @calls: its calls
 *
 * Return: the references, to be freed by references__free().
 */
struct references *references__read(const struct image *image, const struct calls *calls);
void references__free(struct references *r);

/* Is the address of a function taken, other than in the tables of tracers and of exports? */
enum taken references__taken(const struct references *r, const struct image_function *f);

/**
 * references__ways() - find the calls of a function, and the jumps into it
 * @r: the references
 * @f: the function; NULL: find calls of functions in other files, which have only a name
 * @ret_count: the number of calls
 *
 * Return: direct calls in the same image, by address; NULL: there are none.
 */
const struct call *references__ways(const struct references *r, const struct image_function *f, size_t *ret_count);

#endif
