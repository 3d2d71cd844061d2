// SPDX-License-Identifier: GPL-2.0
/* The targets of calls in a vmlinux and a module that are made here; see small_kernel.h. */

#include "image/calls.h"
#include "image/references.h"
#include "small_kernel.h"

static struct small {
	char *directory;
	struct image *image;
	struct calls *calls;
} s;

static void open_small(const char *name, const char *module)
{
	char path[256];

	calls__free(s.calls);
	image__free(s.image);
	snprintf(path, sizeof(path), "%s/%s", s.directory, name);
	cr_assert(eq(int, image__open(&s.image, path, module), 0));
	s.calls = calls__open(s.image);
}

static void begin(void)
{
	s.directory = small_kernel();
	open_small("vmlinux", NULL);
}

static void open_module(void)
{
	open_small("lib/modules/6.12.0-small/small.ko", "small");
}

static void end(void)
{
	calls__free(s.calls);
	image__free(s.image);
	small_kernel__remove(s.directory);
}

TestSuite(calls, .init = begin, .fini = end);
TestSuite(references, .init = begin, .fini = end);

static const struct image_function *function(const char *name)
{
	size_t count;
	const struct image_function *const *list = image__named(s.image, name, &count);

	cr_assert(list && count == 1, "%s", name);
	return list[0];
}

/* The call that returns to this offset in a function. */
static struct call before(const char *name, uint64_t offset)
{
	struct call call;

	calls__before(s.calls, function(name)->addr + offset, &call);
	return call;
}

static void expect_direct(const char *in, uint64_t offset, const char *callee)
{
	struct call call = before(in, offset);

	cr_expect(eq(int, call.kind, CALL_DIRECT), "%s+%d", in, (int)offset);
	cr_expect(call.callee == function(callee), "%s+%d", in, (int)offset);
	cr_expect(call.name && !strcmp(call.name, callee));
	cr_expect(eq(u64, call.returns_to, function(in)->addr + offset));
	cr_expect(eq(u64, call.site, call.returns_to - 5));
	cr_expect(call.in == function(in) && !call.jump);
}

static void expect_kind(const char *in, uint64_t offset, enum call_kind kind)
{
	struct call call = before(in, offset);

	cr_expect(eq(int, call.kind, kind), "%s+%d", in, (int)offset);
	cr_expect(call.callee == NULL, "%s+%d", in, (int)offset);
}

Test(calls, that_name_their_callee)
{
	expect_direct("caller", 10, "callee");
	expect_direct("caller", 15, "quiet");
	expect_direct("caller.cold", 5, "callee");
}

Test(calls, that_do_not_are_never_guessed)
{
	expect_kind("caller", 20, CALL_THUNK);
	expect_kind("caller", 25, CALL_STATIC);
	cr_expect(before("caller", 25).name && !strcmp(before("caller", 25).name, "key"));
	expect_kind("caller", 27, CALL_INDIRECT);
	expect_kind("caller", 34, CALL_INDIRECT);
	expect_kind("caller", 39, CALL_REPLACED);
}

/* "call *%rax" in the place of a retpoline returns three bytes earlier. */
Test(calls, that_the_kernel_has_rewritten_are_found_by_their_place)
{
	for (uint64_t offset = 16; offset <= 20; offset++) {
		expect_kind("caller", offset, CALL_THUNK);
		cr_expect(eq(u64, before("caller", offset).returns_to, function("caller")->addr + 20));
	}
	/* The code in the place of another call may be longer. */
	for (uint64_t offset = 6; offset <= 13; offset++) {
		expect_kind("padded", offset, CALL_REPLACED);
		cr_expect(eq(u64, before("padded", offset).returns_to, function("padded")->addr + 10));
	}
}

Test(calls, are_not_where_there_is_no_call)
{
	struct call call;

	expect_kind("caller", 5, CALL_UNKNOWN);	/* NOPs */
	expect_kind("caller", 46, CALL_UNKNOWN);	/* mov */
	expect_kind("quiet", 2, CALL_UNKNOWN);	/* jmp */
	calls__before(s.calls, 0xffffffff80000000, &call);
	cr_expect(eq(int, call.kind, CALL_UNKNOWN));
	cr_expect(call.in == NULL);
}

