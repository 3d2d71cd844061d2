/* SPDX-License-Identifier: GPL-2.0-only */
/* ELF files that may be compressed by zstd, which libelf does not take everywhere; gzip and xz are left to it. */
#ifndef HYTRACE_KERNEL_ELF_FILE_H
#define HYTRACE_KERNEL_ELF_FILE_H

/**
 * elf_file__open() - open a file for dwelf_elf_begin()
 * @path: of the file
 *
 * Return: a descriptor, of the file itself or of its contents without compression, to be closed; or a negative errno,
 * quietly: -EINVAL if the contents are damaged.
 */
int elf_file__open(const char *path);

#endif
