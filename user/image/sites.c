// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the sites of ftrace in a file; see sites.h.
 *
 * The list is the table that ftrace itself uses. In vmlinux, the linker has filled it in; in a
 * module, it consists of relocations.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "image/sites.h"
#include "kernel/elf_file.h"

/* The site is at the entry, or after an ENDBR instruction, which has this size. */
#define ENTRY_BYTES 4

static int read_table(struct sites *s, const struct image_file *file)
{
	const unsigned char *bytes;
	uint64_t start, end, site;
	size_t left;

	if (!elf_file__symbol(file->elf, "__start_mcount_loc", &start) ||
	    !elf_file__symbol(file->elf, "__stop_mcount_loc", &end) || end <= start)
		return error__return(-EINVAL, "%s: has no table of functions that can be traced: that kernel was "
				     "configured without ftrace, or is no vmlinux", file->path);
	bytes = image_file__bytes(file, start, &left);
	if (!bytes || left < end - start)
		return error__return(-EINVAL, "%s: is damaged: the table of functions that can be traced cannot be "
				     "read", file->path);
	for (size_t at = 0; at + sizeof(site) <= end - start; at += sizeof(site)) {
		memcpy(&site, bytes + at, sizeof(site));
		/* The build zeroes the sites of weak functions that were overridden. */
		if (site)
			*LIST_ADD(s->list, s->count) = site;
	}
	return 0;
}

static void read_relocations(struct sites *s, const struct image_file *file)
{
	Elf_Scn *section;
	GElf_Shdr shdr;
	GElf_Rela rela;
	Elf_Data *data;
	GElf_Sym sym;

	section = elf_file__section(file->elf, ".rela__mcount_loc", &shdr);
	data = section ? elf_getdata(section, NULL) : NULL;
	for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
		const struct text_section *text;

		if (!gelf_getsym(file->symbols, GELF_R_SYM(rela.r_info), &sym))
			continue;
		text = image_file__text(file, sym.st_shndx);
		if (text)
			*LIST_ADD(s->list, s->count) = text->addr + sym.st_value + rela.r_addend;
	}
}

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int sites__read(struct sites *ret, const struct image_file *file)
{
	int err = 0;

	memset(ret, 0, sizeof(*ret));
	if (file->is_module)
		read_relocations(ret, file);
	else
		err = read_table(ret, file);
	if (!err && ret->count)
		qsort(ret->list, ret->count, sizeof(*ret->list), by_address);
	return err;
}

void sites__free(struct sites *s)
{
	free(s->list);
	memset(s, 0, sizeof(*s));
}

bool sites__has(const struct sites *s, uint64_t addr)
{
	size_t low = sorted__from(s->list, s->count, sizeof(*s->list), 0, addr);

	return low < s->count && (s->list[low] == addr || s->list[low] == addr + ENTRY_BYTES);
}
