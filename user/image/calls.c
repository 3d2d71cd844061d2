// SPDX-License-Identifier: GPL-2.0-only
/*
 * The calls of an image; see calls.h.
 *
 * Nothing marks where instructions begin, so a function is decoded from its entry on. A module's
 * code does not contain the targets of its calls yet; relocations name them.
 */
#include "base/memory.h"
#include "base/sorted.h"
#include "image/calls.h"
#include "image/file.h"
#include "kernel/call_sites.h"
#include "kernel/elf_file.h"

/*
 * struct alt_instr of arch/x86/include/asm/alternative.h since Linux 6.3. It is packed; these are
 * its size and the offset of its member instrlen.
 */
#define ALT_INSTR_SIZE 14
#define ALT_INSTR_LENGTH 12

/* A number in the code that the module loader fills in. */
struct relocation {
	uint64_t at;		/* as in struct image_function */
	const char *name;	/* a target in another file; NULL: the target is in this file */
	uint64_t target;	/* the target, less the distance from @at to the instruction's end */
};

struct range {
	uint64_t start, end;
};

/*
 * A way through the code that no instruction shows: a static branch, which the running kernel makes a jump or a
 * NOP, and the place where the kernel goes on after a fault. The kernel's own tables list both kinds (struct
 * jump_entry in include/linux/jump_label.h, struct exception_table_entry in arch/x86/include/asm/extable.h).
 */
struct way {
	uint64_t at, to;	/* as in struct image_function; @to: FLOW_NO_TARGET: not in code of the file */
};

struct calls {
	const struct image *image;
	struct call_sites *sites;	/* for vmlinux; NULL: it has no tables */
	struct relocation *relocations;	/* for a module, sorted by address */
	size_t count;
	struct range *replaced;		/* for a module: code that has alternatives */
	size_t replaced_count;
	struct way *ways;	/* sorted by @at; read by calls__read_ways() */
	size_t way_count;
	uint64_t first, end;	/* the bounds of vmlinux; 0 for a module */
};

const char *call_kind__word(enum call_kind kind)
{
	static const char *const words[] = {
		[CALL_UNKNOWN] = "unknown", [CALL_DIRECT] = "direct", [CALL_INDIRECT] = "indirect",
		[CALL_THUNK] = "retpoline", [CALL_STATIC] = "static", [CALL_REPLACED] = "alternative",
	};

	return words[kind];
}

/* ---- a module's relocations */

/* Is the relocation for 4 bytes, relative to their own address, as in calls and jumps? */
static bool is_relative(const GElf_Rela *rela)
{
	return GELF_R_TYPE(rela->r_info) == R_X86_64_PC32 || GELF_R_TYPE(rela->r_info) == R_X86_64_PLT32;
}

static void add_relocation(struct calls *c, const struct image_file *file, const struct text_section *text,
			   const GElf_Rela *rela)
{
	struct relocation r = { .at = text->addr + rela->r_offset };
	const struct text_section *to;
	GElf_Sym sym;

	if (!is_relative(rela) || !gelf_getsym(file->symbols, GELF_R_SYM(rela->r_info), &sym))
		return;
	to = image_file__text(file, sym.st_shndx);
	if (sym.st_shndx == SHN_UNDEF)
		r.name = elf_strptr(file->elf, file->symbol_names, sym.st_name);
	else if (to)
		r.target = to->addr + sym.st_value + rela->r_addend;
	else
		return;
	*LIST_ADD(c->relocations, c->count) = r;
}

static int by_place(const void *a, const void *b)
{
	const struct relocation *x = a, *y = b;

	return ORDER(x->at, y->at);
}

