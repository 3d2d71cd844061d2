/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions from the files of a kernel, without running it: which functions vmlinux or a module
 * has, where they are, which of them ftrace can trace, and why it cannot trace the other functions.
 *
 * Modules may be compressed by gzip, xz or zstd, as in distributions.
 */
#ifndef HYTRACE_IMAGE_IMAGE_H
#define HYTRACE_IMAGE_IMAGE_H

#include <elfutils/libdw.h>

enum untraced {
	UNTRACED_NOT = 0,
	UNTRACED_NOINSTR,
	UNTRACED_ENTRY,
	UNTRACED_TRAMPOLINE,
	UNTRACED_FRAGMENT,
	UNTRACED_ASSEMBLY,
	UNTRACED_FILE,
	UNTRACED_NOTRACE,
	UNTRACED_NO_CALL,
	UNTRACED_DISABLED,	/* only a running kernel shows this */
	UNTRACED_COUNT
};

/* The word for @why in json; NULL for UNTRACED_NOT. */
const char *untraced__word(enum untraced why);
/* The reason with this word; UNTRACED_NOT: there is none. */
enum untraced untraced__of_word(const char *word);
/* The reason, as the end of a sentence that begins with the function's name. */
const char *untraced__sentence(enum untraced why);

/*
 * A region of text whose functions cannot be traced, given by its section, or by its first and last
 * symbol.
 */
struct untraced_region {
	const char *section, *start, *end;
	enum untraced why;
};

#define UNTRACED_REGIONS 7
extern const struct untraced_region untraced_regions[UNTRACED_REGIONS];

/* The reason that a name alone shows; UNTRACED_NOT: none. */
enum untraced untraced__of_name(const char *name);

/*
 * Added to offsets in the init text of a module, because the kernel loads the init text separately.
 * Other addresses of a module are offsets in the text that stays. Addresses of vmlinux are as
 * linked.
 */
#define IMAGE_MODULE_INIT (1ULL << 40)

/* The machine of all files that can be read, as in uname(2). */
#define IMAGE_ARCH "x86_64"

struct image;
struct unit;

struct image_function {
	uint64_t addr;		/* of vmlinux: as linked; of a module: see IMAGE_MODULE_INIT */
	uint64_t size;		/* in bytes; 0: unknown */
	const char *name;	/* of several names, the name that the kernel prints */
	uint32_t sympos;	/* its number among functions of the same name, by address, from 1 */
	enum untraced untraced;	/* why ftrace cannot trace it; UNTRACED_NOT: it can */
	bool init;		/* freed after the boot, or after its module is loaded */
	bool exported;		/* modules may call it */
};

/**
 * image__open() - read the functions of a file
 * @ret: to be freed by image__free()
 * @path: vmlinux, or the file of a module
 * @module: the module's name; NULL: the file is a vmlinux
 *
 * Return: 0, or a negative errno after a message: -EINVAL if the file cannot be read, is no kernel
 * or module, or lacks its symbols or its text.
 */
int image__open(struct image **ret, const char *path, const char *module);
void image__free(struct image *image);

const char *image__path(const struct image *image);
const char *image__module(const struct image *image);	/* NULL: vmlinux */
const char *image__build_id(const struct image *image);	/* lowercase hex; NULL: it has none */
const char *image__release(const struct image *image);	/* "6.12.117"; NULL: unknown */

/* All functions in order of address, one for each address. */
const struct image_function *image__functions(const struct image *image, size_t *ret_count);
/* The function that contains @addr; NULL: none is known there. */
const struct image_function *image__function_at(const struct image *image, uint64_t addr);

/**
 * image__named() - find the functions of a name
 * @image: the image
 * @name: any name of the functions, even one that the kernel does not print
 * @ret_count: the number of functions
 *
 * Return: pointers to the functions, by address; NULL: there are none.
 */
const struct image_function *const *image__named(const struct image *image, const char *name, size_t *ret_count);

/*
 * The code at @addr as linked. @ret_left: the bytes until the end of its section. NULL: there is no
 * code.
 */
const unsigned char *image__text(const struct image *image, uint64_t addr, size_t *ret_left);

/* All compiled files; NULL: unknown. */
const struct unit *image__units(const struct image *image, size_t *ret_count);
/* The compiled file from which the code at @addr comes; NULL: unknown. */
const struct unit *image__unit(const struct image *image, uint64_t addr);

/*
 * Turns a path of the debug information into the usual one, "fs/read_write.c", which lives as long
 * as the image.
 */
const char *image__source(const struct image *image, const char *path);

/*
 * The debug information; NULL: there is none, so units and some reasons are not known. There, a module's text has other
 * addresses; the next two functions convert them.
 */
Dwarf *image__dwarf(const struct image *image);
Dwarf_Addr image__to_dwarf(const struct image *image, uint64_t addr);
uint64_t image__from_dwarf(const struct image *image, Dwarf_Addr addr);

#endif
