/* SPDX-License-Identifier: GPL-2.0-only */
/* Cells of the tables of `hytrace boot`. All return 0 or a negative error, without a message. */
#ifndef HYTRACE_BOOT_CELLS_H
#define HYTRACE_BOOT_CELLS_H

#include <libsmartcols/libsmartcols.h>
#include <stdint.h>

__attribute__((format(printf, 3, 4))) int cell__print(struct libscols_line *line, size_t column,
						       const char *format, ...);
/* @ns as seconds, with microseconds. */
int cell__time(struct libscols_line *line, size_t column, uint64_t ns);
/* @part of @whole in percent; nothing if @whole is 0. */
int cell__share(struct libscols_line *line, size_t column, uint64_t part, uint64_t whole);

#endif
