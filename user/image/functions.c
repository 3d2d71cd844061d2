// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the functions of a file; see functions.h.
 *
 * An address may have several names. This chooses the name that the kernel prints, because
 * recordings and the kernel's own lists use it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "image/functions.h"

#define EXPORT_MARK "__ksymtab_"

struct reader {
	struct functions *functions;
	const struct image_file *file;
	const struct sites *sites;
	const struct units *units;
	uint64_t bounds[UNTRACED_REGIONS][2];
	uint64_t init_begin, init_end;
	struct lh_table *exports;
};

static bool begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static bool ends_with(const char *text, const char *end)
{
	size_t a = strlen(text), b = strlen(end);

	return a >= b && !strcmp(text + a - b, end);
}

/* ---- names */

/* Is it a name that kallsyms leaves out as well: a mark of the build, or padding before a function? */
static bool is_no_name(const char *name)
{
	return !*name || *name == '$' || begins_with(name, ".L") || begins_with(name, "__kcfi_typeid_") ||
	       begins_with(name, "__crc_") || begins_with(name, "__pfx_") || begins_with(name, "__cfi_");
}

static void note_bounds(struct reader *r, const char *name, uint64_t addr)
{
	for (size_t i = 0; i < UNTRACED_REGIONS; i++) {
		if (untraced_regions[i].start && !strcmp(name, untraced_regions[i].start))
			r->bounds[i][0] = addr;
		if (untraced_regions[i].end && !strcmp(name, untraced_regions[i].end))
			r->bounds[i][1] = addr;
	}
	if (!strcmp(name, "__init_begin"))
		r->init_begin = addr;
	if (!strcmp(name, "__init_end"))
		r->init_end = addr;
}

static void read_name(struct reader *r, const GElf_Sym *sym, size_t order)
{
	const char *name = elf_strptr(r->file->elf, r->file->symbol_names, sym->st_name);
	int type = GELF_ST_TYPE(sym->st_info);
	const struct text_section *text;

	if (!name || sym->st_shndx == SHN_UNDEF)
		return;
	if (!r->file->is_module)
		note_bounds(r, name, sym->st_value);
	if (begins_with(name, EXPORT_MARK))
		index__add(r->exports, name + strlen(EXPORT_MARK), NULL);
	text = image_file__text(r->file, sym->st_shndx);
	/*
	 * Sections and files have symbols, too. A symbol at the end of a section belongs to no
	 * code.
	 */
	if (!text || is_no_name(name) || (type != STT_FUNC && type != STT_NOTYPE))
		return;
	if (r->file->is_module ? sym->st_value >= text->size : sym->st_value - text->addr >= text->size)
		return;
	*LIST_ADD(r->functions->names, r->functions->name_count) = (struct function_name){
		.name = name, .addr = sym->st_value + (r->file->is_module ? text->addr : 0), .size = sym->st_size,
		.order = order, .weak = GELF_ST_BIND(sym->st_info) == STB_WEAK,
		.code = type == STT_FUNC || sym->st_size,
	};
}

