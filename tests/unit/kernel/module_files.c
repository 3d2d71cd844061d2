// SPDX-License-Identifier: GPL-2.0-only
/* Where the modules of a kernel are: beside its vmlinux only if there is a list of them, installed or built. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/elf_file.h"

Test(module_files, are_beside_vmlinux_if_listed_there)
{
	char top[] = "/tmp/hytrace-modules-XXXXXX", path[256], wanted[128];
	char *directory;
	FILE *list;

	cr_assert(ne(ptr, mkdtemp(top), NULL));
	snprintf(path, sizeof(path), "%s/lib", top);
	cr_assert(eq(int, mkdir(path, 0700), 0));
	snprintf(path, sizeof(path), "%s/lib/modules", top);
	cr_assert(eq(int, mkdir(path, 0700), 0));
	snprintf(wanted, sizeof(wanted), "%s/lib/modules/6.12.1", top);
	cr_assert(eq(int, mkdir(wanted, 0700), 0));
	snprintf(path, sizeof(path), "%s/vmlinux", top);

	directory = module_files__directory(path, "6.12.1");
	cr_expect(eq(str, directory, "/lib/modules/6.12.1"));
	free(directory);

	snprintf(path, sizeof(path), "%s/modules.dep", wanted);
	list = fopen(path, "w");
	cr_assert(ne(ptr, list, NULL));
	fputs("kernel/net/nf-x.ko.xz:\n", list);
	fclose(list);
	snprintf(path, sizeof(path), "%s/vmlinux", top);
	directory = module_files__directory(path, "6.12.1");
	cr_expect(eq(str, directory, wanted));
	free(directory);
	directory = module_files__directory(NULL, "6.12.1");
	cr_expect(eq(str, directory, "/lib/modules/6.12.1"));
	free(directory);

	directory = module_files__path(wanted, "nf_x");
	snprintf(path, sizeof(path), "%s/kernel/net/nf-x.ko.xz", wanted);
	cr_expect(eq(str, directory, path));
	free(directory);

	/* Where the kernel was built, the objects of modules are listed. */
	snprintf(path, sizeof(path), "%s/modules.order", top);
	list = fopen(path, "w");
	cr_assert(ne(ptr, list, NULL));
	fputs("net/nf-xy.o\nnet/nf-x.o\n", list);
	fclose(list);
	directory = module_files__path(top, "nf_x");
	snprintf(path, sizeof(path), "%s/net/nf-x.ko", top);
	cr_expect(eq(str, directory, path));
	free(directory);
	cr_expect(eq(ptr, module_files__path(top, "x"), NULL));
	snprintf(path, sizeof(path), "%s/vmlinux", top);
	directory = module_files__directory(path, "6.12.1");
	cr_expect(eq(str, directory, wanted));
	free(directory);
	directory = module_files__directory(path, "6.12.2");
	cr_expect(eq(str, directory, top));
	free(directory);
	snprintf(path, sizeof(path), "rm -r %s", top);
	cr_expect(eq(int, system(path), 0));
}

static int none(const char *path, void *context)
{
	return -ECANCELED;
}

Test(module_files, are_nowhere_without_a_path)
{
	cr_expect(eq(int, module_files__each("", none, NULL), -EINVAL), "and the program goes on");
}
