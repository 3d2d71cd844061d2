/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of `hytrace boot`, and its times as text. */
#ifndef HYTRACE_BOOT_CELLS_H
#define HYTRACE_BOOT_CELLS_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "base/table.h"

/* For printf(): a time in ns as seconds with microseconds. */
#define SECONDS "%" PRIu64 ".%06" PRIu64
#define AS_SECONDS(ns) (uint64_t)(ns) / 1000000000, (uint64_t)(ns) % 1000000000 / 1000

#define RIGHT SCOLS_FL_RIGHT

/* The arguments of table__column(). A column without a heading ends an array. */
struct column {
	const char *heading;
	double width;
	int flags;
};

/* A line of a table. Cells are filled from the first column on; @next is the next one. */
struct cells {
	struct libscols_line *line;
	size_t next;
};

struct libscols_table *cells__table(FILE *out, const struct column *columns);
/* @parent: NULL if the table is no tree */
struct cells cells__line(struct libscols_table *table, struct libscols_line *parent);
/* Leaves the next @count cells empty. */
void cells__skip(struct cells *c, size_t count);
/* NULL leaves the cell empty. */
void cell__text(struct cells *c, const char *text);
void cell__print(struct cells *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* @ns as seconds, with microseconds; nothing if it is NOT_KNOWN. */
void cell__time(struct cells *c, int64_t ns);
/* The same; leaves the cell empty if it is NOT_KNOWN. */
void cell__known(struct cells *c, int64_t ns);
/* @part of @whole in percent; nothing if @whole is 0. */
void cell__share(struct cells *c, uint64_t part, uint64_t whole);
/* Prints the table, which has the first @most of @count lines, then "and N more". Frees it. */
void cells__print(struct libscols_table *table, size_t most, size_t count, FILE *out);

#endif
