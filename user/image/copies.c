// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the copies of a function; see copies.h.
 *
 * An inlined copy refers to the abstract function in its own unit. So each unit is first searched
 * for the name, which takes little time. Only units that have it are walked through completely.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "image/copies.h"

#define MOST_IN_UNIT 16

struct walk {
	const struct image *image;
	const char *name;
	struct copies *ret;
	size_t source_room, into_room;
	/* The abstract functions of that name in this unit: one for each header and file. */
	Dwarf_Off abstract[MOST_IN_UNIT];
	size_t abstract_count;
	Dwarf_Addr inside;	/* the function that is walked through; 0: none */
};

static int add_source(struct walk *w, Dwarf_Die *die)
{
	const char *file = dwarf_decl_file(die);
	struct copied *more, source = { .file = file ? image__source(w->image, file) : NULL };
	int line = 0;

	dwarf_decl_line(die, &line);
	source.line = line;
	for (size_t i = 0; i < w->ret->source_count; i++) {
		/* Equal paths are the same string. */
		if (w->ret->sources[i].file == source.file && w->ret->sources[i].line == source.line)
			return 0;
	}
	more = reallocarray(w->ret->sources, w->ret->source_count + 1, sizeof(*more));
	if (!more)
		return error__no_memory();
	w->ret->sources = more;
	more[w->ret->source_count++] = source;
	return 0;
}

static int add_into(struct walk *w, Dwarf_Addr addr)
{
	const struct image_function *f = image__function_at(w->image, image__from_dwarf(w->image, addr));

	if (!f)
		return 0;
	if (w->ret->into_count == w->into_room) {
		size_t room = w->into_room ? 2 * w->into_room : 64;
		const struct image_function **more = reallocarray(w->ret->into, room, sizeof(*more));

		if (!more)
			return error__no_memory();
		w->ret->into = more;
		w->into_room = room;
	}
	w->ret->into[w->ret->into_count++] = f;
	return 0;
}

/* Looks at a function of the unit with that name; inlined copies refer to it. */
static int look_at(struct walk *w, Dwarf_Die *die)
{
	const char *name = dwarf_tag(die) == DW_TAG_subprogram ? dwarf_diename(die) : NULL;

	if (!name || strcmp(name, w->name) || dwarf_hasattr(die, DW_AT_declaration))
		return 0;
	if (dwarf_func_inline(die) && w->abstract_count < MOST_IN_UNIT)
		w->abstract[w->abstract_count++] = dwarf_dieoffset(die);
	return add_source(w, die);
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

/* Blocks and inlined functions are nested. */
static int walk_inside(struct walk *w, Dwarf_Die *parent)
{
	Dwarf_Die die;
	int err = 0;

	if (dwarf_child(parent, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (is_copy(w, &die))
			err = add_into(w, w->inside);
		if (!err && (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block))
			err = walk_inside(w, &die);
	} while (!err && !dwarf_siblingof(&die, &die));
	return err;
}

static int each_function(struct walk *w, Dwarf_Die *unit, int (*use)(struct walk *w, Dwarf_Die *die))
{
	Dwarf_Die die;
	int err = 0;

	if (dwarf_child(unit, &die))
		return 0;
	do {
		if (dwarf_tag(&die) == DW_TAG_subprogram)
			err = use(w, &die);
	} while (!err && !dwarf_siblingof(&die, &die));
	return err;
}

static int walk_function(struct walk *w, Dwarf_Die *die)
{
	/* It is only abstract; its own code is elsewhere, if it has any. */
	if (dwarf_entrypc(die, &w->inside) || !w->inside)
		return 0;
	return walk_inside(w, die);
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
	int err = 0;

	memset(ret, 0, sizeof(*ret));
	if (!dwarf)
		return -ENODATA;
	while (!err && !dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL)) {
		w.abstract_count = 0;
		err = each_function(&w, &unit, look_at);
		if (!err && w.abstract_count)
			err = each_function(&w, &unit, walk_function);
	}
	if (err)
		copies__free(ret);
	else
		settle(ret);
	return err;
}

void copies__free(struct copies *c)
{
	free(c->sources);
	free(c->into);
	memset(c, 0, sizeof(*c));
}
