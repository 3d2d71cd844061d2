// SPDX-License-Identifier: GPL-2.0
/*
 * What the files of a kernel say, of a vmlinux and a module that the compiler makes of a few functions here. Options and
 * sections are those of a kernel, so that debug information, symbols and sites are what they are there.
 */

#include "image/image.h"
#include "image/inlines.h"
#include "image/lines.h"
#include "put_file.h"

/* If a file takes too much memory, AddressSanitizer would end the program itself. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static const char main_c[] =
	"const char linux_banner[] = \"Linux version 6.12.1-made (a@b) #1\";\n"
	"int other(int);\n"
	"static inline __attribute__((always_inline)) int small(int a)\n"		/* line 3 */
	"{ return other(a) + 1; }\n"
	"int twin(int a)\n"								/* line 5 */
	"{\n"
	"	return small(a);\n"
	"}\n"
	"int twin_too(int a) __attribute__((alias(\"twin\")));\n"
	"__attribute__((section(\".init.text\"))) int start_kernel(void) { return small(1) + twin(2); }\n"
	"__attribute__((no_instrument_function)) int quiet(int a) { return a * 3; }\n"
	"__attribute__((section(\".noinstr.text\"), no_instrument_function)) int hushed(int a) { return a * 3; }\n"
	"asm(\".pushsection .text; .type by_hand, @function; by_hand: ret; .size by_hand, 1; .popsection\");\n";

static const char other_c[] =
	"static __attribute__((noinline)) int twin(int a) { return a * 5; }\n"
	"int other(int a) { return twin(a) + 3; }\n"
	"const void *__ksymtab_other __attribute__((section(\"__ksymtab\"))) = other;\n";

/* Its text ends with a row of lines for which there is no code: libdw sorts the row after the end of the sequence. */
static const char silent_c[] =
	"int silent(int a) { return a; }\n"
	"__attribute__((section(\".init.text\"))) int silent_too(int a) { return a; }\n"
	"asm(\".pushsection .text; .loc 1 98; .loc 1 99; .popsection\");\n";

static const char entry_s[] =
	"	.text\n"
	"	.globl __fentry__, by_assembly\n"
	"__fentry__: ret\n"
	"	.type by_assembly, @function\n"
	"by_assembly: ret\n"
	"	.size by_assembly, . - by_assembly\n"
	"	.section .entry.text, \"ax\"\n"
	"	.type entered, @function\n"
	"entered: ret\n"
	"	.size entered, . - entered\n"
	"	.section .note.GNU-stack, \"\"\n";

static const char linking[] =
	"SECTIONS {\n"
	"	. = 0xffffffff81000000;\n"
	"	.text : { *(.text) __noinstr_text_start = .; *(.noinstr.text) __noinstr_text_end = .;\n"
	"		__entry_text_start = .; *(.entry.text) __entry_text_end = .; }\n"
	"	.rodata : { *(.rodata) *(.rodata.*) }\n"
	"	.notes : { *(.note.gnu.build-id) }\n"
	"	.data : { *(.data) *(__ksymtab) }\n"
	"	.init.text : { *(.init.text) }\n"
	"	.init.data : { __start_mcount_loc = .; *(__mcount_loc) QUAD(0) __stop_mcount_loc = .; }\n"
	"}\n";

/* Traced and not: the options of a kernel that has call depth tracking as well. */
#define OPTIONS "-O2 -g -ffreestanding -fno-pic -mcmodel=kernel -fcf-protection=branch -mfentry -mrecord-mcount "

static void make_files(void)
{
	enter_dir();
	run_shell("mkdir -p init fs lib");
	write_text("init/main.c", main_c);
	write_text("fs/other.c", other_c);
	write_text("lib/silent.c", silent_c);
	write_text("entry.S", entry_s);
	write_text("lds", linking);
	run_shell("{ "
		  "gcc " OPTIONS "-pg -c -o main.o init/main.c && gcc " OPTIONS "-pg -c -o other.o ./fs/../fs/other.c && "
		  "gcc " OPTIONS "-fno-toplevel-reorder -c -o silent.o lib/silent.c && gcc -g -c -o entry.o entry.S && "
		  "ld -T lds -e 0 --no-warn-rwx-segments --build-id=0x1234abcd -o vmlinux main.o other.o silent.o entry.o && "
		  "gcc " OPTIONS "-pg -DMODULE -c -o m1.o fs/other.c && gcc " OPTIONS "-pg -c -o m2.o init/main.c && "
		  "ld -r -o made.ko m1.o m2.o && xz -k made.ko && gzip -k made.ko && zstd -q made.ko && "
		  "{ cat made.ko; head -c 70000000 /dev/zero; } >large.ko && zstd -q large.ko && "
		  "gzip -k large.ko && xz -0 -k large.ko && "
		  "strip -o stripped vmlinux && objcopy -g vmlinux no_dwarf && objcopy --only-keep-debug vmlinux debug && "
		  "head -c 3000 vmlinux >cut && cp vmlinux of_arm && printf '\\267' | dd of=of_arm bs=1 seek=18 conv=notrunc; "
		  "} >log 2>&1 || { cat log; false; }");
}

