/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ELF file of a vmlinux or a module: its sections with code, their addresses, and its debug
 * information.
 */
#ifndef HYTRACE_IMAGE_FILE_H
#define HYTRACE_IMAGE_FILE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A section with code. */
struct text_section {
	size_t index;
	const char *name;
	uint64_t addr, size;	/* as in struct image_function */
	const unsigned char *bytes;
	bool init;
	Dwarf_Addr dwarf;	/* the address in the debug information */
};

struct image_file {
	const char *path;
	bool is_module;
	int fd;
	Elf *elf;
	Elf_Data *symbols;
	size_t symbol_names;	/* the section with the names of @symbols */
	struct text_section *texts;
	size_t text_count;
	Dwarf *dwarf;		/* NULL: none */
	Dwfl *dwfl;		/* of a module, whose debug information has to be relocated; else NULL */
};

/* Returns 0, or -EINVAL after a message. @file must be closed even after a failure. */
int image_file__open(struct image_file *file, const char *path, bool is_module);
void image_file__close(struct image_file *file);

const struct text_section *image_file__text_at(const struct image_file *file, uint64_t addr);
/* Returns NULL if the section has no code. */
const struct text_section *image_file__text(const struct image_file *file, size_t section);
/* The bytes of vmlinux from @addr to the end of its section; NULL: no section contains @addr. */
const unsigned char *image_file__bytes(const struct image_file *file, uint64_t addr, size_t *ret_left);

#endif
