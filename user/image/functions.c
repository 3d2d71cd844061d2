// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the functions of a file, and why ftrace cannot trace some; see file.h and image.h.
 *
 * An address may have several names. This chooses the name that the kernel prints, because
 * recordings and the kernel's own lists use it.
 */
#include "base/error.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "image/file.h"
#include "kernel/elf_file.h"

static const struct reason {
	const char *word, *sentence;
} reasons[UNTRACED_COUNT] = {
	[UNTRACED_NOT] = { NULL, "can be traced" },
	[UNTRACED_NOINSTR] = { "noinstr", "is noinstr: it runs where the kernel is not ready for tracers" },
	[UNTRACED_ENTRY] = { "entry", "is entry code, which runs before the kernel is ready for tracers" },
	[UNTRACED_TRAMPOLINE] = { "trampoline", "is a trampoline that calls go through" },
	[UNTRACED_FRAGMENT] = { "fragment",
				"is the rarely used part of a function, which is jumped to and not called" },
	[UNTRACED_ASSEMBLY] = { "assembly", "is written in assembly, which has no call for tracers" },
	[UNTRACED_FILE] = { "file", "is in a file that is compiled without calls for tracers (its Makefile removes "
			    "the option)" },
	[UNTRACED_NOTRACE] = { "notrace", "is notrace, as all that is declared inline or __exit" },
	[UNTRACED_DISABLED] = { "disabled", "has a call for tracers, but ftrace of this kernel does not list it" },
	[UNTRACED_NO_CALL] = { "no-call", "has no call for tracers" },
};

const char *untraced__word(enum untraced why)
{
	return reasons[why].word;
}

enum untraced untraced__of_word(const char *word)
{
	for (int i = UNTRACED_NOT + 1; word && i < UNTRACED_COUNT; i++) {
		if (!strcmp(reasons[i].word, word))
			return i;
	}
	return UNTRACED_NOT;
}

const char *untraced__sentence(enum untraced why)
{
	return reasons[why].sentence;
}

const struct untraced_region untraced_regions[UNTRACED_REGIONS] = {
	{ ".noinstr.text", "__noinstr_text_start", "__noinstr_text_end", UNTRACED_NOINSTR },
	{ ".cpuidle.text", "__cpuidle_text_start", "__cpuidle_text_end", UNTRACED_NOINSTR },
	{ ".entry.text", "__entry_text_start", "__entry_text_end", UNTRACED_ENTRY },
	{ ".kprobes.text", "__kprobes_text_start", "__kprobes_text_end", UNTRACED_NOTRACE },
	{ ".static_call.text", "__static_call_text_start", "__static_call_text_end", UNTRACED_TRAMPOLINE },
	{ ".text..__x86.indirect_thunk", "__indirect_thunk_start", "__indirect_thunk_end", UNTRACED_TRAMPOLINE },
	{ ".text..__x86.return_thunk", NULL, NULL, UNTRACED_TRAMPOLINE },
};

enum untraced untraced__of_name(const char *name)
{
	static const char trampoline[] = "__SCT__";
	const char *cold = strstr(name, ".cold");

	if (cold && (!cold[5] || cold[5] == '.'))
		return UNTRACED_FRAGMENT;
	return strncmp(name, trampoline, strlen(trampoline)) ? UNTRACED_NOT : UNTRACED_TRAMPOLINE;
}

/* ---- the sites of ftrace, by its own table */

struct sites {
	uint64_t *list;		/* sorted */
	size_t count;
};

/* The site is at the entry, or after an ENDBR instruction, which has this size. */
#define ENTRY_BYTES 4

