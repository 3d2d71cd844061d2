/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A vmlinux and a module with a few functions that call each other in each possible way. They are
 * assembled when a test needs them, so that tests see the code that an assembler and a linker make.
 */
#ifndef HYTRACE_TESTS_SMALL_KERNEL_H
#define HYTRACE_TESTS_SMALL_KERNEL_H

#define SMALL_BUILD_ID "1234567890abcdef"

static const char small_macros[] =
	".section .note.GNU-stack, \"\", @progbits\n"
	".macro begin name\n"
	"	.p2align 4, 0x90\n"
	"	.globl \\name\n"
	"	.type \\name, @function\n"
	"\\name:\n"
	".endm\n"
	".macro end name\n"
	"	.size \\name, . - \\name\n"
	".endm\n"
	/* NOPs of five bytes, which ftrace turns into a call. */
	".macro traced name\n"
	"	begin \\name\n"
	"	.pushsection __mcount_loc, \"aw\"\n"
	"	.quad \\name\n"
	"	.popsection\n"
	"	.byte 0x0f, 0x1f, 0x44, 0, 0\n"
	".endm\n"
	".macro leaf name\n"
	"	traced \\name\n"
	"	ret\n"
	"	end \\name\n"
	".endm\n";

static const char small_vmlinux[] =
	"	.text\n"
	"leaf callee\n"
	"begin quiet\n"				/* cannot be traced, and ends by a jump */
	"	jmp jumped\n"
	"end quiet\n"
	"leaf jumped\n"
	"leaf pointed\n"			/* by data and by code */
	"leaf in_data\n"
	"leaf lonely\n"
	"leaf unseen_target\n"
	"traced unseen\n"
	"	jmp unseen_target\n"
	"end unseen\n"
	"begin __SCT__key\n"
	"	jmp callee\n"
	"end __SCT__key\n"
	"begin __pi___x86_indirect_thunk_array\n"	/* as Linux 7.3 names it first */
	"	int3\n"
	"	.globl __x86_indirect_thunk_rax\n"
	"__x86_indirect_thunk_rax:\n"
	"	jmp *%rax\n"
	"end __pi___x86_indirect_thunk_array\n"
	"traced caller\n"
	"	call callee\n"			/* returns to +10 */
	"	call quiet\n"			/* +15 */
	"	call __x86_indirect_thunk_rax\n"	/* +20 */
	"	call __SCT__key\n"		/* +25 */
	"	call *%rax\n"			/* +27 */
	/* call *distance(%rax, %rbp, 8): its last five bytes are a call of callee. */
	"	.byte 0xff, 0x94, 0xe8\n"	/* +34 */
	"	.long callee - . - 4\n"
	"replaced:\n"
	"	call callee\n"			/* +39 */
	"	mov $pointed, %rdi\n"
	"	je caller.cold\n"
	"	jmp by_jump\n"
	"end caller\n"
	"leaf by_jump\n"
	"	.type caller.cold, @function\n"
	"caller.cold:\n"
	"	call callee\n"			/* +5 */
	"	jmp caller + 5\n"
	"	.size caller.cold, . - caller.cold\n"
	"traced padded\n"
	"replaced_too:\n"
	"	call callee\n"			/* +10; the kernel may use the NOPs, too */
	"	nop\n"
	"	nop\n"
	"	nop\n"
	"	ret\n"
	"end padded\n"
	"	.section .retpoline_sites, \"a\"\n"
	"	.long caller + 15 - .\n"
	"	.section .altinstructions, \"a\"\n"
	"	.long replaced - ., 0, 0\n"
	"	.byte 5, 0\n"
	"	.long replaced_too - ., 0, 0\n"
	"	.byte 8, 0\n"
	"	.section .rodata\n"
	"linux_banner: .asciz \"Linux version 6.12.0-small (test)\"\n"
	"__ksymtab_callee: .long 0\n"
	"	.data\n"
	"	.balign 8\n"
	"	.quad in_data\n";

