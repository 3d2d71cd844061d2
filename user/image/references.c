// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds references to functions; see references.h.
 *
 * A linked image has no relocations. But kernel addresses are so high that a number that equals a
 * function's entry is a reference to it. This looks at aligned words of data and at numbers in
 * instructions. A few tables have distances instead of addresses.
 */
#include "base/memory.h"
#include "base/sorted.h"
#include "image/file.h"
#include "image/references.h"
#include "kernel/call_sites.h"

struct references {
	const struct image *image;
	const struct image_function *list;
	size_t count;
	uint64_t lowest, highest;	/* the range of entries */
	bool *taken;			/* [function]: its address is taken; NULL: unknown */
	struct call *ways;		/* sorted by callee */
	size_t way_count;
};

/* A table between two symbols of vmlinux. */
static const struct table {
	const char *start, *end;
	bool distances;		/* of 4 bytes, from their own addresses; false: it is skipped */
} tables[] = {
	{ "__start_mcount_loc", "__stop_mcount_loc" },
	{ "__start_kprobe_blacklist", "__stop_kprobe_blacklist" },
	{ "__start___ksymtab", "__stop___ksymtab" },
	{ "__start___ksymtab_gpl", "__stop___ksymtab_gpl" },
	{ "__initcall_start", "__initcall_end", true },
	{ "__con_initcall_start", "__con_initcall_end", true },
	{ "__start_pci_fixups_early", "__end_pci_fixups_suspend_late", true },
};

#define TABLES (sizeof(tables) / sizeof(tables[0]))

/* ---- pointers */

static void take(struct references *r, uint64_t addr)
{
	size_t low;

	if (addr < r->lowest || addr > r->highest)
		return;
	low = SORTED_FROM(r->list, r->count, addr, addr);
	if (r->list[low].addr == addr)
		r->taken[low] = true;
}

/* Finds the bounds of all tables in one pass over the symbols. The first symbol of a name counts. */
static void find_tables(const struct image_file *file, uint64_t bounds[TABLES][2])
{
	GElf_Sym sym;

	for (int i = 0; gelf_getsym(file->symbols, i, &sym); i++) {
		const char *name = elf_strptr(file->elf, file->symbol_names, sym.st_name);

		for (size_t t = 0; name && t < TABLES; t++) {
			if (!bounds[t][0] && !strcmp(name, tables[t].start))
				bounds[t][0] = sym.st_value;
			else if (!bounds[t][1] && !strcmp(name, tables[t].end))
				bounds[t][1] = sym.st_value;
		}
	}
}

static const struct table *table_at(const uint64_t bounds[TABLES][2], uint64_t addr)
{
	for (size_t t = 0; t < TABLES; t++) {
		if (addr >= bounds[t][0] && addr < bounds[t][1])
			return &tables[t];
	}
	return NULL;
}

static void read_word(struct references *r, uint64_t addr, const unsigned char *bytes, const struct table *table)
{
	int32_t distances[2];
	uint64_t word;

	if (!table) {
		memcpy(&word, bytes, sizeof(word));
		take(r, word);
	} else if (table->distances) {
		memcpy(distances, bytes, sizeof(distances));
		take(r, addr + distances[0]);
		take(r, addr + 4 + distances[1]);
	}
}

static void read_data(struct references *r, const struct image_file *file)
{
	uint64_t bounds[TABLES][2] = {};
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;

	find_tables(file, bounds);
	while ((section = elf_nextscn(file->elf, section))) {
		const unsigned char *bytes;
		Elf_Data *data;

		if (!gelf_getshdr(section, &shdr) || shdr.sh_type == SHT_NOBITS || !(shdr.sh_flags & SHF_ALLOC) ||
		    (shdr.sh_flags & SHF_EXECINSTR))
			continue;
		data = elf_rawdata(section, NULL);
		bytes = data ? data->d_buf : NULL;
		for (size_t at = -shdr.sh_addr & 7; bytes && at + 8 <= data->d_size; at += 8)
			read_word(r, shdr.sh_addr + at, bytes + at, table_at(bounds, shdr.sh_addr + at));
	}
}

static void read_code(struct references *r, const struct image_function *f)
{
	struct instruction i;
	size_t left;
	const unsigned char *text = image__text(r->image, f->addr, &left);
	uint64_t at = f->addr;

	if (text && f->size && f->size < left)
		left = f->size;
	while (text && left && instruction__decode(&i, text, left, at)) {
		take(r, i.memory);
		take(r, i.value);
		at += i.length;
		text += i.length;
		left -= i.length;
	}
}

/* ---- calls and jumps */

static void add_way(const struct call *call, void *data)
{
	struct references *r = data;

	if (call->kind == CALL_DIRECT)
		*LIST_ADD(r->ways, r->way_count) = *call;
}

static int by_callee(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return ORDER(x->callee, y->callee) ?: ORDER(x->site, y->site);
}

struct references *references__read(const struct image *image, const struct calls *calls)
{
	struct references *r = xcalloc(1, sizeof(*r));

	r->image = image;
	r->list = image__functions(image, &r->count);
	if (!image__module(image) && r->count) {
		r->lowest = r->list[0].addr;
		r->highest = r->list[r->count - 1].addr;
		r->taken = xcalloc(r->count, sizeof(*r->taken));
		read_data(r, &image->file);
	}
	for (size_t i = 0; i < r->count; i++) {
		if (r->taken)
			read_code(r, &r->list[i]);
		calls__of(calls, &r->list[i], add_way, r);
	}
	if (r->way_count)
		qsort(r->ways, r->way_count, sizeof(*r->ways), by_callee);
	return r;
}

void references__free(struct references *r)
{
	if (!r)
		return;
	free(r->taken);
	free(r->ways);
	free(r);
}

enum taken references__taken(const struct references *r, const struct image_function *f)
{
	if (!r->taken)
		return TAKEN_UNKNOWN;
	return r->taken[f - r->list] ? TAKEN_YES : TAKEN_NOT;
}

const struct call *references__ways(const struct references *r, const struct image_function *f, size_t *ret_count)
{
	size_t low = SORTED_FROM(r->ways, r->way_count, callee, (uintptr_t)f);
	size_t end = SORTED_FROM(r->ways, r->way_count, callee, (uintptr_t)f + 1);

	*ret_count = end - low;
	return end > low ? &r->ways[low] : NULL;
}
