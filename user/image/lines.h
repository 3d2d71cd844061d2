/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the places in the source for many addresses at once: one address would take as long, as all
 * tables are read.
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
	bool begins;		/* a line begins at this address, as at the entry of a C function */
};

/**
 * lines__find() - find the places in the source for addresses
 * @image: the image
 * @addrs: in ascending order; for a return address, one byte less
 * @count: their number
 * @ret: the place of each
 *
 * Return: 0; -ENODATA without a message if there is no debug information; -ENOMEM after one.
 */
int lines__find(const struct image *image, const uint64_t *addrs, size_t count, struct line_place *ret);

/**
 * lines__defined() - where functions are defined
 * @image: the image
 * @addrs: where functions begin, in ascending order
 * @count: of these
 * @ret: one for each; the line has the function's name. Without a definition, as of lines__find(); if there is no
 *	 line either that begins there, as for assembly in a file of C, nothing
 *
 * Return: as lines__find().
 */
int lines__defined(const struct image *image, const uint64_t *addrs, size_t count, struct line_place *ret);

#endif
