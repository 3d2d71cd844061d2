/* SPDX-License-Identifier: GPL-2.0-only */
/* ELF files of a kernel, which may be compressed. Not every libelf reads zstd; gzip and xz are left to libelf. */
#ifndef HYTRACE_KERNEL_ELF_FILE_H
#define HYTRACE_KERNEL_ELF_FILE_H

#include <gelf.h>

/*
 * Decompressed contents are kept in memory. A vmlinux with debug information is ten times as large
 * as its file; a malicious file may have contents of any size. The ratio limits those over SMALL.
 */
#define ELF_FILE_SMALL (64 * 1024 * 1024)
#define ELF_FILE_MOST_RATIO 100

/**
 * elf_file__open() - open a file for elf_file__begin()
 * @path: the path of the file
 *
 * Return: a descriptor of the file or of its decompressed contents, to be closed; or a negative
 * errno without a message: -EINVAL if the contents are damaged, -EFBIG if they are too large.
 */
int elf_file__open(const char *path);
/* As dwelf_elf_begin(), but returns NULL if the contents are too large. */
Elf *elf_file__begin(int fd);

/**
 * elf_file__begin_path() - open an ELF file
 * @path: the path of the file
 * @compressed: it may be compressed
 * @ret_fd: its descriptor
 *
 * Return: the file, to be ended by elf_file__end(); NULL: it is no ELF file that can be read.
 */
Elf *elf_file__begin_path(const char *path, bool compressed, int *ret_fd);
void elf_file__end(Elf *elf, int fd);

/* The build id, in lowercase hex, to be freed; NULL: the file has none. */
char *elf_file__build_id(Elf *elf);
char *build_id__text(const void *bits, size_t size);

/* The section of that name; NULL: there is none. */
Elf_Scn *elf_file__section(Elf *elf, const char *name, GElf_Shdr *ret);
/* The symbols, and the section with their names; NULL: there are none, or the file is damaged. */
Elf_Data *elf_file__symbols(Elf *elf, size_t *ret_names);
/* The value of the first symbol of that name; false: there is none. */
bool elf_file__symbol(Elf *elf, const char *wanted, uint64_t *ret);

/* ---- files of modules, which have the names of functions of modules that are no longer loaded */

struct module_files;

/* @directory: /lib/modules/RELEASE. A file is read when it is first needed. */
struct module_files *module_files__new(const char *directory);
void module_files__free(struct module_files *m);

/*
 * The function at @offset of this module's .text, and its beginning; NULL: unknown. The name lives
 * as long as @m.
 */
const char *module_files__find(struct module_files *m, const char *module, uint64_t offset,
			       uint64_t *ret_start);

/**
 * module_files__size() - the size of a function
 * @m: the files
 * @module: the module
 * @function: the function's name, in any section; if several have the name, the longest counts
 *
 * Return: 0 if it is not known.
 */
uint64_t module_files__size(struct module_files *m, const char *module, const char *function);

/**
 * module_files__directory() - the directory of a kernel's modules
 * @vmlinux: its file; NULL: it is not known
 * @release: its release
 *
 * Return: lib/modules/RELEASE beside @vmlinux, where `make modules_install` puts them, if it has a modules.dep;
 * the directory of @vmlinux, if the modules were built there (modules.order); otherwise /lib/modules/RELEASE;
 * to be freed.
 */
char *module_files__directory(const char *vmlinux, const char *release);

/**
 * module_files__path() - the file of a module
 * @directory: from module_files__directory()
 * @module: its name
 *
 * Return: the path, to be freed; NULL: the module is not listed there, or its file is gone.
 */
char *module_files__path(const char *directory, const char *module);

/**
 * module_files__each() - go through the modules below a directory
 * @directory: where to look, with its subdirectories
 * @use: gets the path of each module's file, in order of names; if it does not return 0, the walk ends
 * @context: for @use
 *
 * Return: 0, what @use returned, or -EINVAL after a message if the directory cannot be read.
 */
int module_files__each(const char *directory, int (*use)(const char *path, void *context), void *context);

/* The module's name: nf_x for "kernel/net/nf-x.ko.xz"; to be freed; NULL: @path is no module's. */
char *module_file__name(const char *path);
/*
 * Is "drivers/net/a-b.ko.xz" the file of the module a_b? A file's name may have '-' where the module's name has '_'.
 * @length: the length of @path. @end: ".ko"; ".o" for the objects in modules.order.
 */
bool module_file__is(const char *path, size_t length, const char *module, const char *end);
/* Does the module's file have a function of that name? False if it cannot be read. */
bool module_file__has(const char *path, const char *function);

#endif