static struct image *open_made(const char *name, const char *module)
{
	struct image *image;

	cr_assert(image__open(&image, in_dir(name), module) == 0, "%s", name);
	return image;
}

/* The vmlinux */
static struct image *image;

static void begin(void)
{
	make_files();
	image = open_made("vmlinux", NULL);
}

static void end(void)
{
	image__free(image);
	leave_dir();
}

TestSuite(image, .init = begin, .fini = end);

/* The one with @sympos of those of that name. */
static const struct image_function *named(const struct image *image, const char *name, uint32_t sympos)
{
	const struct image_function *const *list;
	size_t count;

	list = image__named(image, name, &count);
	cr_assert(list && count >= sympos, "%s %u", name, sympos);
	return list[sympos - 1];
}

static void expect_reason(const struct image *image, const char *name, enum untraced why)
{
	const struct image_function *f = named(image, name, 1);

	cr_expect(f->untraced == why, "%s: %s", name, untraced__word(f->untraced) ?: "can be traced");
}

Test(image, knows_what_can_be_traced_and_why_the_rest_cannot)
{
	expect_reason(image, "twin", UNTRACED_NOT);
	expect_reason(image, "other", UNTRACED_NOT);
	expect_reason(image, "start_kernel", UNTRACED_NOT);
	expect_reason(image, "quiet", UNTRACED_NOTRACE);
	expect_reason(image, "hushed", UNTRACED_NOINSTR);
	expect_reason(image, "silent", UNTRACED_FILE);
	expect_reason(image, "by_assembly", UNTRACED_ASSEMBLY);
	expect_reason(image, "entered", UNTRACED_ENTRY);
}

Test(image, without_debug_information_fewer_reasons_are_known)
{
	struct image *image = open_made("no_dwarf", NULL);
	struct line_place place;
	uint64_t addr = named(image, "twin", 1)->addr;

	expect_reason(image, "twin", UNTRACED_NOT);
	expect_reason(image, "quiet", UNTRACED_NO_CALL);
	expect_reason(image, "hushed", UNTRACED_NOINSTR);
	cr_expect(image__dwarf(image) == NULL);
	cr_expect(lines__find(image, &addr, 1, &place) == -ENODATA);
	image__free(image);
}

Test(image, knows_itself)
{
	expect_str(image__release(image), "6.12.1-made");
	expect_str(image__build_id(image), "1234abcd");
	cr_expect(image__module(image) == NULL && image__dwarf(image) != NULL);
}

Test(image, counts_namesakes_by_address)
{
	const struct image_function *first = named(image, "twin", 1), *second = named(image, "twin", 2);
	size_t count;

	cr_expect(first->addr < second->addr);
	cr_expect(second->sympos == 2);
	cr_expect(image__named(image, "twi", &count) == NULL && count == 0);
}

/* The linker's table of symbols has no order that means something; the kernel's own has. */
Test(image, has_one_function_for_each_address)
{
	const struct image_function *list;
	size_t count, names = 0;

	list = image__functions(image, &count);
	for (size_t i = 0; i < count; i++) {
		cr_expect(i == 0 || list[i - 1].addr < list[i].addr);
		names += !strcmp(list[i].name, "twin") || !strcmp(list[i].name, "twin_too");
	}
	cr_expect(names == 2, "twin of main.c with its alias, and twin of other.c");
	cr_expect(named(image, "twin_too", 1) == named(image, "twin", 1));
	expect_str(named(image, "twin_too", 1)->name, "twin", "as the kernel prints it");
}

Test(image, knows_init_code_and_exports)
{
	cr_expect(named(image, "start_kernel", 1)->init && !named(image, "other", 1)->init);
	cr_expect(named(image, "other", 1)->exported && !named(image, "quiet", 1)->exported);
}

Test(image, finds_the_function_at_an_address)
{
	const struct image_function *other = named(image, "other", 1);

	cr_expect(image__function_at(image, other->addr) == other);
	cr_expect(image__function_at(image, other->addr + other->size - 1) == other);
	cr_expect(image__function_at(image, other->addr + other->size) != other);
	cr_expect(image__function_at(image, 0xffffffff80000000) == NULL);
}

Test(image, has_the_code)
{
	static const unsigned char endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const struct image_function *other = named(image, "other", 1);
	const unsigned char *code;
	size_t left;

	code = image__text(image, other->addr, &left);
	cr_assert(code && left >= other->size);
	cr_expect(memcmp(code, endbr, sizeof(endbr)) == 0);
	cr_expect(image__text(image, 1, &left) == NULL);
}

static void expect_place(const struct image *image, const char *name, uint32_t sympos, const char *file,
			 unsigned int line)
{
	uint64_t addr = named(image, name, sympos)->addr;
	struct line_place place;

	cr_assert(lines__defined(image, &addr, 1, &place) == 0);
	cr_assert(place.file != NULL, "%s", name);
	expect_str(place.file, file);
	cr_expect(eq(u32, place.line, line), "%s", name);
}

