/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the source functions of the code at an address, by the debug information. The compiler
 * inlines bodies of functions into other functions. A return address in an inlined body proves that
 * its function ran, although it was never entered.
 *
 * Reading this takes seconds, so it is done only when it is needed.
 */
#ifndef HYTRACE_IMAGE_INLINES_H
#define HYTRACE_IMAGE_INLINES_H

#include "image/image.h"

#define INLINES_NONE UINT32_MAX

/*
 * A function of the source. A function of a header is the same in all files that include the
 * header.
 */
struct source_function {
	const char *name;
	const char *file;	/* lives as long as the image; NULL: unknown */
	unsigned int line;
	bool inlined;		/* it is inlined somewhere */
};

/* A piece of inlined code. */
#define INLINED_NO_ENTRY UINT64_MAX

struct inlined {
	uint64_t start, end;	/* as in struct image_function */
	uint32_t source;	/* index of the inlined function in inlines__sources() */
	uint64_t entry;		/* entry of the inlined body that this is a piece of, or INLINED_NO_ENTRY */
	unsigned int line;	/* the line of the replaced call, from 1; 0: unknown */
	const char *file;	/* the file of the call; lives as long as the image; NULL: unknown */
};

struct inlines;

/**
 * inlines__read() - read all inlined bodies of an image
 * @ret: to be freed by inlines__free()
 * @image: the image, which must outlive @ret
 *
 * Return: 0; -ENODATA without a message if there is no debug information; -EINVAL after a message if it is damaged.
 */
int inlines__read(struct inlines **ret, const struct image *image);
void inlines__free(struct inlines *in);

const struct source_function *inlines__sources(const struct inlines *in, size_t *ret_count);

/* The source function from which @f was compiled; INLINES_NONE: unknown. */
uint32_t inlines__source_of(const struct inlines *in, const struct image_function *f);

/**
 * inlines__inside() - find the pieces that were inlined into a function
 * @in: the inlines
 * @f: the function
 * @ret_count: the number of pieces
 *
 * Return: the pieces, by their start; a piece may be inside another one. NULL: there are none.
 */
const struct inlined *inlines__inside(const struct inlines *in, const struct image_function *f, size_t *ret_count);

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