static void read_relocations(struct calls *c, const struct image_file *file)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;
	GElf_Rela rela;

	while ((section = elf_nextscn(file->elf, section))) {
		const struct text_section *text;
		Elf_Data *data;

		if (!gelf_getshdr(section, &shdr) || shdr.sh_type != SHT_RELA)
			continue;
		text = image_file__text(file, shdr.sh_info);
		data = text ? elf_getdata(section, NULL) : NULL;
		for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
			add_relocation(c, file, text, &rela);
	}
	if (c->count)
		qsort(c->relocations, c->count, sizeof(*c->relocations), by_place);
}

static const struct relocation *find_relocation(const struct calls *c, uint64_t at)
{
	struct relocation key = { .at = at };

	return c->count ? bsearch(&key, c->relocations, c->count, sizeof(key), by_place) : NULL;
}

/* Each entry begins with 4 bytes, the distance to the instruction. Their relocation names it. */
static void add_replaced(struct calls *c, const struct image_file *file, const GElf_Rela *rela, const Elf_Data *table)
{
	uint64_t start;

	if (rela->r_offset % ALT_INSTR_SIZE || rela->r_offset >= table->d_size ||
	    table->d_size - rela->r_offset < ALT_INSTR_SIZE || !image_file__target(file, rela, &start))
		return;
	*LIST_ADD(c->replaced, c->replaced_count) = (struct range){
		start, start + ((const unsigned char *)table->d_buf)[rela->r_offset + ALT_INSTR_LENGTH],
	};
}

static void read_replaced(struct calls *c, const struct image_file *file)
{
	GElf_Shdr shdr;
	Elf_Scn *section = elf_file__section(file->elf, ".altinstructions", &shdr);
	Elf_Data *table = section ? elf_getdata(section, NULL) : NULL, *data;
	GElf_Rela rela;

	section = elf_file__section(file->elf, ".rela.altinstructions", &shdr);
	data = section ? elf_getdata(section, NULL) : NULL;
	for (int i = 0; table && table->d_buf && data && gelf_getrela(data, i, &rela); i++)
		add_replaced(c, file, &rela, table);
}

/* Searches linearly, because a module has only a few hundred alternatives. */
static bool is_replaced(const struct calls *c, uint64_t addr)
{
	for (size_t i = 0; i < c->replaced_count; i++) {
		if (addr >= c->replaced[i].start && addr < c->replaced[i].end)
			return true;
	}
	return call_sites__replaced(c->sites, addr);
}

/* ---- the target of an instruction */

/* The target of a direct call or jump. @name: its name if it is in another file; NULL: it is in this image */
static uint64_t target_of(const struct calls *c, const struct instruction *i, uint64_t addr, const char **name)
{
	const struct relocation *r = find_relocation(c, addr + i->target_at);

	*name = r ? r->name : NULL;
	return r ? r->target + (i->length - i->target_at) : i->target;
}

/*
 * In Linux 7.3, code that runs before the kernel is mapped may call the thunks by an alias with a
 * prefix (SYM_PIC_ALIAS() in asm/linkage.h). Then the alias may be the name of the address.
 */
static bool is_thunk(const char *name, const char *kind)
{
	if (begins_with(name, "__pi_"))
		name += strlen("__pi_");
	return begins_with(name, kind);
}

/*
 * Finds the kind by the target's name; see arch/x86/lib/retpoline.S and
 * include/linux/static_call_types.h.
 */
static enum call_kind kind_by_name(const char *name)
{
	if (is_thunk(name, "__x86_indirect_"))
		return CALL_THUNK;
	return begins_with(name, "__SCT__") ? CALL_STATIC : CALL_DIRECT;
}

static bool is_fragment_or_return(const struct image_function *f)
{
	return f->untraced == UNTRACED_FRAGMENT || is_thunk(f->name, "__x86_return_");
}