Test(image, knows_where_functions_are_defined)
{
	uint64_t addr = named(image, "by_hand", 1)->addr;
	struct line_place place;

	expect_place(image, "twin", 1, "init/main.c", 5);
	expect_place(image, "twin", 2, "fs/other.c", 1);
	expect_place(image, "by_assembly", 1, "entry.S", 5);
	cr_assert(lines__defined(image, &addr, 1, &place) == 0);
	cr_expect(place.file == NULL, "assembly in a file of C has no place");
}

Test(image, knows_the_lines_of_addresses)
{
	const struct image_function *twin = named(image, "twin", 1);
	uint64_t addrs[] = { twin->addr, twin->addr + twin->size - 1, 0xffffffff81fffff0 };
	struct line_place places[3];

	cr_assert(lines__find(image, addrs, 3, places) == 0);
	cr_assert(places[0].begins && places[0].file);
	expect_str(places[0].file, "init/main.c");
	cr_expect(eq(u32, places[0].line, 6));
	cr_expect(places[1].file && places[1].line >= 4 && places[1].line <= 8);
	cr_expect(places[2].file == NULL && places[2].line == 0);
}

/* Between the two pieces of a unit lies code of others: nothing of the unit is there. */
Test(image, takes_no_line_of_a_unit_that_does_not_have_the_address)
{
	const struct image_function *start = named(image, "start_kernel", 1);
	uint64_t addr = start->addr + start->size - 1;
	struct line_place place;

	cr_assert(named(image, "silent", 1)->addr < addr && addr < named(image, "silent_too", 1)->addr);
	cr_assert(lines__find(image, &addr, 1, &place) == 0);
	expect_str(place.file, "init/main.c");
}

Test(image, knows_the_compiled_file)
{
	expect_str(image__unit(image, named(image, "silent", 1)->addr)->path, "lib/silent.c");
	expect_str(image__unit(image, named(image, "other", 1)->addr)->path, "fs/other.c");
	cr_expect(image__unit(image, 1) == NULL);
}

Test(image, knows_the_units_of_a_vmlinux)
{
	struct units *units;

	cr_assert(units__open(&units, in_dir("vmlinux")) == 0);
	expect_str(units__find(units, named(image, "twin", 1)->addr)->path, "init/main.c");
	expect_str(units__source(units, "./a//b/../c.h"), "a/c.h");
	expect_str(units__source(units, "../x.c"), "x.c");
	expect_str(units__source(units, "/elsewhere/./x.c"), "/elsewhere/x.c");
	units__free(units);
	cr_expect(units__open(&units, in_dir("no_dwarf")) == -ENODATA);
}

Test(image, knows_where_a_function_was_inlined)
{
	struct copies copies;

	cr_assert(copies__find(&copies, image, "small") == 0);
	cr_assert(eq(sz, copies.into_count, 2));
	cr_expect(copies.into[0] == named(image, "twin", 1) && copies.into[1] == named(image, "start_kernel", 1));
	cr_assert(eq(sz, copies.source_count, 1));
	expect_str(copies.sources[0].file, "init/main.c");
	cr_expect(eq(u32, copies.sources[0].line, 3));
	copies__free(&copies);
	cr_assert(copies__find(&copies, image, "nobody") == 0);
	cr_expect(copies.into_count == 0 && copies.source_count == 0);
	copies__free(&copies);
}

/* The text of a module is one piece, and what is freed after the start another. */
static void expect_module(const char *name)
{
	struct image *image = open_made(name, "made");
	const struct image_function *f;

	expect_reason(image, "other", UNTRACED_NOT);
	expect_reason(image, "quiet", UNTRACED_NOTRACE);
	expect_reason(image, "hushed", UNTRACED_NOINSTR);
	expect_place(image, "twin", 2, "init/main.c", 5);
	f = named(image, "hushed", 1);
	cr_expect(f->addr > named(image, "quiet", 1)->addr, "another section, after .text");
	cr_expect(image__function_at(image, f->addr) == f);
	f = named(image, "start_kernel", 1);
	cr_expect(f->init && f->addr == IMAGE_MODULE_INIT && f->untraced == UNTRACED_NOT);
	cr_expect(eq(u64, image__from_dwarf(image, image__to_dwarf(image, f->addr)), f->addr));
	expect_str(image__unit(image, f->addr)->path, "init/main.c");
	image__free(image);
}

Test(image, reads_modules_compressed_or_not)
{
	expect_module("made.ko");
	expect_module("made.ko.xz");
	expect_module("made.ko.gz");
	expect_module("made.ko.zst");
	expect_module("large.ko");
}

static void expect_refused(const char *name, const char *module)
{
	struct image *image;

	cr_expect(image__open(&image, in_dir(name), module) == -EINVAL, "%s", name);
}

Test(image, refuses_other_files)
{
	expect_refused("absent", NULL);
	expect_refused("lds", NULL);
	expect_refused("cut", NULL);
	expect_refused("stripped", NULL);
	expect_refused("large.ko.zst", "made");
	expect_refused("large.ko.gz", "made");
	expect_refused("large.ko.xz", "made");
	expect_refused("of_arm", NULL);
	expect_refused("debug", NULL);
	expect_refused("made.ko", NULL);
	expect_refused("vmlinux", "vmlinux");
}
