/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which functions are asked for: -a and -d, in the words of set_ftrace_filter.
 *
 *   ext4_*          functions by name
 *   :mod:NAME       all of a module's; also *:mod:NAME
 *   vfs_*:mod:NAME  some of a module's
 *   @FILE           one of these per line; empty lines and lines from '#' on are skipped
 *
 * No -a at all means every traceable function. -d takes away from what -a gave.
 */
#ifndef HYTRACE_DOCUMENT_FILTER_H
#define HYTRACE_DOCUMENT_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/symbols.h"
#include "kernel/traceable.h"

struct lh_table;

struct glob {
	char *text;		/* as given, and as the kernel is given it */
	char *function;
	char *module;		/* NULL: any, and vmlinux */
	char *origin;		/* "file:line", or NULL: the command line */
};

struct globs {
	struct glob *list;
	size_t count;
	/* Plain names: a list in a file has thousands, each looked for in all. NULL: none. */
	struct lh_table *names;
	size_t patterns;	/* the others, which have to be tried one by one */
};

bool glob__is_name(const struct glob *g);

struct filter {
	struct globs allow;
	struct globs deny;
	/* Denied by hytrace itself (a BPF program's own helpers): need not exist. */
	struct globs own;
};

/* Adds one argument of -a or -d; -EINVAL, and says why, when it is not one. */
int globs__add(struct globs *globs, const char *argument);
void globs__free(struct globs *globs);
/* A deep copy; @ret is empty before. */
int filter__copy(struct filter *ret, const struct filter *f);
void filter__free(struct filter *f);

/* -EINVAL, and says which, when a glob matches no traceable function. */
int filter__check(const struct filter *f, const struct traceable *t);

enum filter_verdict {
	FILTER_TRACED,
	FILTER_NOT_ASKED,	/* -a names others */
	FILTER_DENIED,		/* -d names it */
	FILTER_OWN,		/* hytrace denies it */
};

/* Whether somebody asked for it: hytrace leaves some out by itself, which are asked for all the same. */
bool filter__asks_for(const struct filter *f, const char *name, const char *module);

enum filter_verdict filter__judge(const struct filter *f, const char *name, const char *module);

/**
 * filter__new_modules() - modules that have come, and in which something is asked for
 * @f: what is asked for
 * @before: the symbols of when tracing was prepared
 * @after: those of the end; NULL: no module has come or gone
 *
 * Return: how many there are. One that is asked for by the name of what cannot be traced counts, too.
 */
size_t filter__new_modules(const struct filter *f, const struct symbols *before, const struct symbols *after);

#endif
