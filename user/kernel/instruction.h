/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an instruction of the kernel's text does to the flow of control: how long it is, and whether and where it
 * calls or jumps to. Nothing else of it is of interest here.
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
	bool direct;		/* it has the target in itself */
	uint64_t target;	/* then that */
	size_t target_at;	/* and where in the instruction the distance to it is, */
	size_t target_size;	/* of so many bytes: 1, 2 or 4 */
	/* Of no call or jump: numbers of 4 bytes in it, each of which may be an address; 0: none. */
	uint64_t memory;	/* relative to the instruction, or in a displacement */
	uint64_t value;		/* an immediate one */
};

/**
 * instruction__decode() - what the first instruction of some text is
 * @ret: the answer
 * @text: bytes of x86-64 code
 * @size: how many there are
 * @addr: of the first one; targets are relative to it
 *
 * Return: false if these bytes are no instruction, or one that is cut off.
 */
bool instruction__decode(struct instruction *ret, const unsigned char *text, size_t size, uint64_t addr);

#endif
