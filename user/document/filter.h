/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions that are asked for: -a and -d, in the syntax of set_ftrace_filter.
 *
 *   ext4_*          functions by name
 *   :mod:NAME       all functions of a module; also *:mod:NAME
 *   vfs_*:mod:NAME  some functions of a module
 *   @FILE           one of these per line; empty lines and lines from '#' on are skipped
 *
 * Without -a, all traceable functions are asked for. -d removes functions from these.
 */
#ifndef HYTRACE_DOCUMENT_FILTER_H
#define HYTRACE_DOCUMENT_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/symbols.h"
#include "kernel/traceable.h"

struct lh_table;

struct glob {
	char *text;		/* as given, and as written to the kernel */
	char *function;
	char *module;		/* NULL: any, and vmlinux */
	char *origin;		/* "file:line", or NULL: the command line */
};

struct globs {
	struct glob *list;
	size_t count;
	/*
	 * Plain names. A list in a file has thousands, and each function is looked up in them.
	 * NULL: there are none.
	 */
	struct lh_table *names;
	size_t patterns;	/* the number of others, which must be tried one by one */
};

bool glob__is_name(const struct glob *g);

struct filter {
	struct globs allow;
	struct globs deny;
	/*
	 * Functions that hytrace itself denies (a BPF program's own helpers); they need not exist.
	 */
	struct globs own;
};

/* Adds one argument of -a or -d. Returns -EINVAL after a message if it is wrong. */
int globs__add(struct globs *globs, const char *argument);
void globs__free(struct globs *globs);
/* A deep copy; @ret is empty before. */
void filter__copy(struct filter *ret, const struct filter *f);
void filter__free(struct filter *f);

/* The first glob that matches no traceable function; NULL: there is none. */
const struct glob *filter__unmatched(const struct filter *f, const struct traceable *t);
/* Returns -EINVAL after a message that says so. */
int glob__refuse(const struct glob *g, const struct traceable *t);

enum filter_verdict {
	FILTER_TRACED,
	FILTER_NOT_ASKED,	/* -a names others */
	FILTER_DENIED,		/* -d names it */
	FILTER_OWN,		/* hytrace denies it */
};

/* Did the user ask for it? Functions that hytrace leaves out by itself count as asked for. */
bool filter__asks_for(const struct filter *f, const char *name, const char *module);

enum filter_verdict filter__judge(const struct filter *f, const char *name, const char *module);

/**
 * filter__new_modules() - count the new modules with functions that are asked for
 * @f: the filter
 * @before: the symbols when tracing was prepared
 * @after: the symbols at the end; NULL: no module has come or gone
 *
 * Return: their number. A module counts even if the function that is asked for cannot be traced.
 */
size_t filter__new_modules(const struct filter *f, const struct symbols *before, const struct symbols *after);

#endif
