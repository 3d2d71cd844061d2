// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the copies of a function; see copies.h.
 *
 * An inlined copy refers to the abstract function in its own unit. So each unit is first searched
 * for the name, which is fast. Only units that have it are walked through completely.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/copies.h"

#define MOST_IN_UNIT 16

struct walk {
	const struct image *image;
	const char *name;
	struct copies *ret;
	/* The abstract functions of that name in this unit: one for each header and file. */
	Dwarf_Off abstract[MOST_IN_UNIT];
	size_t abstract_count;
	Dwarf_Addr inside;	/* entry of the function whose body is walked; 0: none */
};

static void add_source(struct walk *w, Dwarf_Die *die)
{
	const char *file = dwarf_decl_file(die);
	struct copied source = { .file = file ? image__source(w->image, file) : NULL };
	int line = 0;

	dwarf_decl_line(die, &line);
	source.line = line;
	for (size_t i = 0; i < w->ret->source_count; i++) {
		/* Paths are interned. */
		if (w->ret->sources[i].file == source.file && w->ret->sources[i].line == source.line)
			return;
	}
	*LIST_ADD(w->ret->sources, w->ret->source_count) = source;
}

static void add_into(struct walk *w, Dwarf_Addr addr)
{
	const struct image_function *f = image__function_at(w->image, image__from_dwarf(w->image, addr));

	if (f)
		*LIST_ADD(w->ret->into, w->ret->into_count) = f;
}

/* Notes a function of the unit with the wanted name: inlined copies refer to its DIE. */
static void look_at(struct walk *w, Dwarf_Die *die)
{
	const char *name = dwarf_tag(die) == DW_TAG_subprogram ? dwarf_diename(die) : NULL;

	if (!name || strcmp(name, w->name) || dwarf_hasattr(die, DW_AT_declaration))
		return;
	if (dwarf_func_inline(die) && w->abstract_count < MOST_IN_UNIT)
		w->abstract[w->abstract_count++] = dwarf_dieoffset(die);
	add_source(w, die);
}

static bool is_copy(const struct walk *w, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if (dwarf_tag(die) != DW_TAG_inlined_subroutine ||
	    !dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attr), &origin))
		return false;
	for (size_t i = 0; i < w->abstract_count; i++) {
		if (w->abstract[i] == dwarf_dieoffset(&origin))
			return true;
	}
	return false;
}

/* Recurses, because blocks and inlined functions are nested. */
static void walk_inside(struct walk *w, Dwarf_Die *parent)
{
	Dwarf_Die die;

	if (dwarf_child(parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (is_copy(w, &die))
			add_into(w, w->inside);
		if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
			walk_inside(w, &die);
	} while (!dwarf_siblingof(&die, &die));
}

static void each_function(struct walk *w, Dwarf_Die *unit, void (*use)(struct walk *w, Dwarf_Die *die))
{
	Dwarf_Die die;

	if (dwarf_child(unit, &die))
		return;
	do {
		if (dwarf_tag(&die) == DW_TAG_subprogram)
			use(w, &die);
	} while (!dwarf_siblingof(&die, &die));
}

static void walk_function(struct walk *w, Dwarf_Die *die)
{
	/* A DIE without an address is abstract; the function's own code, if any, has another DIE. */
	if (!dwarf_entrypc(die, &w->inside) && w->inside)
		walk_inside(w, die);
}

static int by_address(const void *a, const void *b)
{
	const struct image_function *const *x = a, *const *y = b;

	return (*x)->addr < (*y)->addr ? -1 : (*x)->addr > (*y)->addr;
}

static void settle(struct copies *c)
{
	size_t kept = 0;

	if (c->into_count)
		qsort(c->into, c->into_count, sizeof(*c->into), by_address);
	for (size_t i = 0; i < c->into_count; i++) {
		if (!kept || c->into[kept - 1] != c->into[i])
			c->into[kept++] = c->into[i];
	}
	c->into_count = kept;
}

int copies__find(struct copies *ret, const struct image *image, const char *name)
{
	struct walk w = { .image = image, .name = name, .ret = ret };
	Dwarf *dwarf = image__dwarf(image);
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;

	memset(ret, 0, sizeof(*ret));
	if (!dwarf)
		return -ENODATA;
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL)) {
		w.abstract_count = 0;
		each_function(&w, &unit, look_at);
		if (w.abstract_count)
			each_function(&w, &unit, walk_function);
	}
	settle(ret);
	return 0;
}

void copies__free(struct copies *c)
{
	free(c->sources);
	free(c->into);
	memset(c, 0, sizeof(*c));
}
