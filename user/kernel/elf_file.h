/* SPDX-License-Identifier: GPL-2.0-only */
/* ELF files that may be compressed by zstd, which libelf does not take everywhere; gzip and xz are left to it. */
#ifndef HYTRACE_KERNEL_ELF_FILE_H
#define HYTRACE_KERNEL_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a compressed file holds is kept in memory. A vmlinux with debug information becomes ten times as large, and a few
 * kilobytes that were made to do harm any size. So contents of more bytes than these must not be more times as large.
 */
#define ELF_FILE_SMALL (64 * 1024 * 1024)
#define ELF_FILE_MOST_RATIO 100

/**
 * elf_file__open() - open a file for dwelf_elf_begin()
 * @path: of the file
 *
 * Return: a descriptor, of the file itself or of its contents without compression, to be closed; or a negative errno,
 * quietly: -EINVAL if the contents are damaged, -EFBIG if they are too large for the file.
 */
int elf_file__open(const char *path);

/* The build id, in lowercase hex, to be freed; NULL: it has none. */
char *elf_file__build_id(Elf *elf);

/* The section of that name; NULL: there is none. */
Elf_Scn *elf_file__section(Elf *elf, const char *name, GElf_Shdr *ret);
/* The symbols, and the section with their names; NULL: there are none, or the file is damaged. */
Elf_Data *elf_file__symbols(Elf *elf, size_t *ret_names);
/* The value of the first symbol of that name; false: there is none. */
bool elf_file__symbol(Elf *elf, const char *wanted, uint64_t *ret);

#endif
