// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds compiled files for addresses; see units.h.
 *
 * Each compilation unit lists the ranges of its code. This is a thousand times less data than the
 * line tables. (.debug_aranges has the same ranges, but not every compiler writes it.)
 */
#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "image/units.h"

/* The path of this file shows where the source tree begins, wherever the kernel was built. */
#define LANDMARK "init/main.c"

struct range {
	uint64_t start, length;
	size_t unit;
};

struct units {
	struct unit *list;
	size_t count;
	struct range *ranges;
	size_t range_count;
	char *root;		/* ends with '/', or is empty */
	char *base;		/* the compiler's current directory; NULL: unknown */
	struct strings *names;
};

struct compiled {
	Dwarf_Die die;
	const char *path, *base;
};

/* The next unit that was compiled from a file. @cu: NULL for the first one. */
static bool next_unit(Dwarf *dwarf, Dwarf_CU **cu, struct compiled *c)
{
	Dwarf_Attribute attr;

	while (!dwarf_get_units(dwarf, *cu, cu, NULL, NULL, &c->die, NULL)) {
		c->path = dwarf_diename(&c->die);
		c->base = dwarf_formstring(dwarf_attr(&c->die, DW_AT_comp_dir, &attr));
		if (c->path && dwarf_tag(&c->die) == DW_TAG_compile_unit)
			return true;
	}
	return false;
}

static bool ends_with(const char *text, const char *end)
{
	size_t a = strlen(text), b = strlen(end);

	return a >= b && !strcmp(text + a - b, end);
}

/* The root is what precedes init/main.c in its path. All other paths begin with it. */
static void find_root(struct units *u, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	struct compiled c;

	while (!u->root && next_unit(dwarf, &cu, &c)) {
		size_t before = strlen(c.path) - strlen(LANDMARK);

		if (!u->base && c.base)
			u->base = xstrdup(c.base);
		if (ends_with(c.path, LANDMARK) && (!before || c.path[before - 1] == '/'))
			u->root = xstrndup(c.path, before);
	}
	if (!u->root)
		u->root = xstrdup("");
}

const char *units__source(struct units *u, const char *path)
{
	size_t root = strlen(u->root), base = u->base ? strlen(u->base) : 0;
	const char *source;
	char *copy;

	if (root && !strncmp(path, u->root, root))
		path += root;
	else if (base > 1 && !strncmp(path, u->base, base) && path[base] == '/')
		path += base + 1;
	copy = xasprintf("/%s", path);
	/* An absolute path that is not below the source stays absolute. */
	path__simplify(copy + 1);
	source = strings__intern(u->names, path[0] == '/' ? copy : copy + 1);
	free(copy);
	return source;
}

/*
 * @producer: gcc lists its options there (clang does not by default), and writes -pg as -p. Without
 * -pg, the other options for tracers have no effect, and some Makefiles remove only -pg.
 */
static enum unit_calls unit_calls(const char *producer)
{
	if (!producer || !strstr(producer, " -O"))
		return UNIT_CALLS_UNKNOWN;
	if (strstr(producer, " -p ") || strstr(producer, " -pg ") || ends_with(producer, " -p") ||
	    ends_with(producer, " -pg"))
		return UNIT_CALLS;
	return UNIT_NO_CALLS;
}

static void add_unit(struct units *u, struct compiled *c)
{
	Dwarf_Die *die = &c->die;
	Dwarf_Attribute attr;
	struct unit *unit;
	Dwarf_Word language = 0;

	dwarf_formudata(dwarf_attr(die, DW_AT_language, &attr), &language);
	unit = LIST_ADD(u->list, u->count);
	unit->path = units__source(u, c->path);
	unit->assembly = language == DW_LANG_Mips_Assembler || ends_with(c->path, ".S");
	unit->calls = unit_calls(dwarf_formstring(dwarf_attr(die, DW_AT_producer, &attr)));
}

static void read_units(struct units *u, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	struct compiled c;

	find_root(u, dwarf);
	while (next_unit(dwarf, &cu, &c)) {
		Dwarf_Addr base, start, end;
		ptrdiff_t offset = 0;

		add_unit(u, &c);
		while ((offset = dwarf_ranges(&c.die, offset, &base, &start, &end)) > 0) {
			/* Code that the linker removed has an empty range, or one at 0. */
			if (start && end > start)
				*LIST_ADD(u->ranges, u->range_count) = (struct range){
					start, end - start, u->count - 1,
				};
		}
	}
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

struct units *units__read(Dwarf *dwarf)
{
	struct units *u = xcalloc(1, sizeof(*u));

	u->names = strings__new();
	read_units(u, dwarf);
	if (!u->range_count) {
		units__free(u);
		return NULL;
	}
	qsort(u->ranges, u->range_count, sizeof(*u->ranges), by_start);
	return u;
}

int units__open(struct units **ret, const char *vmlinux)
{
	Dwarf *dwarf;
	int fd;

	fd = open(vmlinux, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error__return(-errno, "%s: cannot be read: %s", vmlinux, strerror(errno));
	dwarf = dwarf_begin(fd, DWARF_C_READ);
	/* All results are copied, so the file can be closed. */
	*ret = dwarf ? units__read(dwarf) : NULL;
	if (dwarf)
		dwarf_end(dwarf);
	close(fd);
	return *ret ? 0 : -ENODATA;
}

void units__free(struct units *u)
{
	if (!u)
		return;
	strings__free(u->names);
	free(u->list);
	free(u->ranges);
	free(u->root);
	free(u->base);
	free(u);
}

const struct unit *units__find(const struct units *u, uint64_t addr)
{
	size_t low = SORTED_FROM(u->ranges, u->range_count, start, addr + 1);

	if (!low || addr - u->ranges[low - 1].start >= u->ranges[low - 1].length)
		return NULL;
	return &u->list[u->ranges[low - 1].unit];
}

const struct unit *units__list(const struct units *u, size_t *ret_count)
{
	*ret_count = u->count;
	return u->list;
}
