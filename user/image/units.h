/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the source file from which the code at an address was compiled, by the compilation units of
 * the debug information.
 */
#ifndef HYTRACE_IMAGE_UNITS_H
#define HYTRACE_IMAGE_UNITS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* All units, also those without code. */
const struct unit *units__list(const struct units *u, size_t *ret_count);
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

#endif
