/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the functions of a file by its symbols. */
#ifndef HYTRACE_IMAGE_FUNCTIONS_H
#define HYTRACE_IMAGE_FUNCTIONS_H

#include "image/file.h"
#include "image/image.h"
#include "image/sites.h"
#include "image/units.h"

/* A name, and the function that has it. */
struct function_name {
	const char *name;	/* points into the string table of the file */
	uint64_t addr, size;
	size_t order;		/* index in the symbol table */
	bool weak;
	bool code;		/* the symbol has the type of a function, or a size */
	uint32_t sympos;
	size_t function;
};

struct functions {
	struct image_function *list;	/* sorted by address */
	size_t count;
	struct function_name *names;	/* sorted by name and address */
	size_t name_count;
	const struct image_function **by_name;	/* [i]: the function of names[i] */
};

/**
 * functions__read() - find the functions of a file
 * @ret: to be freed by functions__free()
 * @file: the file, which must stay open
 * @sites: the sites of functions that can be traced
 * @units: the units; NULL: the file has no debug information
 */
void functions__read(struct functions *ret, const struct image_file *file, const struct sites *sites,
		     const struct units *units);
void functions__free(struct functions *f);

const struct image_function *functions__at(const struct functions *f, uint64_t addr);
const struct image_function *const *functions__named(const struct functions *f, const char *name, size_t *ret_count);

#endif
