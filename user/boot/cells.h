/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of `hytrace boot`, and its numbers as text. */
#ifndef HYTRACE_BOOT_CELLS_H
#define HYTRACE_BOOT_CELLS_H

#include "base/table.h"
#include "boot/span.h"

#define RIGHT SCOLS_FL_RIGHT

/* The arguments of table__column(). A column without a heading ends an array. */
struct column {
	const char *heading;
	double width;
	int flags;
};

static inline struct libscols_table *cells__table(FILE *out, const struct column *columns)
{
	struct libscols_table *table = table__new(out);

	for (; columns->heading; columns++)
		table__column(table, columns->heading, columns->width, columns->flags);
	return table;
}

/* Adds a row with these texts; NULL leaves a cell empty. @parent: NULL if the table is no tree. Returns the row. */
#define ADD_ROW(table, parent, ...)										\
	cells__row(table, parent, (const char *const []){ __VA_ARGS__ },					\
		   sizeof((const char *const []){ __VA_ARGS__ }) / sizeof(const char *))

static inline struct libscols_line *cells__row(struct libscols_table *table, struct libscols_line *parent,
					       const char *const *texts, size_t count)
{
	struct libscols_line *line = table__line(table, parent);

	for (size_t i = 0; i < count; i++) {
		if (texts[i])
			table__cell(line, i, texts[i]);
	}
	return line;
}

/* Prints the table, which has the first @most of @count rows, then "and N more". Frees it. */
static inline void cells__print(struct libscols_table *table, size_t most, size_t count, FILE *out)
{
	table__print(table);
	if (most < count)
		fprintf(out, "and %zu more\n", count - most);
}

/* A number as text, which lives as long as the expression: cell__seconds(ns).text. What is NOT_KNOWN is "". */
struct cell {
	char text[48];
};

/* Seconds, with microseconds. */
static inline struct cell cell__seconds(int64_t ns)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	struct cell c = { "" };

	if (ns != NOT_KNOWN)
		snprintf(c.text, sizeof(c.text), "%s%" PRIu64 ".%06" PRIu64, ns < 0 ? "-" : "", size / 1000000000,
			 size % 1000000000 / 1000);
	return c;
}

static inline struct cell cell__number(int64_t number)
{
	struct cell c = { "" };

	if (number != NOT_KNOWN)
		snprintf(c.text, sizeof(c.text), "%" PRId64, number);
	return c;
}

/* "12.3%"; "" if @whole is 0. */
static inline struct cell cell__share(uint64_t part, uint64_t whole)
{
	struct cell c = { "" };

	if (whole)
		snprintf(c.text, sizeof(c.text), "%.1f%%", 100.0 * part / whole);
	return c;
}

#endif