static const char small_linking[] =
	"SECTIONS {\n"
	"	. = 0xffffffff81000000;\n"
	"	.text : { *(.text) }\n"
	"	.rodata : { *(.rodata) }\n"
	"	.retpoline_sites : { *(.retpoline_sites) }\n"
	"	.altinstructions : { *(.altinstructions) }\n"
	"	.notes : { *(.note.gnu.build-id) }\n"
	"	.data : { *(.data) }\n"
	"	.jump_table : { __start___jump_table = .; *(__jump_table) __stop___jump_table = .; }\n"
	"	.init.data : ALIGN(8) { __start_mcount_loc = .; *(__mcount_loc) __stop_mcount_loc = .; }\n"
	"}\n";

static const char small_module[] =
	"	.text\n"
	"leaf local\n"
	"traced of_module\n"
	"branch:\n"
	"	call callee\n"			/* returns to +10 */
	"	call local\n"			/* +15 */
	"	call __x86_indirect_thunk_rax\n"	/* +20 */
	"	call __SCT__key\n"		/* +25 */
	"replaced:\n"
	"	call callee\n"			/* +30 */
	"	jmp local_too\n"
	"end of_module\n"
	"leaf local_too\n"
	"begin by_register\n"
	"	jmp __x86_indirect_thunk_rax\n"
	"end by_register\n"
	"	.section .altinstructions, \"a\"\n"
	"	.long replaced - ., 0, 0\n"
	"	.byte 5, 0\n"
	"	.section __jump_table, \"aw\"\n"	/* as if the call were a static branch */
	"	.long branch - ., local - .\n"
	"	.quad 0\n"
	"	.section .modinfo, \"a\"\n"
	"	.asciz \"vermagic=6.12.0-small SMP\"\n";

/* init/main.c, whose place tells where the source begins. All of inner() and merely() is in outer(), and a copy of twin(). */
static const char small_source[] =
	"void callee(void);\n"
	"static inline __attribute__((always_inline)) void inner(void) { callee(); }\n"
	"static inline __attribute__((always_inline)) int merely(int x) { return x * 3; }\n"
	"int twin(int x) { callee(); return x + 1; }\n"
	"int outer(int x) { inner(); return merely(twin(x)); }\n"
	"int apart(int x) { return x - 1; }\n"
	"#define CONFIG_DATUM 1\n"
	"#ifdef CONFIG_DATUM\n"
	"int datum = 1;\n"
	"#endif\n";

#define SMALL_CFLAGS "-O2 -g -ffreestanding -fno-pic -mcmodel=kernel -fno-stack-protector -fcf-protection=none " \
	"-fno-asynchronous-unwind-tables -mno-red-zone -pg -mfentry -mrecord-mcount -mnop-mcount"

static inline void small_write(const char *directory, const char *name, const char *a, const char *b)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "w");
	cr_assert(f && fputs(a, f) >= 0 && fputs(b, f) >= 0 && !fclose(f));
}

/*
 * "vmlinux", and lib/modules/6.12.0-small with small.ko, in a new directory, which is to be freed.
 */
static inline char *small_kernel(void)
{
	char *directory = strdup("/tmp/small_kernel.XXXXXX"), command[1024];

	cr_assert(mkdtemp(directory) != NULL);
	small_write(directory, "vmlinux.S", small_macros, small_vmlinux);
	small_write(directory, "small.S", small_macros, small_module);
	small_write(directory, "vmlinux.lds", small_linking, "");
	small_write(directory, "main.c", small_source, "");
	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p lib/modules/6.12.0-small init && mv main.c init && "
		 "gcc " SMALL_CFLAGS " -c -o main.o init/main.c && "
		 "gcc -nostdlib -static -no-pie -Wl,--no-warn-rwx-segments,--build-id=0x%s,-e,0,-T,vmlinux.lds -o vmlinux vmlinux.S main.o && "
		 "gcc -c -o lib/modules/6.12.0-small/small.ko small.S && "
		 "echo small.ko: >lib/modules/6.12.0-small/modules.dep", directory, SMALL_BUILD_ID);
	cr_assert(system(command) == 0, "%s", command);
	return directory;
}

static inline void small_kernel__remove(char *directory)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -r %s", directory);
	cr_assert(system(command) == 0);
	free(directory);
}

#endif
