/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a module takes from vmlinux: the symbols that it imports, and where these are defined. The module's file is enough
 * for this; its source need not be part of the kernel's.
 */
#ifndef HYTRACE_IMAGE_IMPORTS_H
#define HYTRACE_IMAGE_IMPORTS_H

#include "image/image.h"

struct import {
	const char *name;	/* lives as long as the module's image */
	const char *unit;	/* "fs/read_write.c", lives as long as vmlinux's; NULL: vmlinux has no unit with it */
	const char *file;	/* with the definition, often the unit; NULL: unknown */
	unsigned int line;	/* in there */
};

struct imports {
	struct import *list;
	size_t count;
};

/**
 * imports__find() - find what a module imports
 * @ret: to be freed by imports__free()
 * @module: the module
 * @vmlinux: its kernel, with debug information, which is read once
 */
void imports__find(struct imports *ret, const struct image *module, const struct image *vmlinux);
void imports__free(struct imports *i);

#endif