static int by_name(const void *a, const void *b)
{
	const struct function_name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int by_name_and_address(const void *a, const void *b)
{
	const struct function_name *x = a, *y = b;

	return by_name(x, y) ?: x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void count_namesakes(struct functions *f)
{
	if (f->name_count)
		qsort(f->names, f->name_count, sizeof(*f->names), by_name_and_address);
	for (size_t i = 0; i < f->name_count; i++)
		f->names[i].sympos = i && !strcmp(f->names[i].name, f->names[i - 1].name) ?
				     f->names[i - 1].sympos + 1 : 1;
}

/* "__start_x", "__x_end": symbols of the linker script. */
static bool is_of_linker(const char *name)
{
	return begins_with(name, "__") &&
	       (begins_with(name + 2, "start_") || begins_with(name + 2, "stop_") || begins_with(name + 2, "end_") ||
		ends_with(name, "_start") || ends_with(name, "_end"));
}

/* For vmlinux: the rule by which scripts/kallsyms.c chooses among several names of one address. */
static int by_rank(const void *a, const void *b)
{
	const struct function_name *x = *(const struct function_name *const *)a;
	const struct function_name *y = *(const struct function_name *const *)b;
	size_t underscores, others;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->weak != y->weak)
		return x->weak - y->weak;
	if (is_of_linker(x->name) != is_of_linker(y->name))
		return is_of_linker(x->name) - is_of_linker(y->name);
	underscores = strspn(x->name, "_");
	others = strspn(y->name, "_");
	if (underscores != others)
		return underscores < others ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* For a module, the kernel takes the first name in the table. */
static int by_order(const void *a, const void *b)
{
	const struct function_name *x = *(const struct function_name *const *)a;
	const struct function_name *y = *(const struct function_name *const *)b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* ---- reasons */

static enum untraced of_region(const struct reader *r, const char *section, uint64_t addr)
{
	for (size_t i = 0; i < UNTRACED_REGIONS; i++) {
		if (!strcmp(section, untraced_regions[i].section) ||
		    (addr >= r->bounds[i][0] && addr < r->bounds[i][1]))
			return untraced_regions[i].why;
	}
	return UNTRACED_NOT;
}

static enum untraced of_unit(const struct unit *unit)
{
	if (!unit)
		return UNTRACED_NO_CALL;
	if (unit->assembly)
		return UNTRACED_ASSEMBLY;
	return unit->calls == UNIT_NO_CALLS ? UNTRACED_FILE :
	       unit->calls == UNIT_CALLS ? UNTRACED_NOTRACE : UNTRACED_NO_CALL;
}

static enum untraced reason(const struct reader *r, const struct image_function *f, const struct text_section *text)
{
	enum untraced why;

	if (sites__has(r->sites, f->addr))
		return UNTRACED_NOT;
	why = of_region(r, text->name, f->addr);
	if (why)
		return why;
	why = untraced__of_name(f->name);
	if (why)
		return why;
	return of_unit(r->units ? units__find(r->units, text->dwarf + (f->addr - text->addr)) : NULL);
}

/* ---- functions */

static bool is_init(const struct reader *r, const struct text_section *text, uint64_t addr)
{
	return text->init || (addr >= r->init_begin && addr < r->init_end);
}

/* names[0..count-1] have one address; the best name is the first. */
static void add_function(struct reader *r, struct function_name *const *names, size_t count)
{
	const struct text_section *text = image_file__text_at(r->file, names[0]->addr);
	struct image_function f = { .addr = names[0]->addr, .name = names[0]->name, .sympos = names[0]->sympos };
	bool code = false;

	for (size_t i = 0; i < count; i++) {
		code |= names[i]->code;
		if (names[i]->size > f.size)
			f.size = names[i]->size;
		f.exported |= lh_table_lookup_entry(r->exports, names[i]->name) != NULL;
		names[i]->function = r->functions->count;
	}
	/* An address that has only labels, such as the linker script's, is no function. */
	if (!text || !code) {
		for (size_t i = 0; i < count; i++)
			names[i]->function = SIZE_MAX;
		return;
	}
	/* In a damaged file, the size may be anything. */
	if (f.size > text->size - (f.addr - text->addr))
		f.size = text->size - (f.addr - text->addr);
	f.init = is_init(r, text, f.addr);
	f.untraced = reason(r, &f, text);
	*LIST_ADD(r->functions->list, r->functions->count) = f;
}

static void make_list(struct reader *r)
{
	struct functions *f = r->functions;
	struct function_name **by_address = xcalloc(f->name_count, sizeof(*by_address));

	for (size_t i = 0; i < f->name_count; i++)
		by_address[i] = &f->names[i];
	qsort(by_address, f->name_count, sizeof(*by_address), r->file->is_module ? by_order : by_rank);
	for (size_t first = 0, end; first < f->name_count; first = end) {
		for (end = first + 1; end < f->name_count; end++) {
			if (by_address[end]->addr != by_address[first]->addr)
				break;
		}
		add_function(r, &by_address[first], end - first);
	}
	free(by_address);
}

/* Removes labels from @names, and looks up the function of each other name. */
static void make_index(struct functions *f)
{
	size_t kept = 0;

	f->by_name = xcalloc(f->name_count, sizeof(*f->by_name));
	for (size_t i = 0; i < f->name_count; i++) {
		if (f->names[i].function == SIZE_MAX)
			continue;
		f->by_name[kept] = &f->list[f->names[i].function];
		f->names[kept++] = f->names[i];
	}
	f->name_count = kept;
}

void functions__read(struct functions *ret, const struct image_file *file, const struct sites *sites,
		     const struct units *units)
{
	struct reader r = { .functions = ret, .file = file, .sites = sites, .units = units };
	GElf_Sym sym;

	memset(ret, 0, sizeof(*ret));
	r.exports = index__new(16384, NULL);
	for (int i = 0; gelf_getsym(file->symbols, i, &sym); i++)
		read_name(&r, &sym, i);
	count_namesakes(ret);
	make_list(&r);
	make_index(ret);
	lh_table_free(r.exports);
}

void functions__free(struct functions *f)
{
	free(f->list);
	free(f->names);
	free(f->by_name);
	memset(f, 0, sizeof(*f));
}

const struct image_function *functions__at(const struct functions *f, uint64_t addr)
{
	size_t low = SORTED_FROM(f->list, f->count, addr, addr + 1);

	/*
	 * A function of unknown size ends where the next one begins. In assembly, labels may be
	 * inside functions, so some entries before @addr are tried.
	 */
	for (size_t i = low; i && low - i < 8; i--) {
		if (addr - f->list[i - 1].addr < f->list[i - 1].size || (i == low && !f->list[i - 1].size))
			return &f->list[i - 1];
	}
	return NULL;
}

const struct image_function *const *functions__named(const struct functions *f, const char *name, size_t *ret_count)
{
	const struct function_name key = { .name = name };
	size_t first = sorted__equals(f->names, f->name_count, sizeof(key), &key, by_name, ret_count);

	return *ret_count ? (const struct image_function *const *)&f->by_name[first] : NULL;
}
