/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the places in the source for many addresses at once. All line tables are read, so one
 * address takes as long as many.
 */
#ifndef HYTRACE_IMAGE_LINES_H
#define HYTRACE_IMAGE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/image.h"

struct line_place {
	const char *file;	/* "fs/read_write.c", lives as long as the image; NULL: unknown */
	unsigned int line;	/* from 1; 0: unknown */
	bool begins;		/* a line of the source begins at the address, as at the entry of a C function */
};

/**
 * lines__find() - find the places in the source for addresses
 * @image: the image
 * @addrs: in ascending order; for a return address, one byte less
 * @count: the number of addresses
 * @ret: the place of each address
 *
 * Return: 0; -ENODATA without a message if there is no debug information.
 */
int lines__find(const struct image *image, const uint64_t *addrs, size_t count, struct line_place *ret);

/**
 * lines__defined() - find where functions are defined
 * @image: the image
 * @addrs: the entries of functions, in ascending order
 * @count: the number of entries
 * @ret: the place of each: the line that has the function's name. If no definition is known, the
 *	 place that lines__find() gives, provided that a line begins at the entry; otherwise (as for
 *	 assembly in a file of C) the place is empty
 *
 * Return: as lines__find().
 */
int lines__defined(const struct image *image, const uint64_t *addrs, size_t count, struct line_place *ret);

#endif
