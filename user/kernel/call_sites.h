/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The calls that the kernel rewrites while it boots. A call by way of a retpoline may become a shorter
 * indirect one, and a call of a paravirt operation a shorter direct one, by what the processor needs. Then
 * the same call returns to another address, on another machine or later in the same boot. With the tables
 * of a vmlinux each of them gets the address that it returns to as linked.
 */
#ifndef HYTRACE_KERNEL_CALL_SITES_H
#define HYTRACE_KERNEL_CALL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/kernel_id.h"

struct call_sites;

/**
 * call_sites__read() - read what the running kernel's vmlinux says of its rewritten calls
 * @ret: the table, to be freed by call_sites__free(); NULL: there is no vmlinux, or it has no such table
 * @id: whose vmlinux it is
 * @vmlinux: the file, or NULL to look in the usual places
 *
 * Return: 0, or -ENOMEM, which is told.
 */
int call_sites__read(struct call_sites **ret, const struct kernel_id *id, const char *vmlinux);
/* The same of a file, with the sections .retpoline_sites or .altinstructions; -ENODATA: it has none. */
int call_sites__read_file(struct call_sites **ret, const char *path);
void call_sites__free(struct call_sites *s);

/**
 * call_sites__linked() - the return address of a call as it was linked
 * @s: the table; NULL: none is known, and each address stays as it is
 * @addr: a return address as linked, of a call that may have been rewritten
 *
 * Return: the address that the call at this place returns to in vmlinux; @addr if it is of no such call.
 */
uint64_t call_sites__linked(const struct call_sites *s, uint64_t addr);

/**
 * call_sites__replaced() - whether another instruction may have run than the one that was linked
 * @s: the table; NULL: none is known
 * @addr: of an instruction, as linked
 *
 * Return: true if the kernel has an alternative to it.
 */
bool call_sites__replaced(const struct call_sites *s, uint64_t addr);

/**
 * call_instruction__length() - the length of a near call
 * @text: an instruction's bytes
 * @size: how many there are
 *
 * Return: its length in bytes, prefixes included, or 0 if it is no near call, or one that is cut off.
 */
size_t call_instruction__length(const unsigned char *text, size_t size);

#endif
