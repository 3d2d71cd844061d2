// SPDX-License-Identifier: GPL-2.0-only
/* Reads the #if blocks of the source; see conditions.h. */
#include <ctype.h>
#include <obstack.h>

#include "base/files.h"
#include "base/index.h"
#include "tailor/conditions.h"

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

/* The kernel has no deeper #if blocks. A line in a deeper block would get the condition of the block at this depth. */
#define DEEPEST 64
/* More options in one expression are ignored. */
#define MOST_OPTIONS 16

struct file {
	const struct condition **lines;		/* index 0 is line 1 */
	size_t count;
};

struct conditions {
	const char *source;
	struct obstack store;
	struct lh_table *files;		/* struct file by path */
	/*
	 * By the path of an included x.c: the condition of the line `#include "x.c"`, which is the
	 * outermost condition of each line of x.c. If x.c is included twice, this condition is empty.
	 */
	struct lh_table *included;
	struct lh_table *compiled;	/* files that are compiled by themselves */
};

struct conditions *conditions__new(const char *source)
{
	struct conditions *c = xcalloc(1, sizeof(*c));

	obstack_alloc_failed_handler = memory__fail;
	c->source = source;
	obstack_begin(&c->store, 64 * 1024);
	c->files = index__new(2048, NULL);
	c->included = index__new(256, NULL);
	c->compiled = index__new(4096, NULL);
	return c;
}

void conditions__free(struct conditions *c)
{
	if (!c)
		return;
	lh_table_free(c->files);
	lh_table_free(c->included);
	lh_table_free(c->compiled);
	obstack_free(&c->store, NULL);
	free(c);
}

/* ---- expressions */

/* The options that an expression needs. */
struct needs {
	const char *names[MOST_OPTIONS];	/* pointers into the expression */
	size_t lengths[MOST_OPTIONS];
	size_t count;
	/* The whole expression is a single option, or its negation. */
	bool single, negated;
};

static const char *skip(const char *at, const char *end)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	return at;
}

/* The end of the operand that begins at @at: before "&&" or "||" outside of parentheses. */
static const char *operand_end(const char *at, const char *end)
{
	int depth = 0;

	for (; at < end; at++) {
		depth += (*at == '(') - (*at == ')');
		if (!depth && at + 1 < end && (!strncmp(at, "&&", 2) || !strncmp(at, "||", 2)))
			break;
	}
	return at;
}

static bool has_outside(const char *at, const char *end, const char *operator)
{
	while ((at = operand_end(at, end)) < end) {
		if (!strncmp(at, operator, 2))
			return true;
		at += 2;
	}
	return false;
}

/* Strips blanks, and parentheses that enclose the whole text. */
static void trim(const char **at, const char **end)
{
	for (;;) {
		int depth = 0;
		bool whole;

		*at = skip(*at, *end);
		while (*end > *at && isspace((unsigned char)(*end)[-1]))
			(*end)--;
		if (*end - *at < 2 || **at != '(' || (*end)[-1] != ')')
			return;
		whole = true;
		for (const char *p = *at; p < *end; p++) {
			depth += (*p == '(') - (*p == ')');
			if (!depth && p < *end - 1)
				whole = false;
		}
		if (!whole)
			return;
		(*at)++;
		(*end)--;
	}
}

/* The option in "defined(CONFIG_X)", "defined CONFIG_X", "IS_ENABLED(CONFIG_X)"; NULL: none. */
static const char *option_in(const char *at, const char *end, size_t *ret_length)
{
	static const char *const words[] = { "defined", "IS_ENABLED", "IS_BUILTIN", "IS_MODULE", "IS_REACHABLE" };
	size_t length = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t word = strlen(words[i]);

		if ((size_t)(end - at) <= word || strncmp(at, words[i], word))
			continue;
		if (isalnum((unsigned char)at[word]) || at[word] == '_')
			continue;
		at += word;
		trim(&at, &end);
		while (at + length < end && (isalnum((unsigned char)at[length]) || at[length] == '_'))
			length++;
		/* Nothing may follow: a comparison such as "defined CONFIG_X == 0" is not understood. */
		if (length <= 7 || strncmp(at, "CONFIG_", 7) || at + length != end)
			return NULL;
		*ret_length = length;
		return at;
	}
	return NULL;
}

