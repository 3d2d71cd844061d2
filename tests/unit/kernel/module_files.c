// SPDX-License-Identifier: GPL-2.0-only
/* Where the modules of a kernel are: beside its vmlinux only if there is a list of them, installed or built. */
#include "kernel/elf_file.h"
#include "put_file.h"

#define INSTALLED "lib/modules/6.12.1"

/* What does not begin with a slash is in the directory of the test. */
static void expect(char *got, const char *wanted)
{
	expect_str(got, *wanted == '/' ? wanted : in_dir(wanted));
	free(got);
}

TestSuite(module_files, .init = enter_dir, .fini = leave_dir);

Test(module_files, are_beside_vmlinux_if_listed_there)
{
	run_shell("mkdir -p " INSTALLED "/kernel/net net && touch " INSTALLED "/kernel/net/nf-x.ko.xz net/nf-x.ko net/nf-xy.ko");
	expect(module_files__directory(in_dir("vmlinux"), "6.12.1"), "/" INSTALLED);
	write_text(INSTALLED "/modules.dep", "kernel/net/nf-x.ko.xz:\n");
	expect(module_files__directory(in_dir("vmlinux"), "6.12.1"), INSTALLED);
	expect(module_files__directory(NULL, "6.12.1"), "/" INSTALLED);
	expect(module_files__path(in_dir(INSTALLED), "nf_x"), INSTALLED "/kernel/net/nf-x.ko.xz");
	/* Where the kernel was built, the objects of modules are listed. */
	write_text("modules.order", "net/nf-xy.o\nnet/nf-x.o\n");
	expect(module_files__path(test_dir, "nf_x"), "net/nf-x.ko");
	cr_expect(eq(ptr, module_files__path(test_dir, "x"), NULL));
	run_shell("rm net/nf-x.ko");
	cr_expect(eq(ptr, module_files__path(test_dir, "nf_x"), NULL), "its file is gone");
	expect(module_files__directory(in_dir("vmlinux"), "6.12.1"), INSTALLED);
	expect(module_files__directory(in_dir("vmlinux"), "6.12.2"), "");
}

static int none(const char *path, void *context)
{
	return -ECANCELED;
}

Test(module_files, are_nowhere_without_a_path)
{
	cr_expect(eq(int, module_files__each("", none, NULL), -EINVAL), "and the program goes on");
}