/* Fills in the kind and the target. Returns false if the instruction stays in its function, or returns from it. */
static bool leads_to(const struct calls *c, struct call *call, const struct instruction *i)
{
	const struct image_function *to = NULL;
	uint64_t target;

	call->kind = CALL_INDIRECT;
	if (!i->direct)
		return true;
	call->kind = CALL_UNKNOWN;
	target = target_of(c, i, call->site, &call->name);
	if (!call->name) {
		to = image__function_at(c->image, target);
		if (!to)
			return !call->jump;
		call->name = to->name;
	}
	if (is_thunk(call->name, "__x86_return_") || (call->jump && to && to == call->in))
		return false;
	call->kind = kind_by_name(call->name);
	/* The target is no entry. (In the symbol table, the retpolines of all registers are one function.) */
	if (call->kind == CALL_DIRECT && to && to->addr != target) {
		call->kind = CALL_UNKNOWN;
		return !call->jump;
	}
	if (call->kind == CALL_DIRECT)
		call->callee = to;
	return !(call->jump && to && is_fragment_or_return(to));
}

static bool read_call(const struct calls *c, struct call *call, const struct instruction *i)
{
	if (i->kind == INSTRUCTION_OTHER)
		return false;
	call->jump = i->kind == INSTRUCTION_JUMP;
	call->returns_to = call->site + i->length;
	if (!leads_to(c, call, i))
		return false;
	if (is_replaced(c, call->site))
		call->kind = CALL_REPLACED;
	if (call->kind == CALL_STATIC)
		call->name += strlen("__SCT__");
	else if (call->kind != CALL_DIRECT)
		call->name = NULL;
	if (call->kind != CALL_DIRECT)
		call->callee = NULL;
	return true;
}

/* A walk over the instructions of one function, from its entry on. */
struct walk {
	uint64_t at, end;
	const unsigned char *text;
	size_t left;
	const struct image_function *in;
};

static bool begin(struct walk *w, const struct calls *c, const struct image_function *f)
{
	*w = (struct walk){ .at = f->addr, .in = f };
	w->text = image__text(c->image, f->addr, &w->left);
	if (!w->text)
		return false;
	if (f->size && f->size < w->left)
		w->left = f->size;
	w->end = f->addr + w->left;
	return true;
}

/* Returns false at the end, or if there are data among the code. */
static bool step(struct walk *w, struct instruction *i, uint64_t *ret_addr)
{
	if (!w->left || !instruction__decode(i, w->text, w->left, w->at))
		return false;
	*ret_addr = w->at;
	w->at += i->length;
	w->text += i->length;
	w->left -= i->length;
	return true;
}

void calls__before(const struct calls *c, uint64_t returned_to, struct call *ret)
{
	uint64_t linked = call_sites__linked(c->sites, returned_to), addr = 0;
	const struct image_function *f = image__function_at(c->image, linked - 1);
	struct instruction i;
	struct walk w;

	*ret = (struct call){ .kind = CALL_UNKNOWN, .site = linked - 1, .returns_to = linked, .in = f };
	if (!f || !begin(&w, c, f))
		return;
	/* The kernel may have replaced a call by a shorter one, which returns into the middle of the linked one. */
	while (step(&w, &i, &addr) && w.at < linked)
		;
	if (w.at < linked || i.kind != INSTRUCTION_CALL)
		return;
	ret->site = addr;
	read_call(c, ret, &i);
}

void calls__of(const struct calls *c, const struct image_function *f,
	       void (*each)(const struct call *call, void *data), void *data)
{
	struct instruction i;
	struct walk w;
	uint64_t addr;

	if (!begin(&w, c, f))
		return;
	while (step(&w, &i, &addr)) {
		struct call call = { .site = addr, .in = f };

		if (read_call(c, &call, &i))
			each(&call, data);
	}
}

/* ---- instructions, and the ways between them */

/* Each entry begins with the distances to the instruction and to its target, of 4 bytes each. */
static const struct table {
	const char *relocations, *start, *stop;
	size_t entry;
} tables[] = {
	{ ".rela__jump_table", "__start___jump_table", "__stop___jump_table", 16 },
	{ ".rela__ex_table", "__start___ex_table", "__stop___ex_table", 12 },
};

