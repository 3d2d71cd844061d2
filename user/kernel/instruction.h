/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an instruction of the kernel's text means for the flow of control: its length, and whether
 * and where it calls or jumps. Nothing else is decoded.
 */
#ifndef HYTRACE_KERNEL_INSTRUCTION_H
#define HYTRACE_KERNEL_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	/* INSTRUCTION_OTHER: operands of 4 bytes, which may be addresses; 0: none. */
	uint64_t memory;	/* the displacement; if relative, the address that it gives */
	uint64_t value;		/* the immediate */
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

#endif
