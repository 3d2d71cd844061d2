// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that the kernel rewrites. This program has the two tables that a vmlinux has, for calls of
 * its own that are never executed, and is read like a vmlinux.
 */

#include "kernel/call_sites.h"
#include "kernel/hits.h"
#include "kernel/sample.h"

/* An instruction NAME in .text, with its entry of .retpoline_sites. */
#define RETPOLINE_SITE(name, instruction)					\
	asm(".pushsection .text\n" name ": " instruction "\nnop\n.popsection\n"	\
	    ".pushsection .retpoline_sites, \"a\", @progbits\n"			\
	    ".long " name " - .\n.popsection\n")
/* The same for .altinstructions, with 14 bytes an entry. */
#define ALTERNATIVE(name, instruction)						\
	asm(".pushsection .text\n" name ": " instruction "\n"			\
	    name "_end: nop\n.popsection\n"					\
	    ".pushsection .altinstructions, \"a\", @progbits\n"			\
	    ".long " name " - .\n.long 0\n.long 0\n"				\
	    ".byte " name "_end - " name ", 0\n.popsection\n")
#define DECLARE(name) extern const char name[] __attribute__((visibility("hidden")))

DECLARE(first_thunk);
DECLARE(prefixed_thunk);
DECLARE(jump_to_thunk);
DECLARE(pv_operation);
DECLARE(filled_call);
DECLARE(two_calls);
DECLARE(no_call);
DECLARE(__ehdr_start);

/* This comes before the calls of the table that is read first. */
ALTERNATIVE("pv_operation", "call *0x1234(%rip)");
RETPOLINE_SITE("first_thunk", "call first_thunk");
RETPOLINE_SITE("prefixed_thunk", ".byte 0x2e; call first_thunk");
RETPOLINE_SITE("jump_to_thunk", ".byte 0xe9; .long 0");
ALTERNATIVE("filled_call", "call *%rax; nop; nop; nop");
ALTERNATIVE("two_calls", "call *%rax; call *%rax; nop");
ALTERNATIVE("no_call", "nop; nop; nop; nop; nop");

static struct call_sites *own(void)
{
	struct call_sites *s = call_sites__read_file("/proc/self/exe");

	cr_assert(ne(ptr, s, NULL));
	return s;
}

static uint64_t linked(const char *label)
{
	return label - __ehdr_start;
}

/* @length: that of the linked call; @room: that of its replacement. */
static void expect_place(const char *label, uint64_t length, uint64_t room)
{
	struct call_sites *s = own();

	cr_expect(eq(u64, call_sites__linked(s, linked(label)), linked(label)),
		  "what ends where it begins is another one");
	for (uint64_t i = 1; i <= room; i++)
		cr_expect(eq(u64, call_sites__linked(s, linked(label) + i), linked(label) + length));
	cr_expect(eq(u64, call_sites__linked(s, linked(label) + room + 1), linked(label) + room + 1));
	call_sites__free(s);
}

static void expect_returns(const char *label, uint64_t length)
{
	expect_place(label, length, length);
}

Test(call_sites, a_retpoline_returns_to_one_address_in_all_its_forms)
{
	expect_returns(first_thunk, 5);
	expect_returns(prefixed_thunk, 6);
}

Test(call_sites, so_does_a_paravirt_operation)
{
	expect_returns(pv_operation, 6);
}

/* CALL_NOSPEC: two bytes become five. */
Test(call_sites, so_does_a_call_that_becomes_a_longer_one)
{
	expect_place(filled_call, 2, 5);
}

Test(call_sites, a_place_of_two_calls_has_two_return_addresses)
{
	expect_place(two_calls, 2, 2);
}

Test(call_sites, what_is_no_call_is_left_alone)
{
	struct call_sites *s = own();

	for (int i = 0; i < 6; i++) {
		cr_expect(eq(u64, call_sites__linked(s, linked(jump_to_thunk) + i),
			     linked(jump_to_thunk) + i));
		cr_expect(eq(u64, call_sites__linked(s, linked(no_call) + i), linked(no_call) + i));
	}
	call_sites__free(s);
}

/* A caller in a running kernel that lies KASLR higher than this program and has one function. */
static struct hit resolve(uint64_t linked_addr, bool offset_known)
{
	struct kernel kernel = { .id = { .offset_known = offset_known, .kaslr_offset = KASLR }, .sites = own() };
	struct hit hit = { .kind = HIT_CALLER, .addr = linked_addr + KASLR };
	struct hits hits;
	char text[64];

