/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the sites of ftrace in a file, and so which functions can be traced. */
#ifndef HYTRACE_IMAGE_SITES_H
#define HYTRACE_IMAGE_SITES_H

#include "image/file.h"

struct sites {
	uint64_t *list;		/* sorted */
	size_t count;
};

/**
 * sites__read() - find the sites of a file
 * @ret: to be freed by sites__free()
 * @file: the file
 *
 * Return: 0, or -EINVAL after a message if a vmlinux has none. A module may have none.
 */
int sites__read(struct sites *ret, const struct image_file *file);
void sites__free(struct sites *s);
/* Does the function at @addr have a site? */
bool sites__has(const struct sites *s, uint64_t addr);

#endif
