/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The calls that the kernel rewrites while it boots. Depending on the processor, a call through a
 * retpoline may become a shorter indirect call, and a call of a paravirt operation a shorter direct
 * call. Then the same call returns to another address on another machine, or later in the same
 * boot. The tables of a vmlinux show where each such call returns as linked.
 */
#ifndef HYTRACE_KERNEL_CALL_SITES_H
#define HYTRACE_KERNEL_CALL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/kernel_id.h"

struct call_sites;

/**
 * call_sites__read() - read the table of rewritten calls from the running kernel's vmlinux
 * @id: the running kernel
 * @vmlinux: the file, or NULL to look in the usual places
 *
 * Return: the table, to be freed by call_sites__free(); NULL: there is no vmlinux, or it has no such table.
 */
struct call_sites *call_sites__read(const struct kernel_id *id, const char *vmlinux);
/* Reads one file; NULL: it has no section .retpoline_sites or .altinstructions. */
struct call_sites *call_sites__read_file(const char *path);
void call_sites__free(struct call_sites *s);

/**
 * call_sites__linked() - the return address of a call as it was linked
 * @s: the table; NULL: there is none, and @addr is returned
 * @addr: a return address at run time, less the KASLR offset
 *
 * Return: the return address of this call in vmlinux; @addr if the kernel never rewrites the call.
 */
uint64_t call_sites__linked(const struct call_sites *s, uint64_t addr);

/**
 * call_sites__replaced() - whether the kernel may have replaced an instruction
 * @s: the table; NULL: there is none
 * @addr: the address of an instruction, as linked
 *
 * Return: true if the kernel has an alternative for it.
 */
bool call_sites__replaced(const struct call_sites *s, uint64_t addr);

/**
 * call_instruction__length() - the length of a near call
 * @text: an instruction's bytes
 * @size: the number of bytes
 *
 * Return: its length in bytes, prefixes included, or 0 if it is no near call or is cut off.
 */
size_t call_instruction__length(const unsigned char *text, size_t size);

#endif
