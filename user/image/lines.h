/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places in the source, by the debug information: the file from which the code at an address was compiled, and
 * the lines of many addresses at once. For these, all line tables are read, so one takes as long as many.
 */
#ifndef HYTRACE_IMAGE_LINES_H
#define HYTRACE_IMAGE_LINES_H

#include <elfutils/libdw.h>

#include "image/image.h"

/* Was the compiler told to put calls for tracers into functions (-pg)? */
enum unit_calls { UNIT_CALLS_UNKNOWN, UNIT_CALLS, UNIT_NO_CALLS };

struct unit {
	const char *path;	/* "fs/read_write.c" */
	bool assembly;
	enum unit_calls calls;
};

struct units;

/**
 * units__open() - read the units of a vmlinux
 * @ret: to be freed by units__free()
 * @vmlinux: the file
 *
 * Return: 0; -ENODATA without a message if there is no debug information; another errno after a message.
 */
int units__open(struct units **ret, const char *vmlinux);
/* Reads the units of an open @dwarf, which must stay open. Returns NULL if it describes no code. */
struct units *units__read(Dwarf *dwarf);
void units__free(struct units *u);

/* The unit of the code at @addr, as the debug information numbers addresses; NULL: unknown. */
const struct unit *units__find(const struct units *u, uint64_t addr);

/**
 * units__source() - turn a path into the usual one
 * @u: the units
 * @path: a path of the debug information: absolute, or with "./", "//" or "x/../" in it
 *
 * Return: the path from the top of the source; it lives as long as @u.
 */
const char *units__source(struct units *u, const char *path);

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
 * lines__each() - go through all line tables
 * @image: the image
 * @use: called for each unit with each file that it names, and the line 0; if that returns true, then with the file's
 *	 path, which lives as long as the image, and the line of each row
 * @data: for @use
 *
 * Return: as lines__find().
 */
int lines__each(const struct image *image, bool (*use)(const char *file, unsigned int line, void *data), void *data);

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
