// SPDX-License-Identifier: GPL-2.0-only
/* hytrace sql: a query of a store, as a table, json or csv; or its tables as files, for other engines. */
#include <argp.h>
#include <math.h>

#include "base/error.h"
#include "base/program.h"
#include "base/table.h"
#include "run/output.h"
#include "store/commands.h"
#include "store/sql.h"
#include "store/store.h"

enum { SQL_TEXT, SQL_JSON, SQL_CSV };

enum { KEY_DUMP = 256 };

static const char *const format_names[] = { "text", "json", "csv", NULL };

static const struct argp_option options[] = {
	OPTION_FORMAT("text (default), json: a list of objects, or csv" OPTION_FORMAT_BY_NAME),
	OPTION_OUTPUT,
	{ "dump", KEY_DUMP, "DIR", 0, "write the tables to files in DIR, with what loads them into ClickHouse and "
	  "PostgreSQL", 0 },
	{ }
};

struct sql_options {
	const char *store, *query, *dump;
	struct result_options result;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct sql_options *o = state->input;

	switch (key) {
	case KEY_DUMP:
		o->dump = arg;
		break;
	case ARGP_KEY_ARG:
		if (o->query)
			argp_usage(state);
		*(o->store ? &o->query : &o->store) = arg;
		break;
	case ARGP_KEY_END:
		if (!o->store || !o->query == !o->dump || (o->dump && (o->result.output || o->result.format_given)))
			argp_usage(state);
		break;
	default:
		return result_options__parse(&o->result, key, arg, state);
	}
	return 0;
}

