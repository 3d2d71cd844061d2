// SPDX-License-Identifier: GPL-2.0
/*
 * Which options objects need, and when Kbuild is asked again, in a tree that is made here. Its Makefiles do what those of
 * the kernel do for what is asked, in a few lines. t-cover-boot asks those of the kernel.
 */

#include "printed.h"
#include "put_file.h"
#include "tailor/owners.h"

/* put_file() in the directory of the test */
static void put(const char *name, const char *text)
{
	put_file(test_dir, name, text);
}

static void make_tree(void)
{
	enter_dir();
	setenv("XDG_CACHE_HOME", test_dir, 1);
	put("Makefile",
	    "include include/config/auto.conf\n"
	    "include arch/x86/Makefile\n"
	    "export srctree := $(CURDIR)\n"
	    "export SRCARCH := x86\n"
	    "export KERNELVERSION := $(or $(shell cat version 2>/dev/null),6.11.0)\n"
	    "export ARCH_CORE := $(core-y)\n"
	    "export ARCH_DRIVERS := $(drivers-y) $(drivers-m)\n"
	    "%config: ;\n");
	put("scripts/Makefile.build",
	    "-include include/config/auto.conf\n"
	    "$(shell echo asked >>asked)\n"
	    "include $(firstword $(wildcard $(srctree)/$(obj)/Kbuild) $(srctree)/$(obj)/Makefile)\n"
	    "in = $(if $(filter-out .,$(obj)),$(obj)/)\n"
	    "subdir-ym := $(patsubst %/,$(in)%,$(filter %/,$(obj-y) $(obj-m)))\n"
	    "real-obj-y := $(addprefix $(in),$(filter %.o,$(obj-y)))\n"
	    "lib-y := $(addprefix $(in),$(lib-y))\n"
	    "obj-m := $(addprefix $(in),$(filter-out $(obj-y),$(filter %.o,$(obj-m))))\n"
	    "real-search = $(foreach m,$1,$(if $($(m:.o=-objs)),$($(m:.o=-objs)),$m))\n");
	put("arch/x86/Makefile",
	    "core-y += plain/\n"
	    "drivers-$(CONFIG_ARCH_Y) += arch/x86/y/\n"
	    "drivers-$(CONFIG_ARCH_M) += arch/x86/m/\n");
	put("Kbuild", "obj-y += dir/ x86/y/ $(ARCH_CORE) $(ARCH_DRIVERS)\nobj-$(CONFIG_SUB) += sub/\n");
	put("plain/Makefile", "obj-y += always.o\nlib-$(CONFIG_A) += member.o assembly.o\nobj-$(CONFIG_OFF) += never.o\n");
	put("plain/assembly.S", "");
	put("arch/x86/y/Makefile", "obj-y += y.o\n");
	/* Another directory's path ends with this one's. */
	put("x86/y/Makefile", "obj-y += other_y.o\n");
	put("arch/x86/m/Makefile", "obj-y += m.o\n");
	put("sub/Makefile", "obj-y += in_sub.o\nobj-$(CONFIG_A) += sub_a.o ../twice/\nobj-$(CONFIG_SUB) += same.o\n");
	put("dir/Makefile",
	    "obj-$(CONFIG_A) += a.o\n"
	    "obj-$(CONFIG_A) += either.o\n"
	    "obj-$(CONFIG_B) += either.o\n"
	    "ifdef CONFIG_A\n"
	    "obj-$(CONFIG_B) += both.o a_and.o\n"
	    "obj-$(CONFIG_C) += a_and.o\n"
	    "endif\n"
	    "ifdef CONFIG_B\n"
	    "obj-$(CONFIG_C) += or_both.o of_four.o or_more.o\n"
	    "obj-$(CONFIG_SUB) += or_more.o\n"
	    "endif\n"
	    "obj-$(CONFIG_A) += or_more.o\n"
	    "obj-$(CONFIG_A) += or_both.o\n"
	    "ifdef CONFIG_A\n"
	    "obj-$(CONFIG_M) += of_four.o\n"
	    "endif\n"
	    "obj-$(CONFIG_A) += shared.o\n"
	    "obj-$(CONFIG_M) += shared.o module.o\n"
	    "module-objs := one.o two.o\n"
	    "obj-$(CONFIG_N) += second.o\n"
	    "second-objs := one.o\n"
	    "obj-$(CONFIG_B) += ../twice/\n");
	put("twice/Makefile", "obj-y += twice.o below/\nobj-$(CONFIG_C) += twice_c.o\n");
	put("twice/below/Makefile", "obj-$(CONFIG_A) += below.o\n");
	put(".config", "");
	put("include/config/auto.conf",
	    "CONFIG_A=y\nCONFIG_B=y\nCONFIG_C=y\nCONFIG_M=m\nCONFIG_N=m\nCONFIG_SUB=y\nCONFIG_ARCH_Y=y\nCONFIG_ARCH_M=m\n");
}

