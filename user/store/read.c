// SPDX-License-Identifier: GPL-2.0-only
/* Reads and forgets runs; see store.h. */
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "document/coverage.h"
#include "document/coverage_json.h"
#include "document/hits_text.h"
#include "store/columns.h"
#include "store/inside.h"

int store__damaged(const struct store *s, int64_t run)
{
	return error__return(-EINVAL, "%s: is damaged: run %lld makes no sense", s->sql.path, (long long)run);
}

/* ---- a run */

static int add_bits(struct store *s, struct hits *hits, uint32_t object, enum hit_kind kind,
		    const unsigned char *bits, size_t length)
{
	int err = 0;

	for (size_t nr = 0; !err && nr < 8 * length; nr++) {
		struct hit hit;

		if (!(bits[nr / 8] >> nr % 8 & 1))
			continue;
		err = columns__hit(&hit, hits, &s->knowns, kind, (struct number){ object, nr });
		hit.runs = 1;
		if (!err)
			hits__add(hits, &hit);
	}
	return err;
}

static int read_bitmaps(struct store *s, int64_t run, struct hits *hits, enum hits_part part)
{
	sqlite3_stmt *st = sql__begin(&s->sql, "SELECT object, functions, sites FROM ran WHERE run = ? ORDER BY object",
				      "i", run);
	int more, err = 0;

	while (!err && (more = sql__next(&s->sql, st)) > 0) {
		uint32_t object;

		err = knowns__object(&s->knowns, &object, sqlite3_column_int64(st, 0));
		if (!err && part == HITS_OF_MODULES && !s->knowns.list[object]->name)
			continue;
		if (!err)
			err = add_bits(s, hits, object, HIT_FUNCTION, sqlite3_column_blob(st, 1),
				       sqlite3_column_bytes(st, 1));
		if (!err && part != HITS_FUNCTIONS)
			err = add_bits(s, hits, object, HIT_CALLER, sqlite3_column_blob(st, 2),
				       sqlite3_column_bytes(st, 2));
	}
	if (err)
		sqlite3_reset(st);
	return err ?: more;
}

static int read_columns(struct store *s, int64_t run, struct hits *hits)
{
	sqlite3_stmt *st = sql__begin(&s->sql, "SELECT hits FROM first WHERE run = ?", "i", run);
	struct sql_blob blob;
	int err = sql__next(&s->sql, st);

	if (err <= 0)
		return err ?: -EINVAL;
	blob = (struct sql_blob){ sqlite3_column_blob(st, 0), sqlite3_column_bytes(st, 0) };
	err = columns__read(hits, &s->knowns, &blob);
	sqlite3_reset(st);
	return err;
}

/* Without first hits, it is what a union knows: which functions ran, in one run. */
static void make_union(struct coverage *c)
{
	struct merged_run *run = xcalloc(1, sizeof(*run));

	*run = (struct merged_run){
		.engine = xstrdup(c->engine), .host = xstrdup(c->host), .boot_id = c->boot_id, .started = c->started,
		.seconds = c->seconds, .complete = losses__complete(&c->lost),
	};
	c->boot_id = NULL;
	c->merged = run;
	c->merged_count = 1;
	c->window = (struct window){};
	c->ended = ENDED_BY_MERGING;
}

/* Other recordings of the kernel may have had the addresses that this one did not know. */
static void forget_addresses(struct hits *hits)
{
	for (size_t i = 0; i < hits->count; i++)
		hits->list[i].link = hits->list[i].other.link = 0;
}

static int read_hits(struct store *s, int64_t run, struct hits *hits, enum hits_part part, bool sets_only)
{
	int err = part == HITS_ALL && !sets_only ? read_columns(s, run, hits) : read_bitmaps(s, run, hits, part);

	return err == -EINVAL ? store__damaged(s, run) : err;
}

/*
 * The hits of a run that was read without them. Sets need no names: the store has them. A union is in the order in
 * which it was kept: it may have no times.
 */
static int read_source(struct hits *ret, const struct hits_source *source, enum hits_part part)
{
	int err;

	part = source->counted ? HITS_ALL : part;
	if (part == HITS_ALL)
		hits__init(ret);
	err = read_hits(source->store, source->run, ret, part, source->sets_only);
	if (err)
		hits__free(ret);
	else if (part == HITS_ALL && !source->counted)
		hits__order(ret);
	if (!err && source->unlinked)
		forget_addresses(ret);
	return err;
}

static int read_modules(struct store *s, int64_t run, char ***ret)
{
	sqlite3_stmt *st = sql__begin(&s->sql, "SELECT name FROM ran JOIN object ON object.id = ran.object "
				      "WHERE run = ? AND name IS NOT NULL AND length(functions) ORDER BY name",
				      "i", run);
	size_t count = 0;
	int more;

	while ((more = sql__next(&s->sql, st)) > 0)
		*LIST_ADD(*ret, count) = sql__text(st, 0);
	*LIST_ADD(*ret, count) = NULL;
	return more;
}

