/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a function was entered, as far as recorded calls show it. Nearly all functions have a recorded
 * call that leads to them, as the record of a function has its first caller. For each of the others,
 * and in documents of older versions, this gives the ways into it that the kernel's files show.
 */
#ifndef HYTRACE_REPORT_ORIGINS_H
#define HYTRACE_REPORT_ORIGINS_H

#include "report/edges.h"

enum origin {
	ORIGIN_NONE,		/* it was not recorded */
	ORIGIN_CALLED,		/* a recorded call leads to it */
	ORIGIN_JUMP,		/* only by jumps, at least one of them from a function that ran */
	ORIGIN_UNTRACED_JUMP,	/* only by jumps, from functions that cannot be traced */
	ORIGIN_POINTER,		/* only by a pointer to it */
	ORIGIN_POINTER_OR_JUMP,	/* by a pointer, or by a jump from a function that ran or cannot be traced */
	ORIGIN_MODULE,		/* it is exported, and there were modules */
	ORIGIN_MODULE_OR_OTHER,	/* the same, and a pointer or a jump may have led there as well */
	ORIGIN_UNSEEN_JUMP,	/* only by jumps, from functions that were not recorded */
	ORIGIN_UNKNOWN,		/* by a way that the files do not show, or into a module, whose pointers are not read */
	ORIGINS
};

/* One word, as documents have it. */
const char *origin__word(enum origin origin);
/* The rest of a sentence that begins with a function's name. */
const char *origin__sentence(enum origin origin);

/**
 * origins__read() - prepare for origins__of()
 * @images: the files of the kernel
 *
 * This reads all of their code and data, which takes about a second.
 */
void origins__read(const struct images *images);

/**
 * origins__of() - how a function was entered
 * @e: the edges, with the images of origins__read()
 * @number: the function's number
 * @ret_jump: a jump into it from a function that ran, if that is the origin; otherwise NULL
 *
 * Return: the origin in all documents together.
 */
enum origin origins__of(const struct edges *e, size_t number, const struct call **ret_jump);

#endif
