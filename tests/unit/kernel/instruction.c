// SPDX-License-Identifier: GPL-2.0
/*
 * Where instructions end, and the targets of calls and jumps. gas 2.40 makes these bytes from the
 * text beside them.
 */

#include "kernel/call_sites.h"

#define AT 0xffffffff81000000ul

static const struct {
	size_t length;
	const char *bytes, *text;
	enum instruction_kind kind;
	bool direct;
	uint64_t target;
} cases[] = {
	{ 5, "\xe8\x01\x02\x00\x00", "call rel32", INSTRUCTION_CALL, true, AT + 5 + 0x201 },
	{ 5, "\xe8\xf6\xff\xff\xff", "call rel32, back", INSTRUCTION_CALL, true, AT - 5 },
	{ 6, "\x2e\xe8\x10\x00\x00\x00", "cs call rel32", INSTRUCTION_CALL, true, AT + 0x16 },
	{ 2, "\xff\xd0", "call *%rax", INSTRUCTION_CALL },
	{ 3, "\x41\xff\xd3", "call *%r11", INSTRUCTION_CALL },
	{ 6, "\xff\x15\x00\x00\x00\x00", "call *0(%rip)", INSTRUCTION_CALL },
	{ 7, "\xff\x14\xc5\x00\x00\x00\x00", "call *0(,%rax,8)", INSTRUCTION_CALL },
	{ 7, "\xff\x94\xe8\x10\x00\x00\x00", "call *0x10(%rax,%rbp,8)", INSTRUCTION_CALL },
	{ 5, "\xe9\x00\x01\x00\x00", "jmp rel32", INSTRUCTION_JUMP, true, AT + 0x105 },
	{ 2, "\xeb\xfe", "jmp rel8", INSTRUCTION_JUMP, true, AT },
	{ 2, "\x74\x10", "je rel8", INSTRUCTION_JUMP, true, AT + 0x12 },
	{ 6, "\x0f\x85\x00\x01\x00\x00", "jne rel32", INSTRUCTION_JUMP, true, AT + 0x106 },
	{ 2, "\xe3\x10", "jrcxz rel8", INSTRUCTION_JUMP, true, AT + 0x12 },
	{ 2, "\xff\xe0", "jmp *%rax", INSTRUCTION_JUMP },
	{ 2, "\xff\x18", "lcall *(%rax)", INSTRUCTION_OTHER },
	{ 2, "\xff\x00", "incl (%rax)", INSTRUCTION_OTHER },
	{ 4, "\xf3\x0f\x1e\xfa", "endbr64", INSTRUCTION_OTHER },
	{ 5, "\x0f\x1f\x44\x00\x00", "nopl 0(%rax,%rax)", INSTRUCTION_OTHER },
	{ 10, "\x48\xb8\xe8\xe8\xe8\xe8\xe8\xe8\xe8\xe8", "movabs $0xe8..., %rax", INSTRUCTION_OTHER },
	{ 5, "\xc5\xf8\x77\x90\x90", "vzeroupper, nops", INSTRUCTION_OTHER },
	{ 4, "\xf2\x0f\x00\xf7", "lkgs %edi, which gas 2.40 does not know", INSTRUCTION_OTHER },
	{ 1, "\xc3", "ret", INSTRUCTION_OTHER },
};

Test(instruction, is_what_the_assembler_was_told)
{
	for_each(c, cases) {
		size_t length = c->length;
		struct instruction got;

		cr_assert(instruction__decode(&got, (const unsigned char *)c->bytes, length, AT), "%s",
			  c->text);
		cr_expect(eq(sz, got.length, strstr(c->text, "nops") ? 3 : length), "%s", c->text);
		cr_expect(eq(int, got.kind, c->kind), "%s", c->text);
		cr_expect(eq(int, got.direct, c->direct), "%s", c->text);
		cr_expect(eq(u64, got.target, c->target), "%s", c->text);
		if (got.direct)
			cr_expect(eq(sz, got.target_at + got.target_size, got.length), "%s", c->text);
	}
}

Test(instruction, has_the_addresses_that_are_in_it)
{
	static const struct {
		unsigned char bytes[12];
		const char *text;
		uint64_t memory, value;
	} with[] = {
		{ "\x48\x8d\x3d\x10\x00\x00\x00", "lea 0x10(%rip), %rdi", AT + 7 + 0x10, 0 },
		{ "\x48\xc7\xc7\x40\x00\x00\x81", "mov $0xffffffff81000040, %rdi", 0, AT + 0x40 },
		{ "\x48\xc7\x44\x24\x08\x40\x00\x00\x81", "movq $..., 8(%rsp)", 0, AT + 0x40 },
		{ "\x48\xc7\x05\x10\x00\x00\x00\x40\x00\x00\x81", "movq $..., 0x10(%rip)", AT + 11 + 0x10, AT + 0x40 },
		{ "\x48\x8b\x04\xc5\x40\x00\x00\x81", "mov table(,%rax,8), %rax", AT + 0x40, 0 },
		{ "\x48\x3d\x40\x00\x00\x81", "cmp $..., %rax", 0, AT + 0x40 },
		{ "\x68\x40\x00\x00\x81", "push $...", 0, AT + 0x40 },
		{ "\xe8\x40\x00\x00\x81", "call", 0, 0 },
		{ "\x48\x8b\x45\x10", "mov 0x10(%rbp), %rax", 0, 0 },
	};

	for_each(one, with) {
		struct instruction got;

		cr_assert(instruction__decode(&got, one->bytes, sizeof(one->bytes), AT), "%s",
			  one->text);
		cr_expect(eq(u64, got.memory, one->memory), "%s", one->text);
		cr_expect(eq(u64, got.value, one->value), "%s", one->text);
	}
}

Test(instruction, that_is_cut_off_or_none_at_all_is_told)
{
	struct instruction got;

	cr_expect(not(instruction__decode(&got, (const unsigned char *)"\xe8\x00\x00\x00", 4, AT)));
	cr_expect(not(instruction__decode(&got, (const unsigned char *)"\x2e", 1, AT)));
	cr_expect(not(instruction__decode(&got, (const unsigned char *)"", 0, AT)));
	cr_expect(not(instruction__decode(&got, (const unsigned char *)"\x06", 1, AT)), "push es, of 32 bits");
	cr_expect(not(instruction__decode(&got, (const unsigned char *)"\xf2\x0f\x00", 3, AT)), "lkgs, cut off");
}