/* Makes the run of its head. @source: where its hits stay. NULL: they are read */
static int read_head(struct store *s, int64_t run, struct coverage *ret, const char *head, bool thin,
		     const struct hits_source *source)
{
	struct json_object *root = json__parse(head, strlen(head));
	struct hits_text ready = { .lacks_time = false };
	int err;

	hits__init(&ready.hits);
	err = !root ? store__damaged(s, run) : source ? 0 : read_hits(s, run, &ready.hits, HITS_ALL, thin);
	if (!err)
		err = coverage__take(ret, root, &ready, s->sql.path);
	if (!err && !ret->kernel.offset_known)
		forget_addresses(&ret->hits);
	if (!err && thin)
		make_union(ret);
	hits_text__free(&ready);
	json_object_put(root);
	if (err || !source)
		return err;
	ret->source = *source;
	ret->source.unlinked = !ret->kernel.offset_known;
	ret->source.counted = ret->merged && !thin;
	err = read_modules(s, run, &ret->ran_in);
	if (err)
		coverage__free(ret);
	return err;
}

static int read_run(struct store *s, int64_t run, struct coverage *ret, char **ret_document, bool whole)
{
	sqlite3_stmt *st = sql__begin(&s->sql, "SELECT head, document, thin, functions, callers FROM run "
				      "WHERE id = ?", "i", run);
	struct hits_source source = { read_source, s, run };
	char *head;
	bool thin;
	int err = sql__next(&s->sql, st);

	if (err <= 0)
		return err ?: store__damaged(s, run);
	head = sql__text(st, 0);
	*ret_document = sql__text(st, 1);
	thin = sqlite3_column_int(st, 2);
	source.functions = sqlite3_column_int64(st, 3);
	source.callers = sqlite3_column_int64(st, 4);
	source.sets_only = thin;
	sqlite3_reset(st);
	err = head && *ret_document ? read_head(s, run, ret, head, thin, whole ? NULL : &source) :
				      store__damaged(s, run);
	free(head);
	if (err)
		free(*ret_document);
	return err;
}

int store__read(struct store *s, int64_t run, struct coverage *ret, char **ret_document)
{
	return read_run(s, run, ret, ret_document, true);
}

int store__read_head(struct store *s, int64_t run, struct coverage *ret, char **ret_document)
{
	return read_run(s, run, ret, ret_document, false);
}

char *store__test(struct store *s, int64_t run)
{
	sqlite3_stmt *st = sql__begin(&s->sql, "SELECT test FROM run WHERE id = ?", "i", run);
	char *test = sql__next(&s->sql, st) > 0 ? sql__text(st, 0) : NULL;

	sqlite3_reset(st);
	return test;
}

/* ---- a selection */

const char *store__cut_selection(char *path)
{
	char *mark = access(path, F_OK) ? strchr(path, '?') : NULL;

	if (mark)
		*mark = '\0';
	return mark ? mark + 1 : NULL;
}

/* What a word of a selection is compared with. */
static const struct term {
	const char *name, *condition;
	bool is_time;
} terms[] = {
	{ "host", "host GLOB ?" }, { "test", "test GLOB ?" }, { "commit", "revision GLOB ?" },
	{ "engine", "engine GLOB ?" },
	{ "boot", "boot_id GLOB ?" }, { "document", "document GLOB ?" }, { "run", "CAST(id AS TEXT) GLOB ?" },
	{ "build", "kernel IN (SELECT id FROM object WHERE build_id GLOB ?)" },
	{ "since", "started >= ?", true }, { "until", "started < ?", true },
};

#define TERMS (sizeof(terms) / sizeof(terms[0]))

/* Is it a day, or the beginning of a time as documents have it? What is written otherwise has another order. */
static bool is_date(const char *text)
{
	static const char form[] = "0000-00-00T00:00:00.000000Z";
	size_t i = 0;

	while (form[i] && (form[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == form[i]))
		i++;
	return i >= strlen("0000-00-00") && !text[i];
}

/* "7d", or a date. Returns NULL after a message. */
static char *time_of(const char *text)
{
	static const struct {
		char unit;
		long seconds;
	} units[] = { { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 7 * 86400 } };
	char *end, result[32];
	long count = strtol(text, &end, 10);
	time_t now = time(NULL);
	struct tm tm;

	if (is_date(text))
		return xstrdup(text);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (end == text || count < 0 || *end != units[i].unit || end[1] ||
		    count > 100l * 365 * 86400 / units[i].seconds)
			continue;
		now -= count * units[i].seconds;
		strftime(result, sizeof(result), "%Y-%m-%dT%H:%M:%S", gmtime_r(&now, &tm));
		return xstrdup(result);
	}
	error__print("%s: is no time: give an age, such as 12h, 7d or 4w, or a date, such as 2026-11-28", text);
	return NULL;
}