	snprintf(text, sizeof(text), "%lx T function\n", linked(pv_operation) + KASLR);
	kernel.symbols = symbols_of(text, NULL);
	hits__init(&hits);
	cr_expect(places__resolve(&(struct places){ .kernel = &kernel }, &hits, &hit));
	hits__free(&hits);
	kernel__free(&kernel);
	return hit;
}

Test(call_sites, a_caller_has_the_address_as_linked)
{
	uint64_t linked_addr = linked(pv_operation) + 6;
	struct hit hit = resolve(linked_addr - 1, true);

	cr_expect(eq(u64, hit.link, linked_addr));
	cr_expect(eq(u64, hit.addr, linked_addr + KASLR));
	hit = resolve(linked_addr - 1, false);
	cr_expect(eq(u64, hit.link, 0));
	cr_expect(eq(u64, hit.addr, linked_addr - 1 + KASLR), "where it lies is not known");
}

Test(call_sites, an_alternative_is_told_from_what_stays)
{
	struct call_sites *s = own();

	cr_expect(call_sites__replaced(s, linked(pv_operation)));
	cr_expect(call_sites__replaced(s, linked(pv_operation) + 5));
	cr_expect(not(call_sites__replaced(s, linked(pv_operation) + 6)));
	cr_expect(not(call_sites__replaced(s, linked(pv_operation) - 1)));
	cr_expect(call_sites__replaced(s, linked(two_calls) + 2), "the second call of a place");
	cr_expect(call_sites__replaced(s, linked(no_call)));
	cr_expect(not(call_sites__replaced(s, linked(first_thunk))), "a retpoline");
	cr_expect(not(call_sites__replaced(NULL, linked(pv_operation))));
	call_sites__free(s);
}

Test(call_sites, without_a_table_all_is_left_alone)
{
	cr_expect(eq(u64, call_sites__linked(NULL, 4711), 4711));
	cr_expect(eq(ptr, call_sites__read_file("/proc/self/cmdline"), NULL));
	cr_expect(eq(ptr, call_sites__read_file("/nowhere"), NULL));
}

Test(call_instruction, has_the_length_that_the_assembler_gives_it)
{
	static const struct {
		size_t length;
		const char *bytes;
		const char *text;
	} calls[] = {
		{ 5, "\xe8\x00\x00\x00\x00", "call rel32" },
		{ 6, "\x2e\xe8\x00\x00\x00\x00", "cs call rel32" },
		{ 2, "\xff\xd0", "call *%rax" },
		{ 3, "\x41\xff\xd3", "call *%r11" },
		{ 4, "\x2e\x41\xff\xd3", "cs call *%r11" },
		{ 2, "\xff\x10", "call *(%rax)" },
		{ 3, "\xff\x50\x18", "call *0x18(%rax)" },
		{ 6, "\xff\x90\x00\x01\x00\x00", "call *0x100(%rax)" },
		{ 6, "\xff\x15\x00\x00\x00\x00", "call *0(%rip)" },
		{ 7, "\xff\x14\x25\x00\x00\x00\x00", "call *0" },
		{ 7, "\xff\x14\xc5\x00\x00\x00\x00", "call *0(,%rax,8)" },
		{ 3, "\xff\x14\xc1", "call *(%rcx,%rax,8)" },
		{ 4, "\xff\x54\x24\x08", "call *8(%rsp)" },
		{ 5, "\x41\xff\x54\x24\x08", "call *8(%r12)" },
		{ 0, "\xff\xe0", "jmp *%rax" },
		{ 0, "\xff\x18", "a far call, which the kernel has none of" },
		{ 0, "\x90", "nop" },
		{ 0, "\x2e", "a prefix alone" },
		{ 0, "\xe9\x00\x00\x00\x00", "jmp rel32" },
		{ 0, "", "nothing" },
	};

	for_each(one, calls) {
		unsigned char text[8] = {};
		size_t length = one->length;

		memcpy(text, one->bytes, length ? length : strlen(one->bytes));
		cr_expect(eq(sz, call_instruction__length(text, sizeof(text)), length), "%s",
			  one->text);
		if (length)
			cr_expect(eq(sz, call_instruction__length(text, length - 1), 0), "%s, cut off",
				  one->text);
	}
}
