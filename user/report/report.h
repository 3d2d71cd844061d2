/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports of recordings: as text, json, lcov, html, and for undertaker-tailor. Write errors stay in
 * the stream, where output__commit() finds them.
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

/* Which functions a list has: asked for or seen; seen; or unseen in all columns. */
enum listed { LIST_ALL, LIST_SEEN, LIST_UNSEEN };

struct proof;

struct report_form {
	enum group_by by;	/* what a line of the table is: a directory or a file */
	enum group_sort sort;	/* the order of the lines */
	enum listed which;	/* which functions are listed */
	const struct proof *proof;	/* what ran without a record; NULL: not asked for */
};

/**
 * report__tailor() - print the addresses of a recording, one on a line, and nothing else
 * @c: the recording
 * @out: where to; an address as linked, or "OFFSET MODULE"
 *
 * Return: how many hits of vmlinux are left out, because their linked addresses are not known.
 */
size_t report__tailor(const struct coverage *c, FILE *out);

/**
 * report__text() - print shares by directory, and the totals of each recording
 * @r: the rows
 * @labels: the names of the columns; NULL: there is only one
 * @form: the form of the table
 * @out: where to
 */
void report__text(const struct rows *r, const char *const *labels, const struct report_form *form, FILE *out);

/* A function is unseen if all columns could have seen it, and none has, or proves that it ran. */
bool row__is_listed(const struct rows *r, const struct row *row, enum listed which);

/**
 * report__list() - print functions by name, each with its place in the source
 * @r: the rows
 * @which: the functions to list
 * @out: where to. Lines of LIST_ALL, and of LIST_SEEN with several columns, begin with a mark
 *	    of each column: + seen, - not seen, . not asked for
 */
void report__list(const struct rows *r, enum listed which, FILE *out);

/**
 * report__json() - print the rows, and the sums of the table
 * @r: the rows
 * @labels: the names of the columns
 * @form: the form of the table and of the list
 * @out: where to
 */
void report__json(const struct rows *r, const char *const *labels, const struct report_form *form, FILE *out);

/* Prints a line for each function, and totals. */
void report__functions(const struct universe *u, FILE *out);
/* "fs/read_write.c:460", or only the file; empty: unknown. */
void function__place(char *ret, size_t room, const struct function *f);

/* The source's directories; a file is in the first that has it. None: paths begin at the top. */
struct lcov_source {
	const char *const *list;
	size_t count;
};

/**
 * report__lcov() - print functions and calls by line, as genhtml takes them
 * @r: the rows
 * @labels: the names of the columns
 * @calls: the calls of the kernel's image; NULL: they are not known
 * @source: where the kernel's source is
 * @out: where to
 *
 * Return: 0, or a negative errno after a message: -EINVAL if no function has a line.
 */
int report__lcov(const struct rows *r, const char *const *labels, const struct source_calls *calls,
		 const struct lcov_source *source, FILE *out);

/**
 * report__html() - print a page for a browser
 * @r: the rows
 * @labels: the names of the columns
 * @images: the files of the kernel, which show callees; NULL: callees stay unknown
 * @out: where to
 *
 * Return: 0, or -EINVAL after a message if the page has no place for the data.
 */
int report__html(const struct rows *r, const char *const *labels, const struct images *images, FILE *out);

/* Prints the losses that are not 0 on stderr, one a line, each with its meaning. */
void report__losses(const struct coverage *c);

#endif