static int take_word(char *word, const struct term **ret, char **ret_value)
{
	char *value = strchr(word, '=');

	if (value)
		*value++ = '\0';
	for (size_t i = 0; value && i < TERMS; i++) {
		if (strcmp(terms[i].name, word))
			continue;
		*ret = &terms[i];
		*ret_value = terms[i].is_time ? time_of(value) : xstrdup(value);
		return *ret_value ? 0 : -EINVAL;
	}
	return error__return(-EINVAL, "%s: is nothing that runs are selected by: host, test, commit, "
			     "engine, boot, document, run, build, since or until, as in host=a&since=7d", word);
}

struct chosen {
	char *text;		/* the statement so far */
	char *values[TERMS];
	size_t count;
};

static int choose(struct chosen *c, const char *selection)
{
	char *copy = xstrdup(selection), *rest = copy, *word;
	int err = 0;

	while (!err && (word = strsep(&rest, "&,"))) {
		const struct term *term = NULL;
		char *longer;

		if (!*word)
			continue;
		if (c->count == TERMS)
			err = error__return(-EINVAL, "%s: has too many words", selection);
		else
			err = take_word(word, &term, &c->values[c->count]);
		if (err)
			break;
		longer = xasprintf("%s%s%s", c->text, c->count++ ? " AND " : " WHERE ", term->condition);
		free(c->text);
		c->text = longer;
	}
	free(copy);
	return err;
}

/* The statement differs each time, so it is not one of those that are kept. */
static int run_chosen(struct store *s, const struct chosen *c, int64_t **ret, size_t *ret_count)
{
	char *text = xasprintf("%s ORDER BY id", c->text);
	sqlite3_stmt *st = NULL;
	int err = sqlite3_prepare_v2(s->sql.db, text, -1, &st, NULL);

	for (size_t i = 0; !err && i < c->count; i++)
		err = sqlite3_bind_text(st, i + 1, c->values[i], -1, SQLITE_STATIC);
	while (!err && (err = sqlite3_step(st)) == SQLITE_ROW) {
		*LIST_ADD(*ret, *ret_count) = sqlite3_column_int64(st, 0);
		err = 0;
	}
	err = err == SQLITE_DONE ? 0 : sql__failed(&s->sql);
	sqlite3_finalize(st);
	free(text);
	return err;
}

int store__select(struct store *s, const char *selection, int64_t **ret, size_t *ret_count)
{
	struct chosen c = { .text = xstrdup("SELECT id FROM run") };
	int err = choose(&c, selection ?: "");

	*ret = NULL;
	*ret_count = 0;
	if (!err)
		err = run_chosen(s, &c, ret, ret_count);
	for (size_t i = 0; i < c.count; i++)
		free(c.values[i]);
	free(c.text);
	return err;
}

/* ---- forgetting */

/* If the first run of a function is forgotten, the next one that ran it becomes the first. */
static int find_first_again(struct store *s)
{
	sqlite3_stmt *st;
	int more, err;

	err = sql__run(&s->sql, "UPDATE function SET first_run = NULL WHERE first_run NOT IN (SELECT id FROM run)", "");
	if (err || !sqlite3_changes(s->sql.db))
		return err;
	/* It is known anew which functions have run. */
	knowns__free(&s->knowns);
	knowns__init(&s->knowns, &s->sql);
	st = sql__begin(&s->sql, "SELECT run, object, functions FROM ran ORDER BY run", "");
	while (!err && (more = sql__next(&s->sql, st)) > 0) {
		const unsigned char *bits = sqlite3_column_blob(st, 2);
		uint32_t object;

		err = knowns__object(&s->knowns, &object, sqlite3_column_int64(st, 1));
		if (!err)
			err = store__mark_ran(s, sqlite3_column_int64(st, 0), s->knowns.list[object], bits,
					      sqlite3_column_bytes(st, 2));
	}
	return err ?: more;
}

int store__forget(struct store *s, const int64_t *runs, size_t count)
{
	int err = store__begin(s);

	for (size_t i = 0; !err && i < count; i++)
		err = sql__run(&s->sql, "DELETE FROM first WHERE run = ?", "i", runs[i]) ?:
		      sql__run(&s->sql, "DELETE FROM ran WHERE run = ?", "i", runs[i]) ?:
		      sql__run(&s->sql, "DELETE FROM run WHERE id = ?", "i", runs[i]);
	if (!err)
		err = find_first_again(s) ?:
		      sql__run(&s->sql, "DELETE FROM blind WHERE list NOT IN (SELECT blind FROM run "
			       "WHERE blind IS NOT NULL)", "");
	return store__end(s, err);
}
