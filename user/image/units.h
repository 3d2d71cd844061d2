/* SPDX-License-Identifier: GPL-2.0-only */
/* Which file was compiled for the code at an address, by the compilation units of the debug information. */
#ifndef HYTRACE_IMAGE_UNITS_H
#define HYTRACE_IMAGE_UNITS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether the compiler was told to put calls for tracers into functions. */
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
 * Return: 0; -ENODATA, quietly, if the file has no debug information; another negative errno, which is told.
 */
int units__open(struct units **ret, const char *vmlinux);
/* The same of debug information that is open, and stays so. */
int units__read(struct units **ret, Dwarf *dwarf);
void units__free(struct units *u);

/* The unit of the code at @addr, as the debug information has it; NULL: unknown. */
const struct unit *units__find(const struct units *u, uint64_t addr);

/**
 * units__source() - a path as people write it
 * @u: the units
 * @path: as the debug information has it: absolute, or with "./", "//" or "x/../" in it
 *
 * Return: the path from the top of the source; it lives as long as @u.
 */
const char *units__source(struct units *u, const char *path);

#endif
