// SPDX-License-Identifier: GPL-2.0-only
/* Cells of tables; see cells.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "boot/cells.h"

int cell__print(struct libscols_line *line, size_t column, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return scols_line_set_data(line, column, text);
}

int cell__time(struct libscols_line *line, size_t column, uint64_t ns)
{
	return cell__print(line, column, "%" PRIu64 ".%06" PRIu64, ns / 1000000000,
			   ns % 1000000000 / 1000);
}

int cell__share(struct libscols_line *line, size_t column, uint64_t part, uint64_t whole)
{
	return whole ? cell__print(line, column, "%.1f%%", 100.0 * part / whole) : 0;
}