/* Takes the operand at *@at, and moves *@at behind it. Returns false if there is none. */
static bool next_operand(const char **at, const char *end, const char **ret_start, const char **ret_end)
{
	const char *stop;

	if (*at >= end)
		return false;
	stop = operand_end(*at, end);
	*ret_start = *at;
	*ret_end = stop;
	trim(ret_start, ret_end);
	*at = stop < end ? stop + 2 : end;
	return true;
}

/* CONFIG_X_MODULE is defined if CONFIG_X is m, so both names mean one option. */
static size_t without_module(const char *name, size_t length)
{
	return length > 14 && !strncmp(name + length - 7, "_MODULE", 7) ? length - 7 : length;
}

static void add_need(struct needs *n, const char *name, size_t length)
{
	if (n->count == MOST_OPTIONS)
		return;
	n->names[n->count] = name;
	n->lengths[n->count++] = without_module(name, length);
}

/* "defined(CONFIG_X) || defined(CONFIG_X_MODULE)" needs CONFIG_X. Any other disjunction needs none of its options. */
static void add_disjunction(struct needs *n, const char *at, const char *end)
{
	const char *first = NULL, *a, *b;
	size_t first_length = 0, length;

	while (next_operand(&at, end, &a, &b)) {
		const char *name = option_in(a, b, &length);

		if (!name)
			return;
		length = without_module(name, length);
		if (first && (length != first_length || strncmp(name, first, length)))
			return;
		first = name;
		first_length = length;
	}
	if (first)
		add_need(n, first, first_length);
}

static void add_conjunction(struct needs *n, const char *at, const char *end)
{
	const char *a, *b;
	size_t length;

	trim(&at, &end);
	if (has_outside(at, end, "||")) {
		add_disjunction(n, at, end);
		return;
	}
	while (next_operand(&at, end, &a, &b)) {
		const char *name = option_in(a, b, &length);

		if (name)
			add_need(n, name, length);
		else if (has_outside(a, b, "||") || has_outside(a, b, "&&"))
			add_conjunction(n, a, b);
	}
}

/* @text: the expression of #if and #elif. */
static void read_expression(struct needs *n, const char *text)
{
	const char *at = text, *end = text + strlen(text), *a, *b;
	size_t length;

	*n = (struct needs){};
	trim(&at, &end);
	if (at < end && *at == '!') {
		const char *name;

		a = at + 1;
		b = end;
		trim(&a, &b);
		name = option_in(a, b, &length);
		if (name) {
			add_need(n, name, length);
			n->single = n->negated = true;
			return;
		}
	}
	n->single = option_in(at, end, &length);
	add_conjunction(n, at, end);
}

/* @text: the macro that #if(n)def tests. */
static void read_name(struct needs *n, const char *text, bool negated)
{
	size_t length = 0;

	*n = (struct needs){ .single = true, .negated = negated };
	text = skip(text, text + strlen(text));
	while (isalnum((unsigned char)text[length]) || text[length] == '_')
		length++;
	if (length > 7 && !strncmp(text, "CONFIG_", 7))
		add_need(n, text, length);
}

/* ---- files */

/* An #if block that is still open. */
struct block {
	const struct condition *outer, *now;
	/* Later branches need these options: an earlier branch was for a negated option. */
	struct needs otherwise;
};

struct reader {
	struct conditions *c;
	const char *path;
	struct block blocks[DEEPEST];
	size_t depth;		/* may be more than DEEPEST */
	const struct condition *base;	/* the condition of the whole file */
	bool in_comment;
};

static const struct condition *current(const struct reader *r)
{
	if (!r->depth)
		return r->base;
	return r->blocks[(r->depth < DEEPEST ? r->depth : DEEPEST) - 1].now;
}

