// SPDX-License-Identifier: GPL-2.0-only
/* See cells.h. */
#include <stdarg.h>

#include "boot/cells.h"
#include "boot/span.h"

struct libscols_table *cells__table(FILE *out, const struct column *columns)
{
	struct libscols_table *table = table__new(out);

	for (; columns->heading; columns++)
		table__column(table, columns->heading, columns->width, columns->flags);
	return table;
}

struct cells cells__line(struct libscols_table *table, struct libscols_line *parent)
{
	return (struct cells){ .line = table__line(table, parent) };
}

void cells__skip(struct cells *c, size_t count)
{
	c->next += count;
}

void cell__text(struct cells *c, const char *text)
{
	if (text)
		table__cell(c->line, c->next, text);
	c->next++;
}

void cell__print(struct cells *c, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	cell__text(c, text);
}

void cell__time(struct cells *c, int64_t ns)
{
	if (ns == NOT_KNOWN)
		cells__skip(c, 1);
	else
		cell__print(c, "%s" SECONDS, ns < 0 ? "-" : "", AS_SECONDS(ns < 0 ? -ns : ns));
}

void cell__known(struct cells *c, int64_t ns)
{
	if (ns == INT64_MIN)
		cells__skip(c, 1);
	else
		cell__time(c, ns);
}

void cell__share(struct cells *c, uint64_t part, uint64_t whole)
{
	if (whole)
		cell__print(c, "%.1f%%", 100.0 * part / whole);
	else
		cells__skip(c, 1);
}

void cells__print(struct libscols_table *table, size_t most, size_t count, FILE *out)
{
	table__print(table);
	if (most < count)
		fprintf(out, "and %zu more\n", count - most);
}
