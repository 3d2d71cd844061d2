/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a function was entered. A recorded call leads to nearly all functions, because the record of
 * a function has its first caller. For other functions, and in recordings of older versions, the
 * kernel's files show the possible ways.
 */
#ifndef HYTRACE_REPORT_ORIGINS_H
#define HYTRACE_REPORT_ORIGINS_H

#include "report/edges.h"

enum origin {
	ORIGIN_NONE,		/* it was not recorded */
	ORIGIN_CALLED,		/* a recorded call leads to it */
	ORIGIN_JUMP,		/* no call: by a jump from a function that ran */
	ORIGIN_UNTRACED_JUMP,	/* no call: by a jump from a function that cannot be traced */
	ORIGIN_POINTER,		/* no call: by a pointer */
	ORIGIN_POINTER_OR_JUMP,	/* by a pointer, or a jump as in the two kinds of jumps above */
	ORIGIN_MODULE,		/* from a module: it is exported, and there were modules */
	ORIGIN_MODULE_OR_OTHER,	/* from a module, by a pointer, or by a jump */
	ORIGIN_UNSEEN_JUMP,	/* no call; jumps only from functions not known to have run */
	ORIGIN_UNKNOWN,		/* the files show no way, or pointers (in a module) are not read */
	ORIGINS
};

/* Returns the word for json. */
const char *origin__word(enum origin origin);
/* Returns the end of a sentence that begins with a function's name. */
const char *origin__sentence(enum origin origin);

/**
 * origins__read() - prepare for origins__of()
 * @images: the files of the kernel
 *
 * This reads all code and data of the images, which takes about a second.
 */
void origins__read(const struct images *images);

/**
 * origins__of() - how a function was entered
 * @e: the edges; origins__read() has been called for their images
 * @number: the function's number
 * @ret_jump: a jump into it from a function that ran, if that may be the origin; otherwise NULL
 *
 * Return: the origin, from all recordings together.
 */
enum origin origins__of(const struct edges *e, size_t number, const struct call **ret_jump);

#endif
