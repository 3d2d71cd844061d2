/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ELF file of a vmlinux or a module: its sections with code, their addresses, its debug information and
 * its symbols. For this folder only.
 */
#ifndef HYTRACE_IMAGE_FILE_H
#define HYTRACE_IMAGE_FILE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "image/image.h"
#include "image/lines.h"

static inline bool begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static inline bool ends_with(const char *text, const char *end)
{
	size_t a = strlen(text), b = strlen(end);

	return a >= b && !strcmp(text + a - b, end);
}

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

const struct text_section *image_file__text_at(const struct image_file *file, uint64_t addr);
/* Returns NULL if the section has no code. */
const struct text_section *image_file__text(const struct image_file *file, size_t section);

/**
 * image_file__table() - find a table of vmlinux between two symbols
 * @file: the file
 * @from: the symbol at its beginning
 * @to: the symbol at its end
 * @ret_addr: its address
 * @ret: its bytes
 * @ret_size: their number
 *
 * Return: 0; -ENOENT without a message: there is none; -EINVAL after a message: it cannot be read.
 */
int image_file__table(const struct image_file *file, const char *from, const char *to, uint64_t *ret_addr,
		      const unsigned char **ret, size_t *ret_size);
/* Finds the place in code, as in struct image_function, that a relocation names. */
bool image_file__target(const struct image_file *file, const GElf_Rela *rela, uint64_t *ret);

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
 * @units: the units; NULL: the file has no debug information
 *
 * Return: 0, or -EINVAL after a message if a vmlinux has no table of functions that can be traced.
 */
int functions__read(struct functions *ret, const struct image_file *file, const struct units *units);
void functions__free(struct functions *f);

struct image {
	char *path, *module, *build_id, *release;
	struct image_file file;
	struct functions functions;
	struct units *units;	/* NULL: no debug information */
};

#endif
