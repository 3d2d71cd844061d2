/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a function came to be entered, as far as the calls that were recorded tell. Three of four have a recorded call
 * that names them; each of the others is explained by the ways that the kernel's files show into it.
 */
#ifndef HYTRACE_REPORT_ORIGINS_H
#define HYTRACE_REPORT_ORIGINS_H

#include "report/edges.h"

enum origin {
	ORIGIN_NONE,		/* it was not recorded */
	ORIGIN_CALLED,		/* a recorded call names it */
	ORIGIN_JUMP,		/* only by jumps, at least one of them from a function that ran */
	ORIGIN_UNTRACED_JUMP,	/* only by jumps, from functions that cannot be traced */
	ORIGIN_POINTER,		/* only by a pointer to it */
	ORIGIN_POINTER_OR_JUMP,	/* by a pointer, or by a jump from a function that ran or cannot be traced */
	ORIGIN_MODULE,		/* it is exported, and there were modules */
	ORIGIN_UNSEEN_JUMP,	/* only by jumps, from functions that were not recorded */
	ORIGIN_UNKNOWN,		/* by a way that the files do not show */
	ORIGINS
};

/* One word, as documents have it. */
const char *origin__word(enum origin origin);
/* The rest of a sentence that begins with a function's name. */
const char *origin__sentence(enum origin origin);

/**
 * origins__read() - get ready to explain functions
 * @images: the files of the kernel
 *
 * This reads all of their code and data, which takes about a second.
 *
 * Return: 0, or -ENOMEM, which is told.
 */
int origins__read(const struct images *images);

/**
 * origins__of() - how a function came to be entered
 * @e: edges, whose images are those of origins__read()
 * @number: of the function
 * @ret_jump: a jump into it from a function that ran, if that is how; else NULL
 *
 * Return: the origin, over all documents.
 */
enum origin origins__of(const struct edges *e, size_t number, const struct call **ret_jump);

#endif
