// SPDX-License-Identifier: GPL-2.0-only
/* Tables and their cells; see cells.h. libsmartcols fails only if there is no memory. */
#include <inttypes.h>
#include <stdarg.h>

#include "base/memory.h"
#include "boot/cells.h"

struct libscols_table *cells__begin(FILE *out)
{
	struct libscols_table *table = scols_new_table();

	if (!table)
		memory__fail();
	scols_table_set_stream(table, out);
	return table;
}

void cells__column(struct libscols_table *table, const char *name, double width, int flags)
{
	if (!scols_table_new_column(table, name, width, flags))
		memory__fail();
}

struct libscols_line *cells__line(struct libscols_table *table, struct libscols_line *parent)
{
	struct libscols_line *line = scols_table_new_line(table, parent);

	if (!line)
		memory__fail();
	return line;
}

void cells__end(struct libscols_table *table)
{
	if (scols_print_table(table))
		memory__fail();
	scols_unref_table(table);
}

void cell__set(struct libscols_line *line, size_t column, const char *text)
{
	if (scols_line_set_data(line, column, text))
		memory__fail();
}

void cell__print(struct libscols_line *line, size_t column, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	cell__set(line, column, text);
}

void cell__time(struct libscols_line *line, size_t column, uint64_t ns)
{
	cell__print(line, column, "%" PRIu64 ".%06" PRIu64, ns / 1000000000, ns % 1000000000 / 1000);
}

void cell__share(struct libscols_line *line, size_t column, uint64_t part, uint64_t whole)
{
	if (whole)
		cell__print(line, column, "%.1f%%", 100.0 * part / whole);
}
