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
 * Return: how many hits of vmlinux are left out, as it is not known where they were linked.
 */
size_t report__tailor(const struct coverage *c, FILE *out);

/**
 * report__text() - shares by directory, and the totals of each document
 * @r: the rows
 * @labels: what to call the columns; NULL: there is only one
 * @form: the table's
 * @out: where to
 *
 * Return: 0, or -ENOMEM, which is told.
 */
int report__text(const struct rows *r, const char *const *labels, const struct report_form *form, FILE *out);

/* Unseen are those that each document was asked for, and none has or proves. */
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
 *
 * Return: 0, or -ENOMEM, which is told.
 */
int report__json(const struct rows *r, const char *const *labels, const struct report_form *form, FILE *out);

/* A line for each function, and totals; -ENOMEM, said. */
int report__functions(const struct universe *u, FILE *out);
/* "fs/read_write.c:460", or only the file; empty: unknown. */
void function__place(char *ret, size_t room, const struct function *f);

/* Where the source is: directories, of which the first is meant that has a file. None: its top is left open. */
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
 * Return: 0, or a negative errno, which is told: -EINVAL if no function has a line.
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
 * Return: 0, or -ENOMEM, which is told.
 */
int report__html(const struct rows *r, const char *const *labels, const struct images *images, FILE *out);

/* What was lost, on stderr, one line each with what it means; nothing when nothing was. */
void report__losses(const struct coverage *c);

#endif
