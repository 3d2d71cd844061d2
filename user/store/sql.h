/* SPDX-License-Identifier: GPL-2.0-only */
/* SQL statements on one connection of SQLite. A failure prints a message, with the file's path. */
#ifndef HYTRACE_STORE_SQL_H
#define HYTRACE_STORE_SQL_H

#include <sqlite3.h>

/* Statements that were prepared before, by their text. */
struct sql {
	sqlite3 *db;
	char *path;		/* for messages */
	struct sql_statement {
		const char *text;
		sqlite3_stmt *statement;
	} *list;
	size_t count;
};

/* Bytes as a value of a statement. */
struct sql_blob {
	const void *bytes;
	size_t length;
};

/* Prints what SQLite says, and returns -EIO. */
int sql__failed(const struct sql *sql);

/**
 * sql__begin() - begin a statement
 * @sql: the connection
 * @text: its text, which stays where it is: the same address is the same statement
 * @types: a letter for each value: i: int64_t, d: double, t: const char * (NULL: null), b: const struct sql_blob *,
 *	   n: an int64_t of which 0 is null
 *
 * Return: the statement, for sql__next(); NULL after a message.
 */
sqlite3_stmt *sql__begin(struct sql *sql, const char *text, const char *types, ...);

/* Goes to the next row. Returns 1; 0 after the last one; -EIO after a message. @statement: NULL: also -EIO */
int sql__next(struct sql *sql, sqlite3_stmt *statement);

/* Runs a statement without rows. Returns 0, or -EIO after a message. */
int sql__run(struct sql *sql, const char *text, const char *types, ...);
/* Runs statements that are not kept. */
int sql__script(struct sql *sql, const char *text);
/* Runs a statement with one row and a number in it. Returns 1; 0: there is no row; -EIO after a message. */
int sql__number(struct sql *sql, sqlite3_int64 *ret, const char *text, const char *types, ...);

/* A text of a row, as a copy; NULL for null. */
char *sql__text(sqlite3_stmt *statement, int column);

void sql__close(struct sql *sql);

#endif
