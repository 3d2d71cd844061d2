// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions, decoded by libZydis; see instruction.h. In its minimal mode it decodes the form of
 * an instruction but not its operands, which takes a fifth of the time.
 */
#include <Zydis/Zydis.h>

#include "kernel/instruction.h"

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
static uint64_t memory_of(const ZydisDecodedInstruction *i, uint64_t next)
{
	bool relative = (i->attributes & ZYDIS_ATTRIB_HAS_MODRM) && !i->raw.modrm.mod && i->raw.modrm.rm == 5;

	if (i->raw.disp.size != 32)
		return 0;
	return relative ? next + i->raw.disp.value : (uint64_t)i->raw.disp.value;
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
	if (ret->kind == INSTRUCTION_OTHER) {
		ret->memory = memory_of(&i, addr + i.length);
		if (i.raw.imm[0].size == 32)
			ret->value = (int32_t)i.raw.imm[0].value.u;
	} else if (i.raw.imm[0].size) {
		ret->direct = true;
		ret->target = addr + i.length + i.raw.imm[0].value.s;
		ret->target_at = i.raw.imm[0].offset;
		ret->target_size = i.raw.imm[0].size / 8;
	}
	return true;
}
