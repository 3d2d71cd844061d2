/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls in the kernel's text: what an instruction means for the flow of control, and the calls that the kernel
 * rewrites while it boots. Depending on the processor, a call through a retpoline may become a shorter indirect
 * call, and a call of a paravirt operation a shorter direct call. Then the same call returns to another address
 * on another machine, or later in the same boot. The tables of a vmlinux show where each such call returns as
 * linked.
 */
#ifndef HYTRACE_KERNEL_CALL_SITES_H
#define HYTRACE_KERNEL_CALL_SITES_H

enum instruction_kind {
	INSTRUCTION_OTHER,
	INSTRUCTION_CALL,	/* a near call */
	INSTRUCTION_JUMP,	/* a near jump, with or without a condition */
};

struct instruction {
	enum instruction_kind kind;
	size_t length;		/* in bytes, prefixes included */
	bool direct;		/* the distance to the target is in the instruction */
	uint64_t target;	/* if direct: the target's address */
	size_t target_at;	/* if direct: the offset of the distance in the instruction */
	size_t target_size;	/* if direct: the size of the distance: 1, 2 or 4 bytes */
	/* Unless direct: operands of 4 bytes, which may be addresses; 0: none. */
	uint64_t memory;	/* the displacement; if relative, the address that it gives */
	uint64_t value;		/* the immediate */
	size_t memory_at, value_at;	/* the offsets of these operands in the instruction; 0: there is none */
	bool relative;		/* the displacement is a distance from the next instruction */
};

/**
 * instruction__decode() - decode the first instruction of a text
 * @ret: the answer
 * @text: bytes of x86-64 code
 * @size: the number of bytes
 * @addr: the address of the first byte; targets are relative to it
 *
 * Return: false if these bytes are no instruction, or if it is cut off.
 */
bool instruction__decode(struct instruction *ret, const unsigned char *text, size_t size, uint64_t addr);

/* ---- calls that the kernel may rewrite */

struct call_sites;

/* Reads the table of a vmlinux; NULL: it has no section .retpoline_sites or .altinstructions, or cannot be read. */
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
