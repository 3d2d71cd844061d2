// SPDX-License-Identifier: GPL-2.0-only
/* SQL statements; see sql.h. */
#include <stdarg.h>

#include "base/error.h"
#include "base/memory.h"
#include "store/sql.h"

int sql__failed(const struct sql *sql)
{
	int code = sqlite3_errcode(sql->db);

	if (code == SQLITE_NOMEM)
		memory__fail();
	if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
		return error__return(-EIO, "%s: another process has been writing into it all the time: "
				     "try again later", sql->path);
	if (code == SQLITE_NOTADB)
		return error__return(-EINVAL, "%s: is no store", sql->path);
	return error__return(-EIO, "%s: SQLite: %s", sql->path, sqlite3_errmsg(sql->db));
}

static sqlite3_stmt *prepare(struct sql *sql, const char *text)
{
	struct sql_statement *added;

	for (size_t i = 0; i < sql->count; i++) {
		if (sql->list[i].text == text) {
			sqlite3_reset(sql->list[i].statement);
			return sql->list[i].statement;
		}
	}
	added = LIST_ADD(sql->list, sql->count);
	added->text = text;
	if (!sqlite3_prepare_v3(sql->db, text, -1, SQLITE_PREPARE_PERSISTENT, &added->statement, NULL))
		return added->statement;
	sql->count--;
	sql__failed(sql);
	return NULL;
}

static int bind_number(sqlite3_stmt *statement, int column, int64_t number, bool zero_is_null)
{
	return zero_is_null && !number ? sqlite3_bind_null(statement, column) :
					 sqlite3_bind_int64(statement, column, number);
}

static int bind_value(sqlite3_stmt *statement, int column, char type, va_list *args)
{
	const struct sql_blob *blob;

	switch (type) {
	case 'd':
		return sqlite3_bind_double(statement, column, va_arg(*args, double));
	case 't':
		return sqlite3_bind_text(statement, column, va_arg(*args, const char *), -1, SQLITE_STATIC);
	case 'b':
		blob = va_arg(*args, const struct sql_blob *);
		return sqlite3_bind_blob64(statement, column, blob->bytes ?: "", blob->length, SQLITE_STATIC);
	default:
		return bind_number(statement, column, va_arg(*args, int64_t), type == 'n');
	}
}

static sqlite3_stmt *begin(struct sql *sql, const char *text, const char *types, va_list *args)
{
	sqlite3_stmt *statement = prepare(sql, text);
	int err = 0;

	for (int i = 0; statement && !err && types[i]; i++)
		err = bind_value(statement, i + 1, types[i], args);
	if (!err)
		return statement;
	sql__failed(sql);
	return NULL;
}

sqlite3_stmt *sql__begin(struct sql *sql, const char *text, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list args;

	va_start(args, types);
	statement = begin(sql, text, types, &args);
	va_end(args);
	return statement;
}

int sql__next(struct sql *sql, sqlite3_stmt *statement)
{
	int code = statement ? sqlite3_step(statement) : SQLITE_OK, err;

	if (code == SQLITE_ROW)
		return 1;
	err = !statement ? -EIO : code == SQLITE_DONE ? 0 : sql__failed(sql);
	sqlite3_reset(statement);
	return err;
}

int sql__run(struct sql *sql, const char *text, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list args;
	int more;

	va_start(args, types);
	statement = begin(sql, text, types, &args);
	va_end(args);
	while ((more = sql__next(sql, statement)) > 0)
		;
	return more;
}

int sql__script(struct sql *sql, const char *text)
{
	return sqlite3_exec(sql->db, text, NULL, NULL, NULL) ? sql__failed(sql) : 0;
}

int sql__number(struct sql *sql, sqlite3_int64 *ret, const char *text, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list args;
	int more;

	va_start(args, types);
	statement = begin(sql, text, types, &args);
	va_end(args);
	more = sql__next(sql, statement);
	if (more <= 0)
		return more;
	*ret = sqlite3_column_int64(statement, 0);
	sqlite3_reset(statement);
	return 1;
}

char *sql__text(sqlite3_stmt *statement, int column)
{
	return xstrdup((const char *)sqlite3_column_text(statement, column));
}

void sql__close(struct sql *sql)
{
	for (size_t i = 0; i < sql->count; i++)
		sqlite3_finalize(sql->list[i].statement);
	free(sql->list);
	sqlite3_close(sql->db);
	free(sql->path);
	*sql = (struct sql){};
}