/* Bytes, such as bitmaps, are printed as hex digits. */
static char *cell(sqlite3_stmt *st, int column)
{
	const unsigned char *bytes = sqlite3_column_blob(st, column);
	int length = sqlite3_column_bytes(st, column);
	char *text;

	if (sqlite3_column_type(st, column) != SQLITE_BLOB)
		return sql__text(st, column) ?: xstrdup("");
	text = xcalloc(2 * length + 1, 1);
	for (int i = 0; i < length; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	return text;
}

/* ---- the formats: each has a function for the beginning (@st has the names), a row, and the end */

struct printing {
	FILE *out;
	struct libscols_table *table;
	json_writer_t *json;
};

static void begin_text(struct printing *p, sqlite3_stmt *st)
{
	p->table = table__new(p->out);
	for (int i = 0; i < sqlite3_column_count(st); i++)
		table__column(p->table, sqlite3_column_name(st, i), 0, 0);
}

static void row_text(struct printing *p, sqlite3_stmt *st)
{
	struct libscols_line *line = table__line(p->table, NULL);

	for (int i = 0; i < sqlite3_column_count(st); i++) {
		char *text = cell(st, i);

		table__cell(line, i, text);
		free(text);
	}
}

static void end_text(struct printing *p)
{
	table__print(p->table);
}

static void begin_json(struct printing *p, sqlite3_stmt *st)
{
	p->json = jsonw_new(p->out, false);
	jsonw_start_array(p->json);
}

static void row_json(struct printing *p, sqlite3_stmt *st)
{
	jsonw_start_object(p->json);
	for (int i = 0; i < sqlite3_column_count(st); i++) {
		char *text = cell(st, i);

		jsonw_name(p->json, sqlite3_column_name(st, i));
		switch (sqlite3_column_type(st, i)) {
		case SQLITE_NULL:
			jsonw_null(p->json);
			break;
		case SQLITE_INTEGER:
			jsonw_int(p->json, sqlite3_column_int64(st, i));
			break;
		case SQLITE_FLOAT:
			if (isfinite(sqlite3_column_double(st, i)))
				jsonw_printf(p->json, "%.17g", sqlite3_column_double(st, i));
			else
				jsonw_null(p->json);
			break;
		default:
			jsonw_string(p->json, text);
		}
		free(text);
	}
	jsonw_end_object(p->json);
}

static void end_json(struct printing *p)
{
	jsonw_end_array(p->json);
	jsonw_destroy(&p->json);
}

static void print_csv(FILE *out, const char *text, bool last)
{
	if (strpbrk(text, ",\"\r\n")) {
		fputc('"', out);
		for (; *text; text++)
			fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
		fputc('"', out);
	} else {
		fputs(text, out);
	}
	fputs(last ? "\n" : ",", out);
}

static void begin_csv(struct printing *p, sqlite3_stmt *st)
{
	for (int i = 0; i < sqlite3_column_count(st); i++)
		print_csv(p->out, sqlite3_column_name(st, i), i + 1 == sqlite3_column_count(st));
}

static void row_csv(struct printing *p, sqlite3_stmt *st)
{
	for (int i = 0; i < sqlite3_column_count(st); i++) {
		char *text = cell(st, i);

		print_csv(p->out, text, i + 1 == sqlite3_column_count(st));
		free(text);
	}
}

static void end_csv(struct printing *p)
{
}

static const struct {
	void (*begin)(struct printing *p, sqlite3_stmt *st);
	void (*row)(struct printing *p, sqlite3_stmt *st);
	void (*end)(struct printing *p);
} formats[] = {
	[SQL_TEXT] = { begin_text, row_text, end_text },
	[SQL_JSON] = { begin_json, row_json, end_json },
	[SQL_CSV] = { begin_csv, row_csv, end_csv },
};

/* ---- the query */

/* Returns -EINVAL after a message if it is not one statement that only reads. */
static int prepare(struct sql *sql, const char *query, sqlite3_stmt **ret)
{
	const char *rest = "";
	int err = sqlite3_prepare_v2(sql->db, query, -1, ret, &rest);

	if (err)
		return error__return(-EINVAL, "the query is wrong: %s", sqlite3_errmsg(sql->db));
	if (*ret && !rest[strspn(rest, " \t\r\n;")] && sqlite3_stmt_readonly(*ret) && sqlite3_column_count(*ret))
		return 0;
	sqlite3_finalize(*ret);
	*ret = NULL;
	return error__return(-EINVAL, "the query is refused: it has to be one SELECT, which only reads");
}

static int print(const struct sql_options *o, struct sql *sql, sqlite3_stmt *st)
{
	struct output *output;
	struct printing p = {};
	int err, code;

	err = output__open(&output, o->result.output, NULL);
	if (err)
		return err;
	p.out = output__stream(output);
	formats[o->result.format].begin(&p, st);
	while ((code = sqlite3_step(st)) == SQLITE_ROW)
		formats[o->result.format].row(&p, st);
	formats[o->result.format].end(&p);
	return output__finish(output, code == SQLITE_DONE ? 0 : sql__failed(sql));
}

int cmd_sql(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "STORE QUERY\nSTORE --dump DIR",
		.doc = "Prints the result of a query in SQL on a store of `hytrace keep`, which is a "
		       "database of SQLite. Nothing is written to it. Or writes its tables to files, from "
		       "which DIR/clickhouse.sql and DIR/postgresql.sql load them."
		       "\vExamples:\n"
		       "  hytrace sql runs.db 'SELECT id, host, test, functions FROM run'\n"
		       "  hytrace sql -f csv runs.db \"SELECT run FROM ran_function WHERE name = 'vfs_read'\"\n"
		       "  hytrace sql 'runs.db?since=1d' --dump day && cd day && psql -f postgresql.sql\n\n"
		       "Exit status: 0 done, 1 failed, 2 usage, no store, or a wrong query.",
	};
	struct sql_options o = { .result.formats = format_names };
	sqlite3_stmt *st = NULL;
	struct store *s = NULL;
	const char *selection;
	char *path;
	int err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	path = xstrdup(o.store);
	selection = o.dump ? store__cut_selection(path) : NULL;
	err = store__open(&s, path, STORE_READ);
	if (!err)
		err = o.dump ? store__dump(s, selection, o.dump) :
			       prepare(store__sql(s), o.query, &st) ?: print(&o, store__sql(s), st);
	sqlite3_finalize(st);
	store__close(s);
	free(path);
	return error__status(err, false);
}