/* How often make was asked in a directory. */
static long questions(void)
{
	struct stat st;

	return stat("asked", &st) ? 0 : st.st_size;
}

static struct kbuild k;
static struct owners o;

/* What an object needs: "A B|C" */
static const char *needs_in(const char *path, const char *module)
{
	const struct owned *object = owners__get(&o, path, module);
	static char text[512];

	if (!object)
		return "unknown";
	text[0] = '\0';
	for (size_t i = 0; i < object->needs.count; i++) {
		for (size_t j = 0; j < object->needs.list[i]->count; j++) {
			strcat(text, j ? "|" : *text ? " " : "");
			strcat(text, object->needs.list[i]->options[j] + strlen("CONFIG_"));
		}
	}
	return text;
}

static const char *needs_of(const char *path)
{
	return needs_in(path, NULL);
}

/* Returns whether Kbuild was asked. */
static bool find(void)
{
	long before = questions();

	cr_assert(eq(int, kbuild__open(&k, test_dir), 0));
	cr_assert(eq(int, owners__find(&o, &k), 0));
	return questions() != before;
}

static void finish(void)
{
	owners__free(&o);
	kbuild__close(&k);
}

TestSuite(owners, .init = make_tree, .fini = leave_dir, .timeout = 60);

static void expect_owners(void)
{
	static const char *const wanted[][2] = {
		{ "plain/always.o", "" }, { "plain/never.o", "unknown" },
		{ "plain/member.o", "A" }, { "dir/a.o", "A" }, { "dir/either.o", "A|B" }, { "dir/both.o", "A B" }, { "dir/a_and.o", "A B|C" },
		{ "dir/or_both.o", "B|A C|A" }, { "dir/of_four.o", "" }, { "dir/or_more.o", "B|A" },
		/* It is in vmlinux, and would be a module's without A. */
		{ "dir/shared.o", "A|M" },
		{ "dir/one.o", "M" }, { "dir/two.o", "M" },
		{ "sub/in_sub.o", "SUB" }, { "sub/sub_a.o", "SUB A" }, { "sub/same.o", "SUB" },
		/* "B, or SUB and A" */
		{ "twice/twice.o", "B|SUB B|A" }, { "twice/twice_c.o", "B|SUB B|A C" },
		{ "twice/below/below.o", "B|SUB A" },
		{ "arch/x86/y/y.o", "ARCH_Y" }, { "x86/y/other_y.o", "" }, { "arch/x86/m/m.o", "ARCH_M" },
	};

	for_each(one, wanted) {
		const char *needs = needs_of((*one)[0]);
		bool right = !strcmp(needs, (*one)[1]);

		cr_expect(right, "%s needs \"%s\", not \"%s\"", (*one)[0], needs, (*one)[1]);
	}
	/* of_four.o and or_more.o */
	cr_expect(eq(sz, o.unclear, 2));
	expect_str(owners__get(&o, "dir/one.o", NULL)->module, "dir/module.o");
	cr_expect(owned__needs_unit(owners__get(&o, "plain/member.o", NULL), test_dir));
	cr_expect(not(owned__needs_unit(owners__get(&o, "plain/assembly.o", NULL), test_dir)));
	cr_expect(not(owned__needs_unit(owners__get(&o, "plain/always.o", NULL), test_dir)));
	/* A part of two modules */
	expect_str(needs_in("dir/one.o", "module"), "M");
	expect_str(needs_in("dir/one.o", "second"), "N");
}

