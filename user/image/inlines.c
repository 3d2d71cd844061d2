// SPDX-License-Identifier: GPL-2.0-only
/* Finds inlined bodies of functions; see inlines.h. */
#include <dwarf.h>

#include "base/error.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "image/inlines.h"

/* The code of a function itself, without inlined bodies. */
struct own {
	uint64_t addr;
	uint32_t source;
};

struct inlines {
	const struct image *image;
	struct strings *names;
	struct source_function *sources;
	size_t source_count;
	struct inlined *list;		/* sorted by start */
	size_t count;
	struct own *own;		/* sorted by address */
	size_t own_count;
};

struct reader {
	struct inlines *in;
	struct lh_table *by_place;	/* "name file:line" of a source function -> its index */
	struct lh_table *by_die;	/* offset of a DIE -> index of its source function, for one unit */
	Dwarf_Files *files;	/* the files of the unit; NULL: it has none */
	/* Consecutive calls are mostly in the same file, so its path is remembered. */
	const char *raw_file, *file;
	int err;
};

/* ---- source functions */

static uint32_t add_source(struct reader *r, const char *name, const char *file, int line)
{
	struct inlines *in = r->in;
	struct lh_entry *entry;
	char key[512];

	snprintf(key, sizeof(key), "%s %s:%d", name, file ? file : "", line);
	entry = lh_table_lookup_entry(r->by_place, key);
	if (entry)
		return (uintptr_t)lh_entry_v(entry);
	index__add(r->by_place, strings__add(in->names, key), (void *)in->source_count);
	name = strings__add(in->names, name);
	*LIST_ADD(in->sources, in->source_count) = (struct source_function){ name, file, line };
	return in->source_count - 1;
}

/* The source function of a DIE, which has the name itself, or refers to a DIE that has it. */
static uint32_t source_of(struct reader *r, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin = *die;
	struct lh_entry *entry;
	const char *name, *file;
	uint32_t source;
	int line = 0;
	void *key;

	/* Compilers use two references at most; in damaged data, references may form a cycle. */
	for (int i = 0; i < 16; i++) {
		if (!dwarf_attr(&origin, DW_AT_abstract_origin, &attr) || !dwarf_formref_die(&attr, &origin))
			break;
	}
	key = (void *)(uintptr_t)dwarf_dieoffset(&origin);
	entry = lh_table_lookup_entry(r->by_die, key);
	if (entry)
		return (uintptr_t)lh_entry_v(entry);
	name = dwarf_diename(&origin);
	if (!name)
		return INLINES_NONE;
	file = dwarf_decl_file(&origin);
	dwarf_decl_line(&origin, &line);
	source = add_source(r, name, file ? image__source(r->in->image, file) : NULL, line);
	index__add(r->by_die, key, (void *)(uintptr_t)source);
	return source;
}

/* ---- code */

/* Finds where the call stands that an inlined body replaces. */
static void read_call(struct reader *r, Dwarf_Die *die, struct inlined *ret)
{
	Dwarf_Word file = 0, line = 0;
	Dwarf_Attribute attr;
	const char *raw;

	if (!r->files || dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file) ||
	    dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line))
		return;
	raw = dwarf_filesrc(r->files, file, NULL, NULL);
	if (raw != r->raw_file) {
		r->raw_file = raw;
		r->file = raw ? image__source(r->in->image, raw) : NULL;
	}
	ret->file = r->file;
	ret->line = line;
}

static void add_ranges(struct reader *r, Dwarf_Die *die, uint32_t source)
{
	struct inlined call = { .source = source };
	struct inlines *in = r->in;
	Dwarf_Addr base, start, end, entry;
	Dwarf_Attribute attr;
	ptrdiff_t next = 0;

	read_call(r, die, &call);
	call.entry = dwarf_formaddr(dwarf_attr(die, DW_AT_entry_pc, &attr), &entry) ? INLINED_NO_ENTRY :
		image__from_dwarf(in->image, entry);
	while ((next = dwarf_ranges(die, next, &base, &start, &end)) > 0) {
		uint64_t at = end > start ? image__from_dwarf(in->image, start) : 0;

		/* Code that the linker removed has the address 0. */
		if (end <= start || !start)
			continue;
		call.start = at;
		call.end = at + (end - start);
		*LIST_ADD(in->list, in->count) = call;
		in->sources[source].inlined = true;
	}
}

/* A function with separate cold code has ranges. GCC writes the range with the entry first. */
static void add_own(struct reader *r, Dwarf_Die *die)
{
	struct inlines *in = r->in;
	Dwarf_Addr base, entry, end;
	uint32_t source;

	if (dwarf_lowpc(die, &entry) && dwarf_entrypc(die, &entry) && dwarf_ranges(die, 0, &base, &entry, &end) <= 0)
		return;
	source = source_of(r, die);
	if (entry && source != INLINES_NONE)
		*LIST_ADD(in->own, in->own_count) = (struct own){ image__from_dwarf(in->image, entry), source };
}

