/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of libsmartcols. They can fail only for lack of memory, and then the program ends (base/memory.h). */
#ifndef HYTRACE_BASE_TABLE_H
#define HYTRACE_BASE_TABLE_H

#include <libsmartcols/libsmartcols.h>
#include <stdarg.h>

#include "base/memory.h"

static inline struct libscols_table *table__new(FILE *out)
{
	struct libscols_table *table = scols_new_table() ?: (memory__fail(), NULL);

	scols_table_set_stream(table, out);
	return table;
}

/* @width, @flags: as for scols_table_new_column() */
static inline void table__column(struct libscols_table *table, const char *heading, double width, int flags)
{
	if (!scols_table_new_column(table, heading, width, flags))
		memory__fail();
}

/* @parent: NULL if the table is no tree */
static inline struct libscols_line *table__line(struct libscols_table *table, struct libscols_line *parent)
{
	return scols_table_new_line(table, parent) ?: (memory__fail(), NULL);
}

static inline void table__cell(struct libscols_line *line, size_t column, const char *text)
{
	if (scols_line_set_data(line, column, text))
		memory__fail();
}

/* As printf(). */
static inline void __attribute__((format(printf, 3, 4)))
table__printf(struct libscols_line *line, size_t column, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0 || scols_line_refer_data(line, column, text))
		memory__fail();
	va_end(ap);
}

/* A number, or "-" if it is not known. */
static inline void table__number(struct libscols_line *line, size_t column, bool known, const char *fmt, double number)
{
	table__printf(line, column, known ? fmt : "-", number);
}

/* Prints and frees the table. */
static inline void table__print(struct libscols_table *table)
{
	if (scols_print_table(table))
		memory__fail();
	scols_unref_table(table);
}

#endif
