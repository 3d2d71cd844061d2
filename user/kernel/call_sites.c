// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions, and the linked return addresses of calls that the kernel may rewrite; see call_sites.h.
 *
 * Instructions are decoded by libZydis. In its minimal mode it decodes the form of an instruction but not its
 * operands, which takes a fifth of the time.
 *
 * A rewritten call is at most as long as the place that was linked for it; the rest of the place is filled with
 * NOPs. So every address from the second byte of the place to its end is a return address of the same call,
 * because no other call can begin there.
 */
#include <Zydis/Zydis.h>

#include "base/memory.h"
#include "base/sorted.h"
#include "kernel/call_sites.h"
#include "kernel/elf_file.h"

/* ---- instructions */

/* The opcodes are in the Intel SDM, volume 2: "CALL", "JMP" and "Jcc"; here also LOOP and JRCXZ. */
static enum instruction_kind kind_of(const ZydisDecodedInstruction *i)
{
	if (i->opcode_map == ZYDIS_OPCODE_MAP_0F)
		return (i->opcode & 0xf0) == 0x80 ? INSTRUCTION_JUMP : INSTRUCTION_OTHER;
	if (i->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT)
		return INSTRUCTION_OTHER;
	switch (i->opcode) {
	case 0xe8:
		return INSTRUCTION_CALL;
	case 0xe0 ... 0xe3:
	case 0x70 ... 0x7f:
	case 0xe9:
	case 0xeb:
		return INSTRUCTION_JUMP;
	case 0xff:
		if (i->raw.modrm.reg == 2)
			return INSTRUCTION_CALL;
		return i->raw.modrm.reg == 4 ? INSTRUCTION_JUMP : INSTRUCTION_OTHER;
	default:
		return INSTRUCTION_OTHER;
	}
}

static const ZydisDecoder *decoder(void)
{
	static ZydisDecoder decoder;
	static bool made;

	if (!made) {
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
		ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
		made = true;
	}
	return &decoder;
}

/* A displacement of 4 bytes; with mod 0 and rm 5, it is relative to the next instruction. */
static void set_memory(struct instruction *ret, const ZydisDecodedInstruction *i, uint64_t next)
{
	if (i->raw.disp.size != 32)
		return;
	ret->relative = (i->attributes & ZYDIS_ATTRIB_HAS_MODRM) && !i->raw.modrm.mod && i->raw.modrm.rm == 5;
	ret->memory = (ret->relative ? next : 0) + i->raw.disp.value;
	ret->memory_at = i->raw.disp.offset;
}

/*
 * New CPUs add system instructions under 0F 00 and 0F 01, such as LKGS (F2 0F 00 /6). The kernel's
 * alternatives have them before libZydis does. With a register: 3 bytes after the prefixes.
 */
static size_t system_length(const unsigned char *text, size_t size)
{
	size_t at = 0;

	while (at < size && (text[at] == 0xf2 || text[at] == 0xf3 || text[at] == 0x66 || (text[at] & 0xf0) == 0x40))
		at++;
	return at + 3 <= size && text[at] == 0x0f && text[at + 1] <= 0x01 && text[at + 2] >> 6 == 3 ? at + 3 : 0;
}

bool instruction__decode(struct instruction *ret, const unsigned char *text, size_t size, uint64_t addr)
{
	ZydisDecodedInstruction i;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder(), NULL, text, size, &i))) {
		*ret = (struct instruction){ .length = system_length(text, size) };
		return ret->length;
	}
	*ret = (struct instruction){ .kind = kind_of(&i), .length = i.length };
	if (ret->kind != INSTRUCTION_OTHER && i.raw.imm[0].size) {
		ret->direct = true;
		ret->target = addr + i.length + i.raw.imm[0].value.s;
		ret->target_at = i.raw.imm[0].offset;
		ret->target_size = i.raw.imm[0].size / 8;
		return true;
	}
	set_memory(ret, &i, addr + i.length);
	if (i.raw.imm[0].size == 32) {
		ret->value = (int32_t)i.raw.imm[0].value.u;
		ret->value_at = i.raw.imm[0].offset;
	}
	return true;
}

/* ---- calls that the kernel may rewrite */

/*
 * struct alt_instr of arch/x86/include/asm/alternative.h since 6.3, which is packed: its size, and
 * the offset of instrlen.
 */
#define ALT_INSTR_SIZE 14
#define ALT_INSTR_LENGTH 12
#define NOP 0x90

struct call_site {
	uint64_t start, end;
	uint64_t returns_to;	/* the return address as linked */
};

/* Instructions that an alternative may replace. */
struct replaced {
	uint64_t start, end;
};

struct call_sites {
	struct call_site *list;	/* sorted by start */
	size_t count;
	struct replaced *replaced;	/* sorted by start, without overlaps */
	size_t replaced_count;
};

/* A section of the file, in memory. */
struct part {
	uint64_t addr, size;
	const unsigned char *bytes;
};

size_t call_instruction__length(const unsigned char *text, size_t size)
{
	struct instruction i;

	return instruction__decode(&i, text, size, 0) && i.kind == INSTRUCTION_CALL ? i.length : 0;
}

