// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds what a module imports; see imports.h. C functions and variables have a DIE in their unit. Functions of
 * assembly, and aliases, have none: their address is looked up. Symbols that are in neither are of other modules.
 */
#include <dwarf.h>

#include "base/index.h"
#include "base/memory.h"
#include "image/file.h"
#include "image/imports.h"
#include "image/lines.h"

static void read_names(struct imports *ret, const struct image_file *file)
{
	GElf_Sym sym;

	for (int i = 0; gelf_getsym(file->symbols, i, &sym); i++) {
		const char *name = elf_strptr(file->elf, file->symbol_names, sym.st_name);

		if (sym.st_shndx == SHN_UNDEF && name && *name)
			LIST_ADD(ret->list, ret->count)->name = name;
	}
}

static bool is_definition(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
	case DW_TAG_variable:
		return dwarf_hasattr(die, DW_AT_location);
	default:
		return false;
	}
}

static void define(const struct image *vmlinux, struct lh_table *by_name, Dwarf_Die *unit, Dwarf_Die *die)
{
	bool exported = is_definition(die) && dwarf_hasattr_integrate(die, DW_AT_external);
	const char *name = exported ? dwarf_diename(die) : NULL;
	struct lh_entry *entry = name ? lh_table_lookup_entry(by_name, name) : NULL;
	const char *path = entry ? dwarf_diename(unit) : NULL, *file;
	struct import *i;
	int line = 0;

	if (!path)
		return;
	i = lh_entry_v(entry);
	i->unit = image__source(vmlinux, path);
	file = dwarf_decl_file(die);
	i->file = file ? image__source(vmlinux, file) : NULL;
	dwarf_decl_line(die, &line);
	i->line = line;
}

static void define_all(const struct image *vmlinux, struct lh_table *by_name)
{
	Dwarf *dwarf = image__dwarf(vmlinux);
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, die;

	while (dwarf && !dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL)) {
		if (dwarf_tag(&unit) != DW_TAG_compile_unit || dwarf_child(&unit, &die))
			continue;
		do
			define(vmlinux, by_name, &unit, &die);
		while (!dwarf_siblingof(&die, &die));
	}
}

void imports__find(struct imports *ret, const struct image *module, const struct image *vmlinux)
{
	struct lh_table *by_name = index__new(1024, NULL);

	*ret = (struct imports){};
	read_names(ret, &module->file);
	for (size_t i = 0; i < ret->count; i++)
		index__add(by_name, ret->list[i].name, &ret->list[i]);
	define_all(vmlinux, by_name);
	for (size_t i = 0; i < ret->count; i++) {
		size_t count;
		const struct image_function *const *f = image__named(vmlinux, ret->list[i].name, &count);
		const struct unit *unit = f && !ret->list[i].unit ? image__unit(vmlinux, f[0]->addr) : NULL;

		if (unit)
			ret->list[i].unit = unit->path;
	}
	lh_table_free(by_name);
}

void imports__free(struct imports *i)
{
	free(i->list);
}
