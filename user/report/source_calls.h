/* SPDX-License-Identifier: GPL-2.0-only */
/* All direct calls in the code of a kernel, with their source lines. */
#ifndef HYTRACE_REPORT_SOURCE_CALLS_H
#define HYTRACE_REPORT_SOURCE_CALLS_H

#include "document/universe.h"
#include "report/images.h"

struct source_call {
	const char *file;		/* lives as long as the image */
	unsigned int line;		/* from 1 */
	uint64_t returns_to;		/* as linked */
	const struct function *in, *callee;
};

struct source_calls {
	struct source_call *list;	/* in order of address */
	size_t count;
};

/**
 * source_calls__read() - find all direct calls in vmlinux
 * @ret: to be freed by source_calls__free()
 * @of: vmlinux; it must live as long as @ret
 * @u: the universe of the same build, which must live as long as @ret
 *
 * A call is left out if its line is not known, or one of its two functions is not in the universe.
 */
void source_calls__read(struct source_calls *ret, const struct image_of *of, const struct universe *u);
void source_calls__free(struct source_calls *c);

#endif
