/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why a function is not where somebody looked for it: it cannot be traced, the compiler inlined it or gave it another
 * name, its module is not there, a recording left it out, or nobody called it.
 */
#ifndef HYTRACE_REPORT_WHY_H
#define HYTRACE_REPORT_WHY_H

#include <stdbool.h>
#include <stdio.h>

#include "document/coverage.h"
#include "document/universe.h"
#include "image/image.h"

/* A function that has a copy of another one inside. */
struct why_into {
	const char *function;
	bool ran;		/* in one of the documents */
};

struct answer {
	const char *why;	/* a word */
	const char *text;	/* the rest of a sentence that begins with the function */
	const char *function;	/* what it is about; mostly the name that was asked for */
	const char *module;	/* NULL: vmlinux, or nothing that is known */
	const char *file;	/* NULL: unknown */
	unsigned int line;
	const char *document;	/* what it says about this; NULL: about the kernel */
	struct why_into *into;
	size_t into_count;
};

struct why {
	const char *name;
	bool found;		/* something of that name is known */
	struct answer *list;
	size_t count;
	struct strings *names;
};

/* What is looked at. */
struct why_sources {
	const struct universe *universe;
	const struct image *image;	/* vmlinux; NULL: it is not at hand */
	const char *modules;		/* where modules lie that are not in the universe; NULL: nowhere */
	const struct coverage *documents;
	const char *const *labels;	/* their files */
	size_t document_count;
};

/**
 * why__find() - find all that can be said about a function
 * @ret: to be freed by why__free()
 * @name: of the function
 * @sources: what to look at
 *
 * Return: 0, or a negative errno, which is told.
 */
int why__find(struct why *ret, const char *name, const struct why_sources *sources);
void why__free(struct why *w);

void why__print(const struct why *w, FILE *out);
/* -ENOMEM, said. @kernel: what the answers are about. */
int why__write_json(const struct why *list, size_t count, const struct universe *kernel, FILE *out);

#endif