static bool find_part(Elf *elf, const char *name, uint64_t holds, struct part *ret)
{
	Elf_Scn *section = NULL;
	size_t names;
	GElf_Shdr shdr;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *its_name;
		Elf_Data *data;

		if (!gelf_getshdr(section, &shdr) || shdr.sh_type != SHT_PROGBITS)
			continue;
		its_name = elf_strptr(elf, names, shdr.sh_name);
		if (name ? !its_name || strcmp(its_name, name) :
			   holds < shdr.sh_addr || holds - shdr.sh_addr >= shdr.sh_size)
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf || data->d_size != shdr.sh_size)
			return false;
		*ret = (struct part){ shdr.sh_addr, shdr.sh_size, data->d_buf };
		return true;
	}
	return false;
}

/* The address of an entry's instruction. The entry begins with the distance to it. */
static uint64_t site_of(const struct part *table, size_t at)
{
	int32_t distance;

	memcpy(&distance, table->bytes + at, sizeof(distance));
	return table->addr + at + distance;
}

/* @text: the last section that was found; most addresses are in that section. */
static bool find_text(Elf *elf, uint64_t start, struct part *text)
{
	return (start >= text->addr && start - text->addr < text->size) ||
	       find_part(elf, NULL, start, text);
}

/* Do entries have this size? With a wrong size, most of their addresses are in no section. */
static bool has_entries_of(const struct part *table, Elf *elf, size_t entry_size)
{
	struct part text = {};

	if (table->size % entry_size)
		return false;
	for (size_t at = 0; at < table->size; at += entry_size)
		if (!find_text(elf, site_of(table, at), &text))
			return false;
	return true;
}

/* The length of the call, with the NOPs after it if nothing else is in its place. */
static size_t place_length(const struct part *table, size_t at, size_t entry_size, const struct part *text,
			   uint64_t start, size_t call)
{
	size_t length = entry_size == ALT_INSTR_SIZE ? table->bytes[at + ALT_INSTR_LENGTH] : 0;

	if (length > text->size - (start - text->addr))
		return call;
	for (size_t i = call; i < length; i++) {
		if (text->bytes[start - text->addr + i] != NOP)
			return call;
	}
	return length > call ? length : call;
}

static void read_table(struct call_sites *s, Elf *elf, const struct part *table, size_t entry_size)
{
	struct part text = {};

	for (size_t at = 0; at < table->size; at += entry_size) {
		uint64_t start = site_of(table, at), end;
		size_t length;

		if (!find_text(elf, start, &text))
			continue;
		length = call_instruction__length(text.bytes + (start - text.addr),
						  text.size - (start - text.addr));
		if (!length)
			continue;
		end = start + place_length(table, at, entry_size, &text, start, length);
		*LIST_ADD(s->list, s->count) = (struct call_site){ start, end, start + length };
	}
}

/* Joins overlapping places, because one instruction may have several alternatives. */
static void join_replaced(struct call_sites *s)
{
	size_t kept = 0;

	if (!s->replaced_count)
		return;
	qsort(s->replaced, s->replaced_count, sizeof(*s->replaced), sorted__by_first);
	for (size_t i = 1; i < s->replaced_count; i++) {
		struct replaced *last = &s->replaced[kept];

		if (s->replaced[i].start >= last->end)
			s->replaced[++kept] = s->replaced[i];
		else if (s->replaced[i].end > last->end)
			last->end = s->replaced[i].end;
	}
	s->replaced_count = kept + 1;
}

static void read_replaced(struct call_sites *s, const struct part *table)
{
	for (size_t at = 0; at < table->size; at += ALT_INSTR_SIZE) {
		uint64_t start = site_of(table, at);

		*LIST_ADD(s->replaced, s->replaced_count) = (struct replaced){
			start, start + table->bytes[at + ALT_INSTR_LENGTH],
		};
	}
	join_replaced(s);
}

/* Returns false if the file has no such table. */
static bool read_elf(struct call_sites *s, Elf *elf)
{
	static const struct {
		const char *name;
		size_t entry_size;
	} tables[] = {
		{ ".retpoline_sites", sizeof(int32_t) },
		{ ".altinstructions", ALT_INSTR_SIZE },
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		struct part table;

		if (!find_part(elf, tables[i].name, 0, &table) ||
		    !has_entries_of(&table, elf, tables[i].entry_size))
			continue;
		read_table(s, elf, &table, tables[i].entry_size);
		if (tables[i].entry_size == ALT_INSTR_SIZE)
			read_replaced(s, &table);
		any = true;
	}
	if (s->count)
		qsort(s->list, s->count, sizeof(*s->list), sorted__by_first);
	return any;
}

struct call_sites *call_sites__read_file(const char *path)
{
	struct call_sites *s = xcalloc(1, sizeof(*s));
	int fd;
	Elf *elf = elf_file__begin_path(path, false, &fd);
	bool any = elf && read_elf(s, elf);

	if (elf)
		elf_file__end(elf, fd);
	if (any)
		return s;
	call_sites__free(s);
	return NULL;
}

void call_sites__free(struct call_sites *s)
{
	if (!s)
		return;
	free(s->list);
	free(s->replaced);
	free(s);
}

uint64_t call_sites__linked(const struct call_sites *s, uint64_t addr)
{
	/* Index after the last call that begins before @addr. */
	size_t low = s ? SORTED_FROM(s->list, s->count, start, addr) : 0;

	return low && addr <= s->list[low - 1].end ? s->list[low - 1].returns_to : addr;
}

bool call_sites__replaced(const struct call_sites *s, uint64_t addr)
{
	/* Index after the last instruction that begins at or before @addr. */
	size_t low = s ? SORTED_FROM(s->replaced, s->replaced_count, start, addr + 1) : 0;

	return low && addr < s->replaced[low - 1].end;
}
