/* SPDX-License-Identifier: GPL-2.0-only */
/* The ELF file of a vmlinux or a module: its sections with code, where they lie, and its debug information. */
#ifndef HYTRACE_IMAGE_FILE_H
#define HYTRACE_IMAGE_FILE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A section that has code. */
struct text_section {
	size_t index;
	const char *name;
	uint64_t addr, size;	/* as in struct image_function */
	const unsigned char *bytes;
	bool init;
	Dwarf_Addr dwarf;	/* where the debug information has it */
};

struct image_file {
	const char *path;
	bool is_module;
	int fd;
	Elf *elf;
	Elf_Data *symbols;
	size_t symbol_names;	/* section of their names */
	struct text_section *texts;
	size_t text_count;
	Dwarf *dwarf;		/* NULL: none */
	Dwfl *dwfl;		/* a module's: its debug information has to be relocated */
};

/* -EINVAL, said; @file is to be closed in any case. */
int image_file__open(struct image_file *file, const char *path, bool is_module);
void image_file__close(struct image_file *file);

const struct text_section *image_file__text_at(const struct image_file *file, uint64_t addr);
/* NULL: that section has none. */
const struct text_section *image_file__text(const struct image_file *file, size_t section);
/* The bytes of a section of vmlinux that @addr lies in, from there on; NULL: none. */
const unsigned char *image_file__bytes(const struct image_file *file, uint64_t addr, size_t *ret_left);
/* The section of that name; NULL: none. */
Elf_Scn *image_file__section(const struct image_file *file, const char *name, GElf_Shdr *ret);

#endif
