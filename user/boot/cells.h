/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of `hytrace boot`, and their cells. If there is no memory, the program ends, as with base/memory.h. */
#ifndef HYTRACE_BOOT_CELLS_H
#define HYTRACE_BOOT_CELLS_H

#include <libsmartcols/libsmartcols.h>
#include <stdint.h>
#include <stdio.h>

struct libscols_table *cells__begin(FILE *out);
void cells__column(struct libscols_table *table, const char *name, double width, int flags);
/* @parent: NULL if the table is no tree */
struct libscols_line *cells__line(struct libscols_table *table, struct libscols_line *parent);
/* Prints the table and frees it. */
void cells__end(struct libscols_table *table);

void cell__set(struct libscols_line *line, size_t column, const char *text);
__attribute__((format(printf, 3, 4))) void cell__print(struct libscols_line *line, size_t column,
							const char *format, ...);
/* @ns as seconds, with microseconds. */
void cell__time(struct libscols_line *line, size_t column, uint64_t ns);
/* @part of @whole in percent; nothing if @whole is 0. */
void cell__share(struct libscols_line *line, size_t column, uint64_t part, uint64_t whole);

#endif
