/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of a kernel say, without that kernel: which functions vmlinux or a module has, where they lie and
 * which of them ftrace can trace. A function that it cannot trace gets the reason that the file proves.
 *
 * Modules may be compressed by gzip, xz or zstd, as distributions have them.
 */
#ifndef HYTRACE_IMAGE_IMAGE_H
#define HYTRACE_IMAGE_IMAGE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/untraced.h"

/*
 * Where the init text of a module begins, which the kernel loads apart from the rest: this and the offset there.
 * Addresses below are offsets in the text that stays. vmlinux has no such difference.
 */
#define IMAGE_MODULE_INIT (1ULL << 40)

struct image;
struct image_file;
struct unit;

struct image_function {
	uint64_t addr;		/* vmlinux: as linked. A module: see IMAGE_MODULE_INIT */
	uint64_t size;		/* in bytes; 0: the file does not say */
	const char *name;	/* of several names of one address, the one that the kernel prints */
	uint32_t sympos;	/* which of its name, by address, from 1 */
	enum untraced untraced;	/* why it cannot be traced; UNTRACED_NOT: it can */
	bool init;		/* freed when boot is done, or the module has come */
	bool exported;		/* modules may call it */
};

/**
 * image__open() - read the functions of a file
 * @ret: to be freed by image__free()
 * @path: vmlinux, or the file of a module
 * @module: the module's name; NULL: the file is a vmlinux
 *
 * Return: 0, or a negative errno, which is told: -EINVAL if the file cannot be read, is no such file, or lacks its
 * symbols or its text.
 */
int image__open(struct image **ret, const char *path, const char *module);
void image__free(struct image *image);

const char *image__path(const struct image *image);
const char *image__module(const struct image *image);	/* NULL: vmlinux */
const char *image__build_id(const struct image *image);	/* lowercase hex; NULL: it has none */
const char *image__release(const struct image *image);	/* "6.12.117"; NULL: it does not say */
const char *image__arch(const struct image *image);	/* as uname(2) says it; NULL: another one */
/* Whether it has debug information. Without it, units and some reasons are not known. */
bool image__has_dwarf(const struct image *image);

/* All, in order of address; one for each address. */
const struct image_function *image__functions(const struct image *image, size_t *ret_count);
/* The one that contains @addr; NULL: none is known there. */
const struct image_function *image__function_at(const struct image *image, uint64_t addr);

/**
 * image__named() - the functions of a name
 * @image: the image
 * @name: any of their names, also one that the kernel does not print
 * @ret_count: how many there are
 *
 * Return: pointers to them, by address; NULL: none.
 */
const struct image_function *const *image__named(const struct image *image, const char *name, size_t *ret_count);

/* The code at @addr as linked, and how many bytes of it follow in that section; NULL: there is none. */
const unsigned char *image__text(const struct image *image, uint64_t addr, size_t *ret_left);

/* The file that was compiled for what lies at @addr; NULL: unknown. */
const struct unit *image__unit(const struct image *image, uint64_t addr);

/* A place of the source as people write it, "fs/read_write.c", from how the debug information has it; is kept. */
const char *image__source(const struct image *image, const char *path);

/* The debug information; NULL: none. It has a module's text at other addresses than the image does. */
Dwarf *image__dwarf(const struct image *image);
Dwarf_Addr image__to_dwarf(const struct image *image, uint64_t addr);
uint64_t image__from_dwarf(const struct image *image, Dwarf_Addr addr);

/* For the neighbours in this folder (file.h). */
const struct image_file *image__file(const struct image *image);

#endif
