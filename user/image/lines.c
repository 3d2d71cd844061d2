// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds places in the source for addresses; see lines.h.
 *
 * Each compilation unit lists the ranges of its code. This is a thousand times less data than the
 * line tables, which have three million rows. (.debug_aranges has the same ranges, but not every
 * compiler writes it.)
 */
#include <dwarf.h>
#include <fcntl.h>

#include "base/error.h"
#include "base/files.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "image/file.h"
#include "image/lines.h"

/* ---- compiled files */

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
	autofree char *copy = NULL;

	if (root && !strncmp(path, u->root, root))
		path += root;
	else if (base > 1 && !strncmp(path, u->base, base) && path[base] == '/')
		path += base + 1;
	copy = xasprintf("/%s", path);
	/* An absolute path that is not below the source stays absolute. */
	path__simplify(copy + 1);
	return strings__intern(u->names, path[0] == '/' ? copy : copy + 1);
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
	struct unit *unit = LIST_ADD(u->list, u->count);
	Dwarf_Die *die = &c->die;
	Dwarf_Attribute attr;
	Dwarf_Word language = 0;

	dwarf_formudata(dwarf_attr(die, DW_AT_language, &attr), &language);
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

	return ORDER(x->start, y->start);
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
	int fd = open(vmlinux, O_RDONLY | O_CLOEXEC);

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

const struct unit *image__units(const struct image *image, size_t *ret_count)
{
	*ret_count = image->units ? image->units->count : 0;
	return image->units ? image->units->list : NULL;
}

const struct unit *image__unit(const struct image *image, uint64_t addr)
{
	return image->units ? units__find(image->units, image__to_dwarf(image, addr)) : NULL;
}

const char *image__source(const struct image *image, const char *path)
{
	return image->units ? units__source(image->units, path) : NULL;
}

/* ---- lines */

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

	return ORDER(x->addr, y->addr);
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

static void find_lines(struct finder *f)
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
	if (!image__dwarf(f->image))
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
		find_lines(&f);
	free(f.list);
	return err;
}

/* The wanted files of a unit. It has many rows, so each path is found once. The first file may be listed twice. */
static struct lh_table *name_files(const struct image *image, Dwarf_Die *unit,
				   bool (*use)(const char *file, unsigned int line, void *data), void *data)
{
	struct lh_table *files = index__of_addresses(64);
	const char *last = NULL;
	bool is_wanted = false;
	Dwarf_Files *list;
	size_t count;

	if (dwarf_getsrcfiles(unit, &list, &count))
		return files;
	for (size_t i = 0; i < count; i++) {
		const char *raw = dwarf_filesrc(list, i, NULL, NULL), *source;

		if (!raw || lh_table_lookup_entry(files, raw))
			continue;
		source = image__source(image, raw);
		is_wanted = source == last ? is_wanted : use(source, 0, data);
		if (is_wanted)
			index__add(files, raw, source);
		last = source;
	}
	return files;
}

int lines__each(const struct image *image, bool (*use)(const char *file, unsigned int line, void *data), void *data)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	if (!image__dwarf(image) || !image->units)
		return -ENODATA;
	while (!dwarf_get_units(image__dwarf(image), cu, &cu, NULL, NULL, &die, NULL)) {
		struct lh_table *files = name_files(image, &die, use, data);
		Dwarf_Lines *rows;
		size_t count = 0;

		if (!lh_table_length(files) || dwarf_getsrclines(&die, &rows, &count))
			count = 0;
		for (size_t i = 0; i < count; i++) {
			Dwarf_Line *row = dwarf_onesrcline(rows, i);
			const char *raw = dwarf_linesrc(row, NULL, NULL);
			struct lh_entry *file = raw ? lh_table_lookup_entry(files, raw) : NULL;
			int line;

			if (file && !dwarf_lineno(row, &line) && line > 0)
				use(lh_entry_v(file), line, data);
		}
		lh_table_free(files);
	}
	return 0;
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
		/* find_lines() keeps the places of definitions, because @begins is set in them. */
		find_lines(&f);
	}
	for (size_t i = 0; !err && i < count; i++) {
		if (!ret[i].begins)
			ret[i] = (struct line_place){};
	}
	free(f.list);
	return err;
}
