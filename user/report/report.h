/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is made of results: for people, for programs, for undertaker-tailor. Write errors stay in the stream, for
 * output__commit() to find.
 */
#ifndef HYTRACE_REPORT_REPORT_H
#define HYTRACE_REPORT_REPORT_H

#include <stdio.h>

#include "document/coverage.h"
#include "document/universe.h"
#include "report/groups.h"
#include "report/images.h"
#include "report/rows.h"
#include "report/source_calls.h"

/* Which functions a list has: all that were asked for, those that a document has seen, those that none has. */
enum listed { LIST_ALL, LIST_SEEN, LIST_UNSEEN };

struct proof;

struct report_form {
	enum group_by by;	/* what a line of the table stands for */
	enum group_sort sort;	/* the order of its lines */
	enum listed which;	/* which functions are listed */
	const struct proof *proof;	/* what ran without having been recorded; NULL: it was not asked for */
};

/**
 * report__tailor() - the addresses of a document, one on a line, and nothing else
 * @c: the document
 * @out: where to; an address as linked, or "OFFSET MODULE"
 *
 * Return: how many hits of vmlinux are left out, because their linked addresses are not known.
 */
size_t report__tailor(const struct coverage *c, FILE *out);

/**
 * report__text() - shares by directory, and the totals of each document
 * @r: the rows
 * @labels: what to call the columns; NULL: there is only one
 * @form: the table's
 * @out: where to
 */
void report__text(const struct rows *r, const char *const *labels, const struct report_form *form, FILE *out);

/* A function is unseen if every document could have seen it, and none has it or proves that it ran. */
bool row__is_listed(const struct rows *r, const struct row *row, enum listed which);

/**
 * report__list() - functions by name, each with its place in the source
 * @r: the rows
 * @which: of these
 * @out: where to. Where documents differ, a line begins with a mark for each: + seen, - not seen, . not asked for
 */
void report__list(const struct rows *r, enum listed which, FILE *out);

/**
 * report__json() - the rows, and the sums of the table
 * @r: the rows
 * @labels: what to call the columns
 * @form: of the table, and of the list
 * @out: where to
 */
void report__json(const struct rows *r, const char *const *labels, const struct report_form *form, FILE *out);

/* Prints a line for each function, and totals. */
void report__functions(const struct universe *u, FILE *out);
/* "fs/read_write.c:460", or only the file; empty: unknown. */
void function__place(char *ret, size_t room, const struct function *f);

/* Directories of the source. A file is in the first one that has it. Without any, paths begin at the source's top. */
struct lcov_source {
	const char *const *list;
	size_t count;
};

/**
 * report__lcov() - functions and calls by line, as genhtml takes them
 * @r: the rows
 * @labels: what to call the columns
 * @calls: the calls of the kernel's image; NULL: they are not known
 * @source: where its source is
 * @out: where to
 *
 * Return: 0, or a negative errno after a message: -EINVAL if no function has a line.
 */
int report__lcov(const struct rows *r, const char *const *labels, const struct source_calls *calls,
		 const struct lcov_source *source, FILE *out);

/**
 * report__html() - a page for a browser
 * @r: the rows
 * @labels: what to call the columns
 * @images: the files of the kernel, which tell what a call site calls; NULL: that stays unknown
 * @out: where to
 *
 * Return: 0, or -EINVAL after a message if the page has no place for the data.
 */
int report__html(const struct rows *r, const char *const *labels, const struct images *images, FILE *out);

/* Prints the losses that are not 0 on stderr, one a line, each with its meaning. */
void report__losses(const struct coverage *c);

#endif
