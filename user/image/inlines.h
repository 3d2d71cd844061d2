/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which functions of the source the code at an address is of, by the debug information. The compiler puts bodies of
 * functions into others; a return address in such a body proves that its function ran, though nothing entered it.
 *
 * Reading this takes seconds, and is done only when it is asked for.
 */
#ifndef HYTRACE_IMAGE_INLINES_H
#define HYTRACE_IMAGE_INLINES_H

#include <stddef.h>
#include <stdint.h>

#include "image/image.h"

#define INLINES_NONE UINT32_MAX

/* A function of the source. One of a header is the same in all files that include it. */
struct source_function {
	const char *name;
	const char *file;	/* lives as long as the image; NULL: unknown */
	unsigned int line;
	bool inlined;		/* somewhere */
};

/* A piece of code that was inlined. */
struct inlined {
	uint64_t start, end;	/* as in struct image_function */
	uint32_t source;	/* the index of its function */
};

struct inlines;

/**
 * inlines__read() - read all bodies of an image
 * @ret: to be freed by inlines__free()
 * @image: the image, which has to live as long
 *
 * Return: 0; -ENODATA, quietly, if the image has no debug information; -ENOMEM, which is told.
 */
int inlines__read(struct inlines **ret, const struct image *image);
void inlines__free(struct inlines *in);

const struct source_function *inlines__sources(const struct inlines *in, size_t *ret_count);

/* The function of the source whose own code @f is; INLINES_NONE: unknown. */
uint32_t inlines__source_of(const struct inlines *in, const struct image_function *f);

/**
 * inlines__inside() - what was inlined into a function
 * @in: the inlines
 * @f: the function
 * @ret_count: how many pieces there are
 *
 * Return: the pieces, by their start; one may lie in another. NULL: none.
 */
const struct inlined *inlines__inside(const struct inlines *in, const struct image_function *f, size_t *ret_count);

#endif
