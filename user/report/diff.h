/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions that only one of two results has seen. The results may be of one build of the kernel or of two.
 *
 * Within one build a function is an address. Over two it is its module, its source file if both universes know
 * that, and its name without what the compiler appends (".isra.0", ".constprop.1", ".part.2", ".cold"). If functions
 * of one result match each other in this way, they count as one; diff.folded counts those that disappear so.
 */
#ifndef HYTRACE_REPORT_DIFF_H
#define HYTRACE_REPORT_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "document/coverage.h"
#include "document/universe.h"
#include "report/verdict.h"

enum diff_identity { IDENTITY_ADDRESS, IDENTITY_FILE, IDENTITY_NAME };

struct diff_side {
	const struct coverage *c;
	const struct universe *u;	/* empty: not known */
};

struct diff_entry {
	const char *name;	/* as it is matched; it stands for all functions that were folded into it */
	const char *module;	/* NULL: vmlinux */
	const char *unit;	/* the source file; NULL: not known */
	enum verdict why;	/* of the other side, which has not seen it */
	bool possibly;		/* the other side may have called it: it lacks something, or it is not known */
};

/* Functions that one side has seen, by module, name and file. Where the other side is blind, none of them is missing. */
struct diff_entries {
	struct diff_entry *list;
	size_t count;		/* those that the other side would have had to see */
	size_t blind;		/* after these: those that the other side could not see */
};

struct diff {
	struct diff_side a, b;
	enum diff_identity identity;
	size_t both, folded;
	struct diff_entries gone, new;	/* only @a has seen, only @b */
	struct strings *names;
};

/**
 * diff__run() - find what differs
 * @ret: to be freed by diff__free()
 * @a: what was seen before
 * @b: what was seen later; both must live as long as @ret
 * @where: only functions that lie there, see where.h; NULL: all
 *
 * Return: 0, or a negative errno after a message; -EINVAL if no function lies there, or if it is not known which do.
 */
int diff__run(struct diff *ret, const struct diff_side *a, const struct diff_side *b, const char *where);
void diff__free(struct diff *d);

/**
 * diff__print() - a line for each function, - before what is gone and + before what is new, and the sums
 * @d: the difference
 * @name_a: what to call the sides
 * @name_b: the other one
 * @out: where to; write errors stay in the stream
 */
void diff__print(const struct diff *d, const char *name_a, const char *name_b, FILE *out);

/* The same as a document. */
void diff__write_json(const struct diff *d, const char *name_a, const char *name_b, FILE *out);

/* One word, for json; and the end of a sentence about the match. */
const char *diff_identity__word(enum diff_identity identity);
const char *diff_identity__sentence(enum diff_identity identity);

#endif