static const char *copy(struct conditions *c, const char *text, size_t length)
{
	return obstack_copy0(&c->store, text, length);
}

/* @a, @b: may have no options. */
static const struct condition *make_condition(struct conditions *c, const struct condition *outer,
					      const struct needs *a, const struct needs *b)
{
	size_t count = (a->negated ? 0 : a->count) + b->count, n = 0;
	struct condition *made;
	const char **options;

	if (!count)
		return outer;
	options = obstack_alloc(&c->store, count * sizeof(*options));
	made = obstack_alloc(&c->store, sizeof(*made));
	*made = (struct condition){ options, count, outer };
	for (size_t i = 0; !a->negated && i < a->count; i++)
		options[n++] = copy(c, a->names[i], a->lengths[i]);
	for (size_t i = 0; i < b->count; i++)
		options[n++] = copy(c, b->names[i], b->lengths[i]);
	return made;
}

/* Later branches need the option that @n negates. The name is copied, because @n may point into the line. */
static void remember(struct reader *r, struct block *b, const struct needs *n)
{
	if (n->single && n->negated && n->count)
		add_need(&b->otherwise, copy(r->c, n->names[0], n->lengths[0]), n->lengths[0]);
}

static void begin_block(struct reader *r, const struct needs *n)
{
	static const struct needs none;

	if (r->depth < DEEPEST) {
		struct block *b = &r->blocks[r->depth];

		*b = (struct block){ .outer = current(r) };
		b->now = make_condition(r->c, b->outer, n, &none);
		remember(r, b, n);
	}
	r->depth++;
}

/* @n: NULL for #else */
static void next_branch(struct reader *r, const struct needs *n)
{
	static const struct needs none;
	struct block *b;

	if (!r->depth || r->depth > DEEPEST)
		return;
	b = &r->blocks[r->depth - 1];
	b->now = make_condition(r->c, b->outer, n ? n : &none, &b->otherwise);
	if (n)
		remember(r, b, n);
}

static const struct file *get_file(struct conditions *c, const char *path);

/* Reads an included file. If it is included twice, or also compiled, its needs are unknown. */
static void include(struct reader *r, const char *text)
{
	const char *end, *slash = strrchr(r->path, '/');
	struct condition *base;
	struct lh_entry *entry;
	char path[1024];

	text = skip(text, text + strlen(text));
	end = *text == '"' ? strchr(text + 1, '"') : NULL;
	if (!end || end - text < 4 || strncmp(end - 2, ".c", 2))
		return;
	snprintf(path, sizeof(path), "%.*s/%.*s", slash ? (int)(slash - r->path) : 0, r->path, (int)(end - text - 1),
		 text + 1);
	path__simplify(path);
	/* A file may include itself; this adds no needs. */
	if (!strcmp(path, r->path))
		return;
	entry = lh_table_lookup_entry(r->c->included, path);
	if (entry) {
		base = lh_entry_v(entry);
		base->outer = NULL;
		return;
	}
	base = obstack_alloc(&r->c->store, sizeof(*base));
	*base = (struct condition){ .outer = lh_table_lookup_entry(r->c->compiled, path) ? NULL : current(r) };
	index__add(r->c->included, copy(r->c, path, strlen(path)), base);
	get_file(r->c, path);
}

/* Replaces comments by blanks. Text in quotes is passed over. */
static void remove_comments(struct reader *r, char *line)
{
	char quote = 0;

	for (char *at = line; *at; at++) {
		if (r->in_comment) {
			if (!strncmp(at, "*/", 2)) {
				r->in_comment = false;
				*at++ = ' ';
			}
			*at = ' ';
		} else if (quote) {
			if (*at == '\\' && at[1])
				at++;
			else if (*at == quote)
				quote = 0;
		} else if (*at == '"' || *at == '\'') {
			quote = *at;
		} else if (!strncmp(at, "//", 2)) {
			*at = '\0';
			return;
		} else if (!strncmp(at, "/*", 2)) {
			r->in_comment = true;
			*at++ = ' ';
			*at = ' ';
		}
	}
}