/* In vmlinux, the linker has filled the table in. */
static int read_table(struct sites *s, const struct image_file *file)
{
	const unsigned char *bytes;
	uint64_t start, site;
	size_t size;
	int err = image_file__table(file, "__start_mcount_loc", "__stop_mcount_loc", &start, &bytes, &size);

	if (err == -ENOENT)
		return error__return(-EINVAL, "%s: has no table of functions that can be traced: that kernel was "
				     "configured without ftrace, or is no vmlinux", file->path);
	for (size_t at = 0; !err && at + sizeof(site) <= size; at += sizeof(site)) {
		memcpy(&site, bytes + at, sizeof(site));
		/* The build zeroes the sites of weak functions that were overridden. */
		if (site)
			*LIST_ADD(s->list, s->count) = site;
	}
	return err;
}

/* In a module, the table consists of relocations. */
static void read_relocations(struct sites *s, const struct image_file *file)
{
	GElf_Shdr shdr;
	Elf_Scn *section = elf_file__section(file->elf, ".rela__mcount_loc", &shdr);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	GElf_Rela rela;
	uint64_t site;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
		if (image_file__target(file, &rela, &site))
			*LIST_ADD(s->list, s->count) = site;
	}
}

static int by_address(const void *a, const void *b)
{
	return ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Does the function at @addr have a site? */
static bool has_site(const struct sites *s, uint64_t addr)
{
	size_t low = sorted__from(s->list, s->count, sizeof(*s->list), 0, addr);

	return low < s->count && (s->list[low] == addr || s->list[low] == addr + ENTRY_BYTES);
}

#define EXPORT_MARK "__ksymtab_"

struct reader {
	struct functions *functions;
	const struct image_file *file;
	struct sites sites;
	const struct units *units;
	uint64_t bounds[UNTRACED_REGIONS][2];
	uint64_t init_begin, init_end;
	struct lh_table *exports;
};

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

	return by_name(x, y) ?: ORDER(x->addr, y->addr);
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

	return ORDER(x->addr, y->addr) ?: x->weak - y->weak ?: is_of_linker(x->name) - is_of_linker(y->name) ?:
	       ORDER(strspn(x->name, "_"), strspn(y->name, "_")) ?: strcmp(x->name, y->name);
}

/* For a module, the kernel takes the first name in the table. */
static int by_order(const void *a, const void *b)
{
	const struct function_name *x = *(const struct function_name *const *)a;
	const struct function_name *y = *(const struct function_name *const *)b;

	return ORDER(x->addr, y->addr) ?: ORDER(x->order, y->order);
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

	if (has_site(&r->sites, f->addr))
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
	autofree struct function_name **by_address = xcalloc(f->name_count, sizeof(*by_address));

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

int functions__read(struct functions *ret, const struct image_file *file, const struct units *units)
{
	struct reader r = { .functions = ret, .file = file, .units = units };
	GElf_Sym sym;
	int err = 0;

	*ret = (struct functions){};
	if (file->is_module)
		read_relocations(&r.sites, file);
	else
		err = read_table(&r.sites, file);
	if (err)
		return err;
	if (r.sites.count)
		qsort(r.sites.list, r.sites.count, sizeof(*r.sites.list), by_address);
	r.exports = index__new(16384, NULL);
	for (int i = 0; gelf_getsym(file->symbols, i, &sym); i++)
		read_name(&r, &sym, i);
	count_namesakes(ret);
	make_list(&r);
	make_index(ret);
	lh_table_free(r.exports);
	free(r.sites.list);
	return 0;
}

void functions__free(struct functions *f)
{
	free(f->list);
	free(f->names);
	free(f->by_name);
	memset(f, 0, sizeof(*f));
}

const struct image_function *image__functions(const struct image *image, size_t *ret_count)
{
	*ret_count = image->functions.count;
	return image->functions.list;
}

const struct image_function *image__function_at(const struct image *image, uint64_t addr)
{
	const struct functions *f = &image->functions;
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

const struct image_function *const *image__named(const struct image *image, const char *name, size_t *ret_count)
{
	const struct functions *f = &image->functions;
	const struct function_name key = { .name = name };
	size_t first = sorted__equals(f->names, f->name_count, sizeof(key), &key, by_name, ret_count);

	return *ret_count ? (const struct image_function *const *)&f->by_name[first] : NULL;
}
