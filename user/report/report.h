/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports of recordings: as text, json, lcov, html, and for undertaker-tailor. Write errors stay in
 * the stream, where output__commit() finds them.
 */
#ifndef HYTRACE_REPORT_REPORT_H
#define HYTRACE_REPORT_REPORT_H

#include "document/coverage.h"
#include "document/universe.h"
#include "report/images.h"
#include "report/rows.h"
#include "run/output.h"

/* Which functions a list has: asked for or seen; seen; or unseen in all columns. */
enum listed { LIST_ALL, LIST_SEEN, LIST_UNSEEN };

struct proof;

struct report_form {
	enum group_by by;	/* what a line of the table is: a directory or a file */
	enum group_sort sort;	/* the order of the lines */
	enum listed which;	/* which functions are listed */
	const struct proof *proof;	/* what ran without a record; NULL: not asked for */
};

/*
 * The parameters of all reports: @r: the rows; @labels: the names of the columns; @form: the form of the table and of
 * the list; @out: where to.
 */

/*
 * Prints the addresses of a recording, one on a line, and nothing else: an address as linked, or "OFFSET MODULE".
 * Returns how many hits of vmlinux are left out, because their linked addresses are not known.
 */
size_t report__tailor(const struct hits *hits, FILE *out);

/* Prints whose calls were recorded, and during what, without the end of the line. */
void report__scope(const struct coverage *c, FILE *out);

/* Prints shares by directory, and the totals of each recording. @labels: NULL: there is only one */
void report__text(const struct rows *r, const char *const *labels, const struct report_form *form, FILE *out);

/* A function is unseen if all columns could have seen it, and none has, or proves that it ran. */
bool row__is_listed(const struct rows *r, const struct row *row, enum listed which);

/*
 * Prints functions by name, each with its place in the source. Lines of LIST_ALL, and of LIST_SEEN with several
 * columns, begin with a mark of each column: + seen, * proved, - not seen, . not asked for. With a proof, LIST_ALL also
 * has the proved functions that no row stands for.
 */
void report__list(const struct rows *r, const struct report_form *form, FILE *out);

/* Prints the rows, and the sums of the table. */
void report__json(const struct rows *r, const char *const *labels, const struct report_form *form, FILE *out);

/* The source's directories; a file is in the first that has it. None: paths begin at the top. */
struct lcov_source {
	const char *const *list;
	size_t count;
	const char *url;	/* -f html: where a line can be seen, with %v, %f and %l; NULL: not given */
};

/* The path of a file of the source, to be freed; below the first directory if none has the file. */
char *lcov_source__path(const struct lcov_source *s, const char *file);

/*
 * Prints functions and calls by line, as genhtml takes them. @images: the files of the kernel, which show its calls;
 * NULL: these are not known. @output: gets the text of some recordings after the other, as that of all may be
 * gigabytes. Returns -EINVAL after a message if no function has a line.
 */
int report__lcov(const struct rows *r, const char *const *labels, const struct images *images,
		 const struct lcov_source *source, struct output *output);

/* A line of a file; if it is the first line of a function: with its name, without .isra.0. */
struct file_line {
	const char *file, *name;
	unsigned int line;
	bool seen;
};

/* Prints lines as -f lcov does. @list: without names; is sorted */
void lcov__print(struct file_line *list, size_t count, const char *label, FILE *out);

/* The lines that have a value in -f lcov, to be freed by line_values__free(). */
struct line_values *line_values__new(const struct rows *r, const struct images *images);
void line_values__free(struct line_values *v);
/*
 * Those of a column, by file, then by line. The next call of this function overwrites them. Returns 0, or a negative
 * errno after a message: hits cannot be read from a store.
 */
int line_values__of(struct line_values *v, size_t column, const struct file_line **ret, size_t *ret_count);

/* More columns could not be told apart on a page. */
#define PAGE_MOST_COLUMNS 64

/*
 * Prints a page for a browser, with at most PAGE_MOST_COLUMNS columns. @images: the files of the kernel, which show
 * callees; NULL: callees stay unknown. @source: its directories have the text of functions that ran. Returns -EINVAL
 * after a message if the page has no place for the data.
 */
int report__html(const struct rows *r, const char *const *labels, const struct images *images,
		 const struct lcov_source *source, FILE *out);

/* Prints the losses that are not 0 on stderr, one a line, each with its meaning. */
void report__losses(const struct coverage *c);

#endif