Test(owners, are_found_by_emptying_options)
{
	cr_expect(find());
	expect_owners();
	finish();
	/* They are kept. */
	cr_expect(not(find()));
	expect_owners();
	finish();
}

static bool is_asked_again(const char *name, const char *text)
{
	bool asked;

	put(name, text);
	asked = find();
	finish();
	return asked;
}

Test(owners, are_asked_for_again_when_something_has_changed)
{
	find();
	finish();
	cr_expect(not(is_asked_again("unrelated", "x")));
	cr_expect(is_asked_again("sub/Makefile", "obj-y += other.o\n"), "a Makefile");
	cr_expect(not(is_asked_again("unrelated", "x")));
	cr_expect(is_asked_again("plain/Kbuild", "obj-y += new.o\n"), "a Kbuild beside a Makefile");
	cr_expect(is_asked_again("include/config/auto.conf", "CONFIG_A=y\n"), "the configuration");
	cr_expect(not(is_asked_again("unrelated", "x")));
}

/* What is kept is of the state before the questions. */
Test(owners, are_asked_for_again_when_something_changed_meanwhile)
{
	put("sub/Makefile", "obj-y += one.o\n$(shell echo 'obj-y += two.o' >$(srctree)/dir/Makefile)\n");
	find();
	finish();
	cr_expect(find());
	finish();
}

Test(owners, of_the_directories_that_were_used_last_are_kept)
{
	for (int i = 0; i < 16; i++)
		run_shell("mkdir -p hytrace && touch -d @%d hytrace/owners-%d", i, i);
	find();
	finish();
	cr_expect(access("hytrace/owners-0", F_OK) != 0);
	cr_expect(access("hytrace/owners-1", F_OK) == 0);
	run_shell("touch -d @1 hytrace/*");
	find();
	finish();
	run_shell("test $(find hytrace -newermt @2 -type f | wc -l) = 1");
}

/* What kbuild__open() says of the tree, which it refuses: one line */
static const char *refusal(void)
{
	const char *text;

	cr_redirect_stderr();
	cr_assert(eq(int, kbuild__open(&k, test_dir), -22));
	kbuild__close(&k);
	text = said();
	cr_expect(eq(ptr, strchr(text, '\n'), (char *)text + strlen(text) - 1));
	return text;
}

Test(owners, of_a_kernel_before_6_11_are_refused)
{
	put("version", "6.10.14");
	cr_expect(strstr(refusal(), "is of Linux 6.10.14, whose Kconfig cannot be asked") != NULL);
}

Test(owners, of_a_kernel_with_lto_are_refused)
{
	put("include/config/auto.conf", "CONFIG_LTO=y\nCONFIG_LTO_CLANG=y\n");
	cr_expect(strstr(refusal(), "was built with LTO") != NULL);
}

Test(owners, leave_nothing_in_the_directory_for_temporary_files)
{
	cr_assert(eq(int, mkdir("tmp", 0700), 0));
	setenv("TMPDIR", in_dir("tmp"), 1);
	find();
	finish();
	cr_expect(rmdir("tmp") == 0);
	cr_assert(eq(int, mkdir("a b", 0700), 0));
	setenv("TMPDIR", in_dir("a b"), 1);
	cr_expect(eq(int, kbuild__open(&k, test_dir), -22));
	kbuild__close(&k);
}