static bool is(const char **at, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*at, word, length) || isalnum((unsigned char)(*at)[length]) || (*at)[length] == '_')
		return false;
	*at += length;
	return true;
}

static void directive(struct reader *r, const char *at)
{
	struct needs n;

	if (is(&at, "ifdef")) {
		read_name(&n, at, false);
		begin_block(r, &n);
	} else if (is(&at, "ifndef")) {
		read_name(&n, at, true);
		begin_block(r, &n);
	} else if (is(&at, "if")) {
		read_expression(&n, at);
		begin_block(r, &n);
	} else if (is(&at, "elif")) {
		read_expression(&n, at);
		next_branch(r, &n);
	} else if (is(&at, "else")) {
		next_branch(r, NULL);
	} else if (is(&at, "endif")) {
		r->depth -= r->depth > 0;
	} else if (is(&at, "include")) {
		include(r, at);
	}
}

/* Reads a line and its continuation lines. @ret_lines: their number */
static bool read_logical(FILE *f, char **text, size_t *room, size_t *ret_lines)
{
	static char *line;
	static size_t size;
	size_t length = 0;
	ssize_t got;

	*ret_lines = 0;
	while ((got = getline(&line, &size, f)) > 0) {
		if (length + got + 1 > *room) {
			*room = 2 * (length + got + 1);
			*text = xreallocarray(*text, *room, 1);
		}
		while (got && (line[got - 1] == '\n' || line[got - 1] == '\r'))
			got--;
		memcpy(*text + length, line, got);
		length += got;
		(*text)[length] = '\0';
		(*ret_lines)++;
		if (!got || line[got - 1] != '\\')
			break;
		(*text)[--length] = '\0';
	}
	return *ret_lines;
}

static const struct file *read_file(struct conditions *c, const char *path, const struct condition *base)
{
	autofree struct reader *r = xcalloc(1, sizeof(*r));
	autofree char *full = path__join(c->source, path), *text = NULL;
	size_t room = 0, lines;
	struct file *file;
	const struct condition **list = NULL;
	FILE *f;

	file = obstack_alloc(&c->store, sizeof(*file));
	*file = (struct file){};
	path = copy(c, path, strlen(path));
	index__add(c->files, path, file);
	*r = (struct reader){ .c = c, .path = path, .base = base };
	f = fopen(full, "re");
	while (f && read_logical(f, &text, &room, &lines)) {
		const char *at;
		bool was = r->in_comment;

		for (; lines; lines--)
			*LIST_ADD(list, file->count) = current(r);
		remove_comments(r, text);
		at = skip(text, text + strlen(text));
		if (!was && *at == '#')
			directive(r, skip(at + 1, at + strlen(at)));
	}
	if (f)
		fclose(f);
	if (file->count)
		file->lines = obstack_copy(&c->store, list, file->count * sizeof(*list));
	free(list);
	return file;
}

static const struct file *get_file(struct conditions *c, const char *path)
{
	struct lh_entry *entry = lh_table_lookup_entry(c->files, path), *included;

	if (entry)
		return lh_entry_v(entry);
	included = lh_table_lookup_entry(c->included, path);
	return read_file(c, path, included ? lh_entry_v(included) : NULL);
}

void conditions__compiled(struct conditions *c, const char *unit)
{
	if (!lh_table_lookup_entry(c->compiled, unit))
		index__add(c->compiled, copy(c, unit, strlen(unit)), NULL);
}

const struct condition *conditions__at(struct conditions *c, const char *unit, const char *file, unsigned int line)
{
	const struct file *f;

	/* The unit first: its #if blocks tell what the files that it includes need. */
	get_file(c, unit);
	f = get_file(c, file);
	return line && line <= f->count ? f->lines[line - 1] : NULL;
}