Test(calls, of_a_module_are_in_its_relocations)
{
	struct call call;

	open_module();
	call = before("of_module", 10);
	cr_expect(eq(int, call.kind, CALL_DIRECT));
	cr_expect(call.callee == NULL, "it is in another file");
	cr_expect(call.name && !strcmp(call.name, "callee"));
	expect_direct("of_module", 15, "local");
	expect_kind("of_module", 20, CALL_THUNK);
	expect_kind("of_module", 18, CALL_THUNK);
	expect_kind("of_module", 25, CALL_STATIC);
	expect_kind("of_module", 30, CALL_REPLACED);
}

struct list {
	struct call calls[16];
	size_t count;
};

static void add(const struct call *call, void *data)
{
	struct list *list = data;

	list->calls[list->count++] = *call;
}

Test(calls, of_a_function_are_all_that_leave_it)
{
	struct list list = {};

	calls__of(s.calls, function("caller"), add, &list);
	/* There are seven calls and the last jump; the jump to its own part does not count. */
	cr_assert(eq(sz, list.count, 8));
	cr_expect(list.calls[7].jump && list.calls[7].callee == function("by_jump"));
	list.count = 0;
	calls__of(s.calls, function("caller.cold"), add, &list);
	cr_assert(eq(sz, list.count, 1), "the jump back is none");
}

/* Of an instruction, the last way that is not the next instruction. */
struct ways_from {
	uint64_t at, to;
	bool anywhere;
};

static void add_way(const struct flow *flow, void *data)
{
	struct ways_from *ways = data;

	if (flow->at == ways->at && flow->to != FLOW_NO_TARGET)
		ways->to = flow->to;
	ways->anywhere |= flow->anywhere;
}

Test(calls, of_a_module_may_be_static_branches)
{
	struct ways_from ways = { .to = FLOW_NO_TARGET };

	open_module();
	ways.at = function("of_module")->addr + 5;
	cr_assert(eq(int, calls__read_ways(s.calls), 0));
	calls__flow(s.calls, function("of_module"), add_way, &ways);
	cr_expect(eq(u64, ways.to, function("local")->addr));
	cr_expect(not(ways.anywhere));
	calls__flow(s.calls, function("by_register"), add_way, &ways);
	cr_expect(ways.anywhere, "only the processor knows where a retpoline jumps");
}

Test(references, tell_the_ways_into_a_function)
{
	static const struct {
		const char *name;
		enum taken taken;
		size_t jumps;
	} expected[] = {
		{ "callee", TAKEN_NOT, 1 }, { "jumped", TAKEN_NOT, 1 }, { "pointed", TAKEN_YES, 0 },
		{ "in_data", TAKEN_YES, 0 }, { "lonely", TAKEN_NOT, 0 }, { "by_jump", TAKEN_NOT, 1 },
		{ "caller", TAKEN_NOT, 0 },
	};
	struct references *r;
	const struct call *ways;
	size_t count, jumps;

	r = references__read(s.image, s.calls);
	for_each(one, expected) {
		const struct image_function *f = function(one->name);

		cr_expect(eq(int, references__taken(r, f), one->taken), "%s", one->name);
		ways = references__ways(r, f, &count);
		jumps = 0;
		for (size_t k = 0; k < count; k++) {
			cr_expect(ways[k].callee == f);
			jumps += ways[k].jump;
		}
		cr_expect(eq(sz, jumps, one->jumps), "%s", one->name);
		cr_expect(eq(int, count == 0, ways == NULL));
	}
	ways = references__ways(r, function("jumped"), &count);
	cr_assert(eq(sz, count, 1));
	cr_expect(ways->in == function("quiet"));
	/* Not where the instruction may be replaced, nor where only its end looks like a call. */
	ways = references__ways(r, function("callee"), &count);
	jumps = 0;
	for (size_t k = 0; k < count; k++)
		jumps += ways[k].in == function("caller");
	cr_expect(eq(sz, jumps, 1));
	references__free(r);
}