static int read_linked(struct calls *c, const struct image_file *file, const struct table *table)
{
	const unsigned char *bytes;
	uint64_t start;
	size_t size;
	int err = image_file__table(file, table->start, table->stop, &start, &bytes, &size);

	for (uint64_t at = 0; !err && at + table->entry <= size; at += table->entry) {
		int32_t distances[2];

		memcpy(distances, bytes + at, sizeof(distances));
		*LIST_ADD(c->ways, c->way_count) =
			(struct way){ start + at + distances[0], start + at + 4 + distances[1] };
	}
	return err == -ENOENT ? 0 : err;
}

/* Relies on the order of relocations: the assembler writes them by their offsets. */
static void read_relocated(struct calls *c, const struct image_file *file, const struct table *table)
{
	GElf_Shdr shdr;
	Elf_Scn *section = elf_file__section(file->elf, table->relocations, &shdr);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	uint64_t at = 0, entry = UINT64_MAX, to;
	GElf_Rela rela;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
		if (rela.r_offset % table->entry == 0 && image_file__target(file, &rela, &at))
			entry = rela.r_offset;
		else if (entry != UINT64_MAX && rela.r_offset == entry + 4)
			*LIST_ADD(c->ways, c->way_count) = (struct way){
				at, image_file__target(file, &rela, &to) ? to : FLOW_NO_TARGET,
			};
	}
}

static int by_instruction(const void *a, const void *b)
{
	const struct way *x = a, *y = b;

	return ORDER(x->at, y->at);
}

int calls__read_ways(struct calls *c)
{
	const struct image_file *file = &c->image->file;
	int err = 0;

	c->way_count = 0;
	for (size_t i = 0; !err && i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (file->is_module)
			read_relocated(c, file, &tables[i]);
		else
			err = read_linked(c, file, &tables[i]);
	}
	if (c->way_count)
		qsort(c->ways, c->way_count, sizeof(*c->ways), by_instruction);
	return err;
}

/* Is it a return, or an unconditional jump? */
static bool is_end(const unsigned char *text, size_t length)
{
	size_t i = 0;

	while (i + 1 < length && ((text[i] && strchr("\x2e\x3e\x66\xf2\xf3", text[i])) || text[i] >> 4 == 4))
		i++;
	if (text[i] == 0xff)
		return i + 1 < length && (text[i + 1] >> 3 & 7) == 4;
	return text[i] == 0xe9 || text[i] == 0xeb || text[i] == 0xc3 || text[i] == 0xc2;
}

/* Does a jump lead to a retpoline, which jumps on to the address in a register? */
static bool is_to_thunk(const struct calls *c, const char *name, uint64_t target)
{
	const struct image_function *to = name ? NULL : image__function_at(c->image, target);

	return is_thunk(name ?: to ? to->name : "", "__x86_indirect_");
}

static struct flow flow_of(const struct calls *c, const struct instruction *i, const unsigned char *text, uint64_t at)
{
	struct flow flow = { .at = at, .to = FLOW_NO_TARGET, .ends = is_end(text, i->length) };
	const char *name = NULL;

	if (i->kind == INSTRUCTION_JUMP && i->direct) {
		flow.to = target_of(c, i, at, &name);
		flow.anywhere = is_to_thunk(c, name, flow.to) || is_replaced(c, at);
		if (name)
			flow.to = FLOW_NO_TARGET;
	} else {
		flow.anywhere = i->kind == INSTRUCTION_JUMP;
	}
	return flow;
}

void calls__flow(const struct calls *c, const struct image_function *f,
		 void (*each)(const struct flow *flow, void *data), void *data)
{
	struct instruction i;
	struct walk w;
	uint64_t at;

	if (!begin(&w, c, f))
		return;
	while (step(&w, &i, &at)) {
		const struct flow flow = flow_of(c, &i, w.text - i.length, at);

		each(&flow, data);
		for (size_t k = SORTED_FROM(c->ways, c->way_count, at, at);
		     k < c->way_count && c->ways[k].at < w.at; k++) {
			uint64_t to = c->ways[k].to;

			each(&(struct flow){ .at = at, .to = to, .anywhere = to == FLOW_NO_TARGET }, data);
		}
	}
	if (w.left)
		each(&(struct flow){ .at = w.at, .to = FLOW_NO_TARGET, .anywhere = true }, data);
}

