// SPDX-License-Identifier: GPL-2.0-only
/* Finds the ways of ways.h. In vmlinux, the linker has filled the tables in; a module has relocations. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "image/ways.h"
#include "kernel/elf_file.h"

/* Each entry begins with the distances to the instruction and to its target, of 4 bytes each. */
static const struct table {
	const char *relocations, *start, *stop;
	size_t entry;
} tables[] = {
	{ ".rela__jump_table", "__start___jump_table", "__stop___jump_table", 16 },
	{ ".rela__ex_table", "__start___ex_table", "__stop___ex_table", 12 },
};

static int read_linked(struct ways *w, const struct image_file *file, const struct table *table)
{
	const unsigned char *bytes;
	uint64_t start, stop;
	size_t left;

	if (!elf_file__symbol(file->elf, table->start, &start) ||
	    !elf_file__symbol(file->elf, table->stop, &stop) || stop <= start)
		return 0;
	bytes = image_file__bytes(file, start, &left);
	if (!bytes || left < stop - start)
		return error__return(-EINVAL, "%s: is damaged: the table at %s cannot be read",
				     file->path, table->start);
	for (uint64_t at = 0; at + table->entry <= stop - start; at += table->entry) {
		int32_t distances[2];

		memcpy(distances, bytes + at, sizeof(distances));
		*LIST_ADD(w->list, w->count) = (struct way){ start + at + distances[0], start + at + 4 + distances[1] };
	}
	return 0;
}

static bool find_target(const struct image_file *file, const GElf_Rela *rela, uint64_t *ret)
{
	const struct text_section *text;
	GElf_Sym sym;

	if (!gelf_getsym(file->symbols, GELF_R_SYM(rela->r_info), &sym))
		return false;
	text = image_file__text(file, sym.st_shndx);
	if (!text)
		return false;
	*ret = text->addr + sym.st_value + rela->r_addend;
	return true;
}

/* Relies on the order of relocations: the assembler writes them by their offsets. */
static void read_relocated(struct ways *w, const struct image_file *file, const struct table *table)
{
	GElf_Shdr shdr;
	Elf_Scn *section = elf_file__section(file->elf, table->relocations, &shdr);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	uint64_t at = 0, entry = UINT64_MAX, to;
	GElf_Rela rela;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
		if (rela.r_offset % table->entry == 0 && find_target(file, &rela, &at))
			entry = rela.r_offset;
		else if (entry != UINT64_MAX && rela.r_offset == entry + 4)
			*LIST_ADD(w->list, w->count) = (struct way){
				at, find_target(file, &rela, &to) ? to : UINT64_MAX,
			};
	}
}

static int by_place(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

int ways__read(struct ways *ret, const struct image_file *file)
{
	int err = 0;

	*ret = (struct ways){};
	for (size_t i = 0; !err && i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (file->is_module)
			read_relocated(ret, file, &tables[i]);
		else
			err = read_linked(ret, file, &tables[i]);
	}
	if (ret->count)
		qsort(ret->list, ret->count, sizeof(*ret->list), by_place);
	return err;
}

void ways__free(struct ways *w)
{
	free(w->list);
	*w = (struct ways){};
}
