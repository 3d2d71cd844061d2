// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds places in the source for addresses; see lines.h.
 *
 * The line tables of a vmlinux have three million rows. They are read once, unit by unit. A row is
 * for the addresses from its own to that of the next row.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sorted.h"
#include "image/lines.h"

/* An address to look up, as the debug information numbers addresses. */
struct wanted {
	Dwarf_Addr addr;
	struct line_place *place;
};

struct finder {
	const struct image *image;
	struct wanted *list;	/* sorted by address */
	size_t count;
	/* Consecutive rows mostly have the same file, so its path is remembered. */
	const char *raw;
	const char *source;
};

static int by_address(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void place(struct finder *f, struct wanted *w, Dwarf_Line *row, bool begins)
{
	const char *raw = dwarf_linesrc(row, NULL, NULL);
	int line = 0;

	if (!raw)
		return;
	if (raw != f->raw) {
		f->raw = raw;
		f->source = image__source(f->image, raw);
	}
	dwarf_lineno(row, &line);
	*w->place = (struct line_place){ f->source, line, begins };
}

/*
 * @rows: the rows of a unit, by address. A row is valid until the next one, but only in code of the unit: libdw may
 * sort the last row of a sequence after the end of the sequence. Then it seems valid until the next sequence.
 */
static void find_in_unit(struct finder *f, Dwarf_Die *unit, Dwarf_Lines *rows, size_t count)
{
	size_t next = SIZE_MAX;

	for (size_t i = 0; i + 1 < count; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i);
		Dwarf_Addr start = 0, end = 0;
		bool ends = true;

		dwarf_lineaddr(row, &start);
		dwarf_lineendsequence(row, &ends);
		if (ends) {
			next = SIZE_MAX;
			continue;
		}
		dwarf_lineaddr(dwarf_onesrcline(rows, i + 1), &end);
		if (next == SIZE_MAX)
			next = SORTED_FROM(f->list, f->count, addr, start);
		/*
		 * If several rows begin at an address, the first one is that of the function, or of
		 * the outermost call.
		 */
		for (size_t at = next; at < f->count && f->list[at].addr == start; at++) {
			if (!f->list[at].place->begins && dwarf_haspc(unit, start) == 1)
				place(f, &f->list[at], row, true);
		}
		for (; next < f->count && f->list[next].addr < end; next++) {
			if (f->list[next].addr >= start && !f->list[next].place->begins &&
			    dwarf_haspc(unit, f->list[next].addr) == 1)
				place(f, &f->list[next], row, f->list[next].addr == start);
		}
	}
}

static void find(struct finder *f)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (!dwarf_get_units(image__dwarf(f->image), cu, &cu, NULL, NULL, &die, NULL)) {
		Dwarf_Lines *rows;
		size_t count;

		if (!dwarf_getsrclines(&die, &rows, &count))
			find_in_unit(f, &die, rows, count);
	}
}

static int make_list(struct finder *f, const uint64_t *addrs, size_t count, struct line_place *ret)
{
	memset(ret, 0, count * sizeof(*ret));
	if (!image__has_dwarf(f->image))
		return -ENODATA;
	f->list = xcalloc(count + 1, sizeof(*f->list));
	for (size_t i = 0; i < count; i++) {
		f->list[f->count].addr = image__to_dwarf(f->image, addrs[i]);
		f->list[f->count].place = &ret[i];
		f->count += f->list[f->count].addr != 0;
	}
	/* In the debug information, the sections of a module are in another order. */
	qsort(f->list, f->count, sizeof(*f->list), by_address);
	return 0;
}

int lines__find(const struct image *image, const uint64_t *addrs, size_t count, struct line_place *ret)
{
	struct finder f = { .image = image };
	int err = make_list(&f, addrs, count, ret);

	if (!err)
		find(&f);
	free(f.list);
	return err;
}

static void define(struct finder *f, Dwarf_Die *die)
{
	const char *file;
	Dwarf_Addr addr;
	int line = 0;
	size_t at;

	if (dwarf_entrypc(die, &addr))
		return;
	file = dwarf_decl_file(die);
	if (!file || dwarf_decl_line(die, &line))
		return;
	for (at = SORTED_FROM(f->list, f->count, addr, addr); at < f->count && f->list[at].addr == addr; at++)
		*f->list[at].place = (struct line_place){ image__source(f->image, file), line, true };
}

/* Functions of C are direct children of their unit. */
static void find_definitions(struct finder *f)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, die;

	while (!dwarf_get_units(image__dwarf(f->image), cu, &cu, NULL, NULL, &unit, NULL)) {
		if (dwarf_child(&unit, &die))
			continue;
		do {
			if (dwarf_tag(&die) == DW_TAG_subprogram)
				define(f, &die);
		} while (!dwarf_siblingof(&die, &die));
	}
}

int lines__defined(const struct image *image, const uint64_t *addrs, size_t count, struct line_place *ret)
{
	struct finder f = { .image = image };
	int err = make_list(&f, addrs, count, ret);

	if (!err) {
		find_definitions(&f);
		/* find() keeps the places of definitions, because @begins is set in them. */
		find(&f);
	}
	for (size_t i = 0; !err && i < count; i++) {
		if (!ret[i].begins)
			ret[i] = (struct line_place){};
	}
	free(f.list);
	return err;
}
