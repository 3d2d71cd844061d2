// SPDX-License-Identifier: GPL-2.0-only
/* See cells.h. */
#include <inttypes.h>
#include <stdarg.h>

#include "boot/cells.h"

void cell__print(struct libscols_line *line, size_t column, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	table__cell(line, column, text);
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

void cells__print(struct libscols_table *table, size_t most, size_t count, FILE *out)
{
	table__print(table);
	if (most < count)
		fprintf(out, "and %zu more\n", count - most);
}
