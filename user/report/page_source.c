// SPDX-License-Identifier: GPL-2.0-only
/* The source of functions on the page, and texts that are written once; see page.h. */
#include "base/index.h"
#include "base/sorted.h"
#include "report/page.h"

/* A function that does not end within so many lines is cut there. */
#define MOST_LINES 1000
/* So many lines before the name may belong to the function: its type, and its attributes. */
#define MOST_BEFORE 3

void numbered__free(struct numbered *n)
{
	if (n->index)
		lh_table_free(n->index);
	for (size_t i = 0; i < n->count; i++)
		free(n->list[i]);
	free(n->list);
}

size_t numbered__add(struct numbered *n, const char *text)
{
	struct lh_entry *entry;

	n->index = n->index ?: index__new(256, NULL);
	entry = lh_table_lookup_entry(n->index, text);
	if (entry)
		return (uintptr_t)lh_entry_v(entry);
	*LIST_ADD(n->list, n->count) = xstrdup(text);
	index__add(n->index, n->list[n->count - 1], (void *)(uintptr_t)(n->count - 1));
	return n->count - 1;
}

/* The text of a function. */
struct chunk {
	const char *file;
	unsigned int line;	/* where the function is said to begin */
	unsigned int first;	/* the line of the beginning of @text */
	size_t count;		/* the number of its lines; 0: the text was not found */
	char *text;
	char *values;		/* [line * columns + column] */
};

struct chunks {
	struct chunk *list;
	size_t count;
};

/* The lines of a file; each but the last ends with a newline. */
struct text_lines {
	char *text;
	const char **list;	/* one more than there are lines: the end */
	size_t count;
};

static void read_lines(struct text_lines *t, const char *path)
{
	FILE *f = fopen(path, "r");
	size_t room = 0, count = 0;

	*t = (struct text_lines){};
	if (f && getdelim(&t->text, &room, '\0', f) > 0) {
		for (const char *at = t->text; *at; at = strchrnul(at, '\n') + (*strchrnul(at, '\n') == '\n'))
			*LIST_ADD(t->list, t->count) = at;
		count = t->count;
		*LIST_ADD(t->list, count) = t->text + strlen(t->text);
	}
	if (f)
		fclose(f);
}

static size_t length_of(const struct text_lines *t, size_t line)
{
	return t->list[line + 1] - t->list[line];
}

static bool has(const struct text_lines *t, size_t line, char c)
{
	return memchr(t->list[line], c, length_of(t, line));
}

/* Does the line end something else: a function, a declaration, a comment, a directive? Or is it empty? */
static bool is_apart(const struct text_lines *t, size_t line)
{
	return *t->list[line] == '\n' || *t->list[line] == '#' || has(t, line, '}') || has(t, line, ';') ||
	       has(t, line, '/') || has(t, line, '*');
}

/*
 * Takes the lines from the type of a function to the brace that ends it, which is the first in a line.
 * What a macro defines ends with the semicolon after it.
 */
static void take(struct chunk *c, const struct text_lines *t)
{
	size_t first = c->line - 1, end = first;
	bool open = false;

	if (first >= t->count)
		return;
	while (first > 0 && first + MOST_BEFORE >= c->line && !is_apart(t, first - 1))
		first--;
	for (bool ends = false; !ends && end < t->count && end < first + MOST_LINES; end++) {
		ends = (*t->list[end] == '}') || (!open && has(t, end, '{') && has(t, end, '}')) ||
		       (!open && !has(t, end, '{') && has(t, end, ';'));
		open |= has(t, end, '{');
	}
	c->first = first + 1;
	c->count = end - first;
	c->text = xstrndup(t->list[first], t->list[end] - t->list[first]);
}

static int by_place(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	return strcmp(x->file, y->file) ?: ORDER(x->line, y->line);
}

static bool ran(const struct rows *r, const struct row *row)
{
	for (size_t column = 0; column < r->columns; column++) {
		if (row__is_seen(row, column) || row__is_proved(row, column))
			return true;
	}
	return false;
}

/* Copies of a function have one text. */
static void find_chunks(struct chunks *c, const struct rows *r, const struct lcov_source *source)
{
	struct text_lines lines = {};
	const char *file = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct function *f = r->list[i].f;

		if (f->file && f->line && ran(r, &r->list[i]))
			*LIST_ADD(c->list, c->count) = (struct chunk){ .file = f->file, .line = f->line };
	}
	if (c->count)
		qsort(c->list, c->count, sizeof(*c->list), by_place);
	for (size_t i = 0; i < c->count; i++) {
		struct chunk *chunk = &c->list[kept];

		if (kept && !by_place(chunk - 1, &c->list[i]))
			continue;
		*chunk = c->list[i];
		if (!file || strcmp(file, chunk->file)) {
			autofree char *path = lcov_source__path(source, chunk->file);

			free(lines.text);
			free(lines.list);
			read_lines(&lines, path);
			file = chunk->file;
		}
		take(chunk, &lines);
		chunk->values = xmalloc(chunk->count * r->columns);
		memset(chunk->values, '-', chunk->count * r->columns);
		kept += chunk->count != 0;
		if (!chunk->count)
			free(chunk->values);
	}
	c->count = kept;
	free(lines.text);
	free(lines.list);
}

/* Both lists are sorted by file and line. */
static void add_values(struct chunks *c, const struct file_line *lines, size_t count, size_t columns, size_t column)
{
	for (size_t i = 0, at = 0; i < count && at < c->count; ) {
		struct chunk *chunk = &c->list[at];
		int order = strcmp(lines[i].file, chunk->file);

		if (order > 0 || (!order && lines[i].line >= chunk->first + chunk->count)) {
			at++;
			continue;
		}
		if (!order && lines[i].line >= chunk->first)
			chunk->values[(lines[i].line - chunk->first) * columns + column] = lines[i].seen ? '1' : '0';
		i++;
	}
}

static void write_values(json_writer_t *w, const struct chunk *c, size_t columns, struct numbered *values)
{
	autofree char *none = xmalloc(columns + 1), *one = xcalloc(columns + 1, 1);
	size_t last = 0;

	memset(none, '-', columns);
	jsonw_start_array(w);
	for (size_t i = 0; i < c->count; i++) {
		memcpy(one, &c->values[i * columns], columns);
		if (!memcmp(one, none, columns))
			continue;
		jsonw_lluint(w, i - last);
		jsonw_lluint(w, numbered__add(values, one));
		last = i;
	}
	jsonw_end_array(w);
}

int page__write_sources(json_writer_t *w, const struct rows *r, const struct images *images,
			const struct lcov_source *source, struct numbered *paths, struct numbered *values)
{
	struct line_values *v;
	struct chunks c = {};
	int err = 0;

	find_chunks(&c, r, source);
	v = line_values__new(r, images);
	for (size_t column = 0; !err && column < r->columns; column++) {
		const struct file_line *lines;
		size_t count;

		err = line_values__of(v, column, &lines, &count);
		if (!err)
			add_values(&c, lines, count, r->columns, column);
	}
	line_values__free(v);
	json__array(w, "sources");
	for (size_t i = 0; i < c.count; i++) {
		struct chunk *chunk = &c.list[i];

		jsonw_start_array(w);
		jsonw_lluint(w, numbered__add(paths, chunk->file));
		jsonw_lluint(w, chunk->line);
		jsonw_lluint(w, chunk->first);
		jsonw_string(w, chunk->text);
		write_values(w, chunk, r->columns, values);
		jsonw_end_array(w);
		free(chunk->text);
		free(chunk->values);
	}
	jsonw_end_array(w);
	free(c.list);
	return err;
}
