/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which symbols a module imports from vmlinux, and where they are defined. The module's file is
 * enough for this; its source need not be part of the kernel's.
 */
#ifndef HYTRACE_IMAGE_IMPORTS_H
#define HYTRACE_IMAGE_IMPORTS_H

#include "image/image.h"

struct import {
	const char *name;	/* lives as long as the module's image */
	const char *unit;	/* "fs/read_write.c", lives as long as vmlinux's image; NULL: no unit defines it */
	const char *file;	/* contains the definition, often the unit itself; NULL: unknown */
	unsigned int line;	/* the line of the definition in @file */
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
