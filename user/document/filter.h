/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions that are asked for: -a and -d, in the syntax of set_ftrace_filter.
 *
 *   ext4_*          functions by name
 *   :mod:NAME       all functions of a module; also *:mod:NAME
 *   vfs_*:mod:NAME  some functions of a module
 *   @FILE           one of these per line; empty lines and lines from '#' on are skipped
 *
 * Without -a, all traceable functions are asked for. -d removes functions from them.
 */
#ifndef HYTRACE_DOCUMENT_FILTER_H
#define HYTRACE_DOCUMENT_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/symbols.h"
#include "kernel/traceable.h"

struct lh_table;

struct glob {
	char *text;		/* as the user gave it, and as it is written to the kernel */
	char *function;
	char *module;		/* NULL: any module, and vmlinux */
	char *origin;		/* "FILE:LINE"; NULL: the command line */
};

struct globs {
	struct glob *list;
	size_t count;
	/*
	 * Globs that are plain names: a list in a file has thousands, and each function is looked
	 * up in them. NULL: there are none.
	 */
	struct lh_table *names;
	size_t patterns;	/* the number of globs with wildcards or modules, which have to be tried one by one */
};

bool glob__is_name(const struct glob *g);

struct filter {
	struct globs allow;
	struct globs deny;
	/*
	 * Functions that hytrace itself excludes (the helpers of a BPF program); they need not exist.
	 */
	struct globs own;
};

/* Adds one argument of -a or -d. Returns -EINVAL after a message if it is wrong. */
int globs__add(struct globs *globs, const char *argument);
void globs__free(struct globs *globs);
/* Makes a deep copy. @ret: empty */
void filter__copy(struct filter *ret, const struct filter *f);
void filter__free(struct filter *f);

/* The first glob that matches no traceable function; NULL: there is none. */
const struct glob *filter__unmatched(const struct filter *f, const struct traceable *t);
/* Returns -EINVAL after a message that the glob matches no traceable function. */
int glob__refuse(const struct glob *g, const struct traceable *t);

enum filter_verdict {
	FILTER_TRACED,
	FILTER_NOT_ASKED,	/* -a does not name it */
	FILTER_DENIED,		/* -d names it */
	FILTER_OWN,		/* hytrace excludes it */
};

/* Did the user ask for the function? Functions that hytrace excludes count as asked for. */
bool filter__asks_for(const struct filter *f, const char *name, const char *module);

enum filter_verdict filter__judge(const struct filter *f, const char *name, const char *module);

/**
 * filter__new_modules() - count the new modules with functions that are asked for
 * @f: the filter
 * @before: the symbols when tracing was prepared
 * @after: the symbols at the end; NULL: no module was loaded or removed
 *
 * Return: the number of modules. A module counts even if the function that is asked for cannot be traced.
 */
size_t filter__new_modules(const struct filter *f, const struct symbols *before, const struct symbols *after);

#endif