/* ---- the hash of a function */

#define LONGEST_INSTRUCTION 15

/* FNV-1a. */
static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
	return hash;
}

/* Adds the target of a direct call or jump: an offset in the function itself, or in another one and its name. */
static uint64_t add_target(uint64_t hash, const struct calls *c, const struct image_function *f,
			   const struct instruction *i, uint64_t at)
{
	const char *name;
	uint64_t target = target_of(c, i, at, &name), into = name ? 0 : target - f->addr;
	const struct image_function *to = name || into < f->size ? NULL : image__function_at(c->image, target);

	if (to) {
		name = to->name;
		into = target - to->addr;
	}
	if (name)
		hash = add_bytes(hash, name, strlen(name));
	else if (into >= f->size)
		return hash;
	return add_bytes(hash, &into, sizeof(into));
}

/* Is a number an address in the image? In a module's file, relocations have such numbers, and the code has none. */
static bool is_address(const struct calls *c, uint64_t number)
{
	return number >= c->first && number < c->end;
}

static uint64_t add_instruction(uint64_t hash, const struct calls *c, const struct instruction *i,
				const unsigned char *text)
{
	unsigned char bytes[LONGEST_INSTRUCTION];

	/* An instruction that libZydis does not know may have any number of prefixes. */
	if (i->length > sizeof(bytes))
		return add_bytes(hash, text, i->length);
	memcpy(bytes, text, i->length);
	if (i->direct)
		memset(bytes + i->target_at, 0, i->target_size);
	if (i->memory_at && (i->relative || is_address(c, i->memory)))
		memset(bytes + i->memory_at, 0, 4);
	if (i->value_at && is_address(c, i->value))
		memset(bytes + i->value_at, 0, 4);
	return add_bytes(hash, bytes, i->length);
}

uint64_t calls__hash(const struct calls *c, const struct image_function *f)
{
	uint64_t hash = 0xcbf29ce484222325, at;
	struct instruction i;
	struct walk w;

	if (!f->size || !begin(&w, c, f))
		return 0;
	while (step(&w, &i, &at)) {
		hash = add_instruction(hash, c, &i, w.text - i.length);
		if (i.direct)
			hash = add_target(hash, c, f, &i, at);
	}
	return w.left ? 0 : hash;
}

/* Finds the bounds of the linked image. Data of each CPU are linked at 0, and accessed by distances. */
static void find_bounds(struct calls *c, const struct image_file *file)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;

	c->first = file->texts[0].addr;
	for (size_t i = 1; i < file->text_count; i++) {
		if (file->texts[i].addr < c->first)
			c->first = file->texts[i].addr;
	}
	while ((section = elf_nextscn(file->elf, section))) {
		if (gelf_getshdr(section, &shdr) && shdr.sh_flags & SHF_ALLOC && shdr.sh_addr >= c->first &&
		    shdr.sh_addr + shdr.sh_size > c->end)
			c->end = shdr.sh_addr + shdr.sh_size;
	}
}

struct calls *calls__open(const struct image *image)
{
	struct calls *c = xcalloc(1, sizeof(*c));

	c->image = image;
	if (image__module(image)) {
		read_relocations(c, &image->file);
		read_replaced(c, &image->file);
	} else {
		c->sites = call_sites__read_file(image__path(image));
		find_bounds(c, &image->file);
	}
	return c;
}

void calls__free(struct calls *c)
{
	if (!c)
		return;
	call_sites__free(c->sites);
	free(c->relocations);
	free(c->replaced);
	free(c->ways);
	free(c);
}
