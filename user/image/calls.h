/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out which function a call instruction calls, by its code in the file. A recorded return
 * address proves that the call before it was executed. Targets that the kernel chooses at run time
 * (pointers, static calls, alternatives) are reported as such, and never guessed.
 */
#ifndef HYTRACE_IMAGE_CALLS_H
#define HYTRACE_IMAGE_CALLS_H

#include "image/image.h"

enum call_kind {
	CALL_UNKNOWN,		/* the file has no call there, or its target is not the entry of a function */
	CALL_DIRECT,		/* a call of the function that the instruction names */
	CALL_INDIRECT,		/* by a pointer in a register or in memory */
	CALL_THUNK,		/* by a pointer, through a retpoline */
	CALL_STATIC,		/* through the trampoline of a static call, whose target is set at run time */
	CALL_REPLACED,		/* the instruction has alternatives: another one may have run */
	CALL_KINDS
};

/* The word for @kind in json. */
const char *call_kind__word(enum call_kind kind);

struct call {
	enum call_kind kind;
	bool jump;		/* a jump at the end of a function: the target returns to that function's caller */
	uint64_t site;		/* the address of the call, as in struct image_function */
	uint64_t returns_to;	/* the address after it, as linked */
	const struct image_function *in;	/* the function with the call; NULL: unknown */
	const struct image_function *callee;	/* CALL_DIRECT: the called function; NULL: it is in another file */
	const char *name;	/* CALL_DIRECT: the callee; CALL_STATIC: the static call; else NULL */
};

struct calls;

/* Prepares to look at the calls of an image, which must outlive the result. It is to be freed by calls__free(). */
struct calls *calls__open(const struct image *image);
void calls__free(struct calls *c);

/**
 * calls__before() - find the call that returns to an address
 * @c: the calls
 * @returned_to: an address in the image, as linked or as the kernel has rewritten the call
 * @ret: the call, of CALL_UNKNOWN if none is found
 */
void calls__before(const struct calls *c, uint64_t returned_to, struct call *ret);

/**
 * calls__of() - go through all calls in a function
 * @c: the calls
 * @f: the function
 * @each: called for each call and each jump into another function, by address
 * @data: for @each
 */
void calls__of(const struct calls *c, const struct image_function *f,
	       void (*each)(const struct call *call, void *data), void *data);

#define FLOW_NO_TARGET UINT64_MAX

/* The instructions that may run after an instruction: the next one unless @ends is set, and @to. */
struct flow {
	uint64_t at;
	uint64_t to;		/* a target in this image, or FLOW_NO_TARGET */
	bool anywhere;		/* the target of the jump is unknown, as that of a jump through a table */
	bool ends;
};

/* Reads the tables for calls__flow(). Returns 0, or -EINVAL after a message if they are damaged. */
int calls__read_ways(struct calls *c);

/**
 * calls__flow() - go through all instructions of a function
 * @c: the calls, after calls__read_ways()
 * @f: the function
 * @each: called for each instruction, by address, and again for each other way from it that a table of the kernel lists
 * @data: for @each
 *
 * Code that cannot be decoded is reported as a jump with an unknown target.
 */
void calls__flow(const struct calls *c, const struct image_function *f,
		 void (*each)(const struct flow *flow, void *data), void *data);

/**
 * calls__hash() - hash the machine code of a function
 * @c: the calls
 * @f: the function
 *
 * The hash has the names of the functions that are called, and no address: the same code at another place has the same
 * hash. It does not have what data the code uses.
 *
 * Return: the hash; 0: the size is not known, or the code cannot be decoded.
 */
uint64_t calls__hash(const struct calls *c, const struct image_function *f);

#endif
