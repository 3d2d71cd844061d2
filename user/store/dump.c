// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables of a store as files for other engines; see store.h.
 *
 * A line is a row: \N is null, a tab is between two columns, and a backslash before what would end
 * a column. This is the text format of PostgreSQL's COPY, and ClickHouse's TabSeparated. Neither engine
 * has bitmaps of SQLite, so a bitmap becomes a row for each bit.
 */
#include <sys/stat.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "run/output.h"
#include "store/inside.h"

/* An output is kept in memory until it is flushed. */
#define MOST_KEPT (1024 * 1024)

#define CHOSEN " IN (SELECT value FROM json_each(?)) "

/* Old ClickHouse joins two tables at most, so functions and sites have the names of their modules. */
static const struct dumped {
	const char *name, *query;
	enum { ROWS, FUNCTION_BITS, SITE_BITS } kind;
} tables[] = {
	{ "object", "SELECT id, name, build_id, srcversion, kernel, release, arch, config FROM object ORDER BY id" },
	{ "function", "SELECT object, nr, object.name, function.name, addr, sympos, file, dir, line, unit, untraced, "
	  "init FROM function JOIN object ON object.id = object ORDER BY object, nr" },
	{ "site", "SELECT object, nr, object.name, site.name, addr, symbol_offset, entered_object, entered "
	  "FROM site JOIN object ON object.id = object ORDER BY object, nr" },
	{ "could", "SELECT object, nr, certain FROM could ORDER BY object, nr" },
	{ "run", "SELECT id, lower(hex(hash)), document, kernel, host, boot_id, engine, started, seconds, test, "
	  "revision, scope, complete, thin, functions, callers, head FROM run WHERE id" CHOSEN "ORDER BY id" },
	{ "ran", "SELECT run, object, sees FROM ran WHERE run" CHOSEN "ORDER BY run, object" },
	{ "hit", "SELECT run, object, functions FROM ran WHERE run" CHOSEN "ORDER BY run, object", FUNCTION_BITS },
	{ "hit_site", "SELECT run, object, sites FROM ran WHERE run" CHOSEN "ORDER BY run, object", SITE_BITS },
};

extern const char _binary_clickhouse_sql_start[], _binary_clickhouse_sql_end[];
extern const char _binary_postgresql_sql_start[], _binary_postgresql_sql_end[];

static void write_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		char c = *text, escaped = c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\\' ? c : 0;

		if (escaped)
			putc_unlocked('\\', out);
		putc_unlocked(escaped ?: c, out);
	}
}

static void write_row(FILE *out, sqlite3_stmt *st)
{
	for (int i = 0; i < sqlite3_column_count(st); i++) {
		const char *text = (const char *)sqlite3_column_text(st, i);

		if (i)
			putc_unlocked('\t', out);
		if (text)
			write_text(out, text);
		else
			fputs("\\N", out);
	}
	putc_unlocked('\n', out);
}

/* A damaged bitmap could become terabytes of rows. So each bit has to be of a function or site that is there. */
static int write_bits(struct store *s, FILE *out, sqlite3_stmt *st, bool sites)
{
	int64_t run = sqlite3_column_int64(st, 0), object = sqlite3_column_int64(st, 1);
	const unsigned char *bits = sqlite3_column_blob(st, 2);
	size_t count = 8 * (size_t)sqlite3_column_bytes(st, 2), known;
	const struct known_object *o;
	uint32_t index;
	int err;

	err = knowns__object(&s->knowns, &index, object);
	if (err)
		return err;
	o = s->knowns.list[index];
	known = sites ? o->sites.count : o->functions.count;
	for (size_t nr = 0; nr < count; nr++) {
		if (!(bits[nr / 8] >> nr % 8 & 1))
			continue;
		if (nr >= known)
			return store__damaged(s, run);
		fprintf(out, "%lld\t%lld\t%zu\n", (long long)run, (long long)object, nr);
	}
	return 0;
}

static int write_table(struct store *s, const struct dumped *table, const char *runs, struct output *output)
{
	FILE *out = output__stream(output);
	sqlite3_stmt *st = sql__begin(&s->sql, table->query, strchr(table->query, '?') ? "t" : "", runs);
	int more, err = 0;

	while (!err && (more = sql__next(&s->sql, st)) > 0) {
		if (table->kind == ROWS)
			write_row(out, st);
		else
			err = write_bits(s, out, st, table->kind == SITE_BITS);
		if (!err && ftello(out) > MOST_KEPT)
			err = output__flush(output);
	}
	return err ?: more;
}

/* Begins a file of the directory. */
static int begin(struct output **ret, const char *directory, const char *name, const char *ending)
{
	char *path = xasprintf("%s/%s%s", directory, name, ending);
	int err = output__open(ret, path, NULL);

	free(path);
	return err;
}

static int write_tables(struct store *s, const char *directory, const char *runs)
{
	struct output *output;
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(tables) / sizeof(tables[0]); i++) {
		err = begin(&output, directory, tables[i].name, ".tsv");
		if (!err)
			err = output__finish(output, write_table(s, &tables[i], runs, output));
	}
	return err;
}

static int write_statements(const char *directory, const char *engine, const char *start, const char *end)
{
	struct output *output;
	int err = begin(&output, directory, engine, ".sql");

	if (err)
		return err;
	fwrite(start, 1, end - start, output__stream(output));
	return output__finish(output, 0);
}

static int make_directory(const char *path)
{
	size_t length = strlen(path);
	char *name;
	struct place p;
	int err;

	while (length > 1 && path[length - 1] == '/')
		length--;
	name = xstrndup(path, length);
	err = place__find(&p, name);
	if (err && p.refused)
		err = error__return(-EINVAL, "%s: is refused: %s", path, p.refused);
	else if (err == -EISDIR)
		err = 0;
	else if (err || mkdirat(p.dir, p.name, 0777))
		err = error__return(-EINVAL, "%s: cannot be made: %s", path, strerror(err ? -err : errno));
	place__free(&p);
	free(name);
	return err;
}

/* A list in json, as SQLite takes one value for each "?". */
static char *list_of(const int64_t *runs, size_t count)
{
	char *text;
	size_t length;
	FILE *out = xopen_memstream(&text, &length);

	for (size_t i = 0; i < count; i++)
		fprintf(out, "%c%lld", i ? ',' : '[', (long long)runs[i]);
	fputs(count ? "]" : "[]", out);
	xclose_memstream(out);
	return text;
}

int store__dump(struct store *s, const char *selection, const char *directory)
{
	int64_t *runs = NULL;
	size_t count;
	char *list = NULL;
	int err;

	/* The transaction is for the files to be of one moment. It writes nothing. */
	err = make_directory(directory) ?: sql__run(&s->sql, "BEGIN", "") ?:
	      store__select(s, selection, &runs, &count);
	if (!err) {
		list = list_of(runs, count);
		err = write_tables(s, directory, list) ?:
		      write_statements(directory, "clickhouse", _binary_clickhouse_sql_start,
				       _binary_clickhouse_sql_end) ?:
		      write_statements(directory, "postgresql", _binary_postgresql_sql_start,
				       _binary_postgresql_sql_end);
	}
	free(runs);
	free(list);
	return err;
}
