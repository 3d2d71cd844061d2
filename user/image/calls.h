/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which function a call calls, by its instruction in the file. A recorded return address says that the call before
 * it was executed; the file says what that call is. What the kernel decides on while it runs (pointers, static calls,
 * alternatives) is told as such, and never guessed.
 */
#ifndef HYTRACE_IMAGE_CALLS_H
#define HYTRACE_IMAGE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/image.h"

enum call_kind {
	CALL_UNKNOWN,		/* no call is there in the file, or of what is no function */
	CALL_DIRECT,		/* of the function that the instruction names */
	CALL_INDIRECT,		/* by a pointer in a register or in memory */
	CALL_THUNK,		/* the same by way of a retpoline */
	CALL_STATIC,		/* of a static call's trampoline: its target is set while the kernel runs */
	CALL_REPLACED,		/* there are alternatives to the instruction: another one may have run */
	CALL_KINDS
};

/* One word, as documents have it. */
const char *call_kind__word(enum call_kind kind);

struct call {
	enum call_kind kind;
	bool jump;		/* the last thing that a function does: it returns to that one's caller */
	uint64_t site;		/* of the instruction, as in struct image_function */
	uint64_t returns_to;	/* behind it, as linked */
	const struct image_function *in;	/* the function that it lies in; NULL: unknown */
	const struct image_function *callee;	/* CALL_DIRECT: what is called; NULL: it is in another file */
	const char *name;	/* CALL_DIRECT: the name of that; CALL_STATIC: that of the static call; else NULL */
};

struct calls;

/**
 * calls__open() - get ready to look at the calls of an image
 * @ret: to be freed by calls__free()
 * @image: the image, which has to live as long
 *
 * Return: 0, or a negative errno, which is told: -EINVAL if its processor is none that is known.
 */
int calls__open(struct calls **ret, const struct image *image);
void calls__free(struct calls *c);

/**
 * calls__before() - the call that returns to an address
 * @c: the calls
 * @returned_to: an address in the image, as linked, or where the kernel has the call after it has rewritten it
 * @ret: the call, of CALL_UNKNOWN if none is found
 */
void calls__before(const struct calls *c, uint64_t returned_to, struct call *ret);

/**
 * calls__of() - all calls in a function
 * @c: the calls
 * @f: the function
 * @each: called for each, in order of their addresses, and for jumps into other functions; anything but 0 ends it
 * @data: for @each
 *
 * Return: 0, or what @each returned.
 */
int calls__of(const struct calls *c, const struct image_function *f,
	      int (*each)(const struct call *call, void *data), void *data);

#endif
