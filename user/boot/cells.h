/* SPDX-License-Identifier: GPL-2.0-only */
/* The cells of the tables of `hytrace boot`. */
#ifndef HYTRACE_BOOT_CELLS_H
#define HYTRACE_BOOT_CELLS_H

#include <stdint.h>
#include <stdio.h>

#include "base/table.h"

__attribute__((format(printf, 3, 4))) void cell__print(struct libscols_line *line, size_t column,
							const char *format, ...);
/* @ns as seconds, with microseconds. */
void cell__time(struct libscols_line *line, size_t column, uint64_t ns);
/* @part of @whole in percent; nothing if @whole is 0. */
void cell__share(struct libscols_line *line, size_t column, uint64_t part, uint64_t whole);
/* Prints the table, which has the first @most of @count, and how many there are more. Frees it. */
void cells__print(struct libscols_table *table, size_t most, size_t count, FILE *out);

#endif
