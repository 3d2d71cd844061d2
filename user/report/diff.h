/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the functions that only one of two recordings has seen. The recordings may be of one build
 * of the kernel or of two.
 *
 * In one build, functions are matched by address. In two builds, they are matched by module, by
 * source file if both function lists have files, and by the name without the compiler's suffix
 * (".isra.0", ".constprop.1", ".part.2", ".cold"). Functions of one recording that match each other
 * count as one; diff.folded counts how many disappear so.
 */
#ifndef HYTRACE_REPORT_DIFF_H
#define HYTRACE_REPORT_DIFF_H

#include "document/coverage.h"
#include "document/universe.h"
#include "report/documents.h"

enum diff_identity { IDENTITY_ADDRESS, IDENTITY_FILE, IDENTITY_NAME };

struct diff_side {
	const struct coverage *c;
	const struct universe *u;	/* the build's function list; empty: not known */
};

struct diff_entry {
	const char *name;	/* the name for matching; of all functions folded into this one */
	const char *module;	/* NULL: vmlinux */
	const char *unit;	/* the source file; NULL: not known, or not used for matching */
	enum verdict why;	/* the verdict of the other side, which has not seen the function */
	bool possibly;		/* the other side may have called it: @why is not certain */
};

/* Functions that only one side has seen, by module, name and file. */
struct diff_entries {
	struct diff_entry *list;
	size_t count;		/* functions that the other side could have seen */
	size_t blind;		/* more functions in @list, which the other side could not see */
};

struct diff {
	struct diff_side a, b;
	enum diff_identity identity;
	size_t both, folded;
	struct diff_place {
		const char *module, *unit;
	} *in_both;		/* of the functions that both have seen */
	struct diff_entries gone, new;	/* functions that only @a has seen; that only @b has seen */
	struct strings *names;
};

/**
 * diff__run() - find what differs
 * @ret: to be freed by diff__free()
 * @a: what was seen before
 * @b: what was seen later; all that @a and @b point to must outlive @ret
 * @where: only functions in this part of the kernel (rows.h); NULL: all
 *
 * Return: 0, or a negative errno after a message: -EINVAL if no function is known to lie in @where.
 */
int diff__run(struct diff *ret, const struct diff_side *a, const struct diff_side *b, const char *where);
void diff__free(struct diff *d);

/*
 * Print a line for each function, "-" if it is gone and "+" if it is new, and sums. @names: of the two recordings.
 * @stat: also sums for each directory, the largest change first; the text then has no functions. Write errors stay in
 * the stream.
 */
void diff__text(const struct diff *d, const char *const *names, bool stat, FILE *out);
void diff__json(const struct diff *d, const char *const *names, bool stat, FILE *out);

#endif