/* Blocks are nested: some tens of levels in the output of a compiler, any number in damaged data. */
#define MOST_LEVELS 512

/* Reads the DIEs that may contain code. Most DIEs are types and variables. */
static void read_children(struct reader *r, Dwarf_Die *parent, int level)
{
	Dwarf_Die die;

	if (level > MOST_LEVELS)
		r->err = error__return(-EINVAL, "%s: is damaged: its debug information has more than %d nested blocks",
				       image__path(r->in->image), MOST_LEVELS);
	if (r->err || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			/*
			 * A function that is only declared, or has no code of its own, contains no
			 * inlined bodies.
			 */
			if (!dwarf_hasattr(&die, DW_AT_low_pc) && !dwarf_hasattr(&die, DW_AT_ranges))
				break;
			add_own(r, &die);
			read_children(r, &die, level + 1);
			break;
		case DW_TAG_inlined_subroutine: {
			uint32_t source = source_of(r, &die);

			if (source != INLINES_NONE)
				add_ranges(r, &die, source);
			read_children(r, &die, level + 1);
			break;
		}
		case DW_TAG_lexical_block:
			read_children(r, &die, level + 1);
			break;
		default:
			break;
		}
	} while (!r->err && !dwarf_siblingof(&die, &die));
}

static int by_start(const void *a, const void *b)
{
	const struct inlined *x = a, *y = b;

	return ORDER(x->start, y->start) ?: ORDER(y->end, x->end);
}

static int by_address(const void *a, const void *b)
{
	const struct own *x = a, *y = b;

	return ORDER(x->addr, y->addr);
}

static int read_units(struct reader *r, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (!r->err && !dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL)) {
		if (dwarf_tag(&die) != DW_TAG_compile_unit)
			continue;
		r->by_die = index__of_addresses(1024);
		if (dwarf_getsrcfiles(&die, &r->files, NULL))
			r->files = NULL;
		read_children(r, &die, 0);
		lh_table_free(r->by_die);
	}
	return r->err;
}

int inlines__read(struct inlines **ret, const struct image *image)
{
	Dwarf *dwarf = image__dwarf(image);
	struct reader r = {};
	int err;

	if (!dwarf)
		return -ENODATA;
	r.in = xcalloc(1, sizeof(*r.in));
	r.in->image = image;
	r.in->names = strings__new();
	r.by_place = index__new(65536, NULL);
	err = read_units(&r, dwarf);
	lh_table_free(r.by_place);
	if (err) {
		inlines__free(r.in);
		return err;
	}
	if (r.in->count)
		qsort(r.in->list, r.in->count, sizeof(*r.in->list), by_start);
	if (r.in->own_count)
		qsort(r.in->own, r.in->own_count, sizeof(*r.in->own), by_address);
	*ret = r.in;
	return 0;
}

void inlines__free(struct inlines *in)
{
	if (!in)
		return;
	strings__free(in->names);
	free(in->sources);
	free(in->list);
	free(in->own);
	free(in);
}

const struct source_function *inlines__sources(const struct inlines *in, size_t *ret_count)
{
	*ret_count = in->source_count;
	return in->sources;
}

uint32_t inlines__source_of(const struct inlines *in, const struct image_function *f)
{
	struct own key = { .addr = f->addr }, *found;

	found = in->own_count ? bsearch(&key, in->own, in->own_count, sizeof(key), by_address) : NULL;
	return found ? found->source : INLINES_NONE;
}

const struct inlined *inlines__inside(const struct inlines *in, const struct image_function *f, size_t *ret_count)
{
	size_t first = SORTED_FROM(in->list, in->count, start, f->addr);
	size_t end = SORTED_FROM(in->list, in->count, start, f->addr + f->size);

	*ret_count = end > first ? end - first : 0;
	return *ret_count ? &in->list[first] : NULL;
}

/*
 * ---- the copies of one function
 *
 * An inlined copy refers to the abstract function in its own unit. So each unit is first searched
 * for the name, which is fast. Only units that have it are walked through completely.
 */

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

static void add_copied(struct walk *w, Dwarf_Die *die)
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
	add_copied(w, die);
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

static int by_entry(const void *a, const void *b)
{
	const struct image_function *const *x = a, *const *y = b;

	return ORDER((*x)->addr, (*y)->addr);
}

static void settle(struct copies *c)
{
	size_t kept = 0;

	if (c->into_count)
		qsort(c->into, c->into_count, sizeof(*c->into), by_entry);
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