Test(references, of_a_module_do_not_tell_who_takes_its_addresses)
{
	struct references *r;
	size_t count;

	open_module();
	r = references__read(s.image, s.calls);
	cr_expect(eq(int, references__taken(r, function("local")), TAKEN_UNKNOWN));
	cr_expect(references__ways(r, function("local_too"), &count) != NULL);
	cr_expect(eq(sz, count, 1));
	references__free(r);
}

/* ---- the hash of a function */

/* The hash of this code as a function, with @before in front of it. The code is copied to two places of the image. */
static uint64_t hash_of(const char *before, const char *code)
{
	char text[1024], command[512];

	snprintf(text, sizeof(text), "\t.text\n%s\ntraced hashed\n%s\nend hashed\nleaf callee\nleaf quiet\n"
		 "\t.section .rodata\nlinux_banner: .asciz \"Linux version 6.12.0-small (test)\"\ntable: .quad hashed\n"
		 "\t.data\ndatum: .quad 1\n", before, code);
	small_write(s.directory, "vmlinux.S", small_macros, text);
	snprintf(command, sizeof(command), "cd %s && gcc -nostdlib -static -no-pie -Wl,--no-warn-rwx-segments,--build-id=0x%s,"
		 "-e,0,-T,vmlinux.lds -o vmlinux vmlinux.S", s.directory, SMALL_BUILD_ID);
	cr_assert(system(command) == 0, "%s", command);
	open_small("vmlinux", NULL);
	return calls__hash(s.calls, function("hashed"));
}

Test(calls, of_the_same_code_at_another_place_have_the_same_hash)
{
	static const char *const same[] = {
		"call callee", "jmp callee", "mov datum(%rip), %eax", "mov datum, %eax", "mov $datum, %rdi", "1: nop\njmp 1b",
		"jmp *table(, %rax, 8)", "call *table(%rip)", "movq $table, datum(%rip)", "cmpl $5, datum(%rip)",
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		uint64_t hash = hash_of("", same[i]);

		cr_expect(ne(u64, hash, 0), "%s", same[i]);
		cr_expect(eq(u64, hash_of("leaf first\n.skip 300", same[i]), hash), "%s", same[i]);
	}
}

Test(calls, of_other_code_have_another_hash)
{
	static const char *const pairs[][2] = {
		{ "nop", "ret" }, { "mov $1, %eax", "mov $2, %eax" }, { "call callee", "call quiet" }, { "call callee", "jmp callee" },
		{ "mov $0xffffff01, %edi", "mov $0xffffff02, %edi" }, { "mov 0x12345(%rax), %eax", "mov 0x12346(%rax), %eax" },
		{ "je 1f\nnop\nret\n1: ret", "je 1f\nnop\n1: ret\nret" }, { "mov $-1, %rdi", "mov $-2, %rdi" },
		{ "mov %gs:0x12345, %eax", "mov %gs:0x12346, %eax" }, { "call callee", "call callee + 5" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		cr_expect(ne(u64, hash_of("", pairs[i][0]), hash_of("", pairs[i][1])), "%s", pairs[i][0]);
	cr_expect(eq(u64, hash_of("", ".byte 0x06"), 0), "no instruction");
}

Test(calls, of_a_module_have_a_hash_with_the_names_of_other_files)
{
	uint64_t one;

	open_module();
	one = calls__hash(s.calls, function("of_module"));
	cr_expect(ne(u64, one, 0));
	cr_expect(eq(u64, calls__hash(s.calls, function("local")), calls__hash(s.calls, function("local_too"))));
	small_write(s.directory, "small.S", small_macros, small_module);
	for (int other = 0; other < 2; other++) {
		char command[512];

		snprintf(command, sizeof(command), "cd %s && sed -i '%s' small.S && gcc -c -o lib/modules/6.12.0-small/small.ko small.S",
			 s.directory, other ? "s/call callee/call called/" : "s/^leaf local$/leaf before\\nleaf local/");
		cr_assert(system(command) == 0, "%s", command);
		open_module();
		cr_expect(eq(int, calls__hash(s.calls, function("of_module")) == one, !other));
	}
}
