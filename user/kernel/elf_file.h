/* SPDX-License-Identifier: GPL-2.0-only */
/* ELF files that may be compressed. Not every libelf reads zstd; gzip and xz are left to libelf. */
#ifndef HYTRACE_KERNEL_ELF_FILE_H
#define HYTRACE_KERNEL_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* The build id, in lowercase hex, to be freed; NULL: the file has none. */
char *elf_file__build_id(Elf *elf);

/* The section of that name; NULL: there is none. */
Elf_Scn *elf_file__section(Elf *elf, const char *name, GElf_Shdr *ret);
/* The symbols, and the section with their names; NULL: there are none, or the file is damaged. */
Elf_Data *elf_file__symbols(Elf *elf, size_t *ret_names);
/* The value of the first symbol of that name; false: there is none. */
bool elf_file__symbol(Elf *elf, const char *wanted, uint64_t *ret);

#endif
