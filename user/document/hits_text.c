// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads hits from the text of a document; see hits_text.h. Each function here returns false at the first
 * character that it does not expect. The NUL after the text is such a character, so nothing reads beyond it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "document/hits_text.h"

/* Five times as many as the largest kernel has. Each takes 130 bytes, and "{}," in the text only three. */
#define MOST_HITS (512 * 1024)

struct reader {
	struct hits_text *to;
	char *at;		/* the next character */
	const char *comm;	/* of the hit before: most hits in a row are of one task */
};

/* A string of the text. Its closing quote is replaced while it is used. */
struct string {
	char *text, *end;	/* @text: NULL: null */
};

static char next(struct reader *r)
{
	while (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t')
		r->at++;
	return *r->at;
}

static bool take(struct reader *r, char c)
{
	if (next(r) != c)
		return false;
	r->at++;
	return true;
}

static bool take_word(struct reader *r, const char *word)
{
	size_t length = strlen(word);

	if (next(r) != *word || strncmp(r->at, word, length))
		return false;
	r->at += length;
	return true;
}

static bool read_string(struct reader *r, struct string *ret)
{
	char *at;

	if (!take(r, '"'))
		return false;
	for (at = r->at; (unsigned char)*at >= ' ' && *at != '"' && *at != '\\'; at++)
		;
	*ret = (struct string){ r->at, at };
	r->at = at + 1;
	return *at == '"';
}

static bool read_text(struct reader *r, struct string *ret)
{
	*ret = (struct string){};
	return next(r) == 'n' ? take_word(r, "null") : read_string(r, ret);
}

/* At most 18 digits, so that the number fits. @ret_known: may be NULL */
static bool read_number(struct reader *r, uint64_t *ret, bool *ret_known)
{
	char c = next(r), *start = r->at;
	uint64_t number = 0;

	if (ret_known)
		*ret_known = c != 'n';
	*ret = 0;
	if (c == 'n')
		return take_word(r, "null");
	while (*r->at >= '0' && *r->at <= '9' && r->at < start + 18)
		number = number * 10 + (*r->at++ - '0');
	*ret = number;
	return r->at > start && !(*start == '0' && r->at > start + 1);
}

/* "0x", and at most 16 digits. */
static bool read_address(struct reader *r, uint64_t *ret)
{
	struct string s;
	char *at;

	*ret = 0;
	if (!read_text(r, &s))
		return false;
	if (!s.text)
		return true;
	if (s.end - s.text < 3 || s.end - s.text > 18 || s.text[0] != '0' || s.text[1] != 'x')
		return false;
	for (at = s.text + 2; at < s.end; at++) {
		unsigned int digit = *at - (*at <= '9' ? '0' : 'a' - 10);

		if (digit > 15 || (*at > '9' && *at < 'a'))
			return false;
		*ret = *ret << 4 | digit;
	}
	return true;
}

/* Returns a copy that lives as long as the hits. */
static const char *keep(struct reader *r, const struct string *s, bool shared)
{
	struct hits *hits = &r->to->hits;
	const char *copy;

	if (!s->text)
		return NULL;
	*s->end = '\0';
	copy = shared ? strings__intern(hits->names, s->text) : hits__name(hits, s->text);
	*s->end = '"';
	return copy;
}

static bool read_name(struct reader *r, const char **ret, bool shared)
{
	struct string s;

	if (!read_text(r, &s))
		return false;
	*ret = keep(r, &s, shared);
	return true;
}

static bool read_comm(struct reader *r, const char **ret)
{
	struct string s;

	if (!read_text(r, &s))
		return false;
	if (!s.text || !r->comm || strncmp(r->comm, s.text, s.end - s.text) || r->comm[s.end - s.text])
		r->comm = keep(r, &s, true);
	*ret = r->comm;
	return true;
}

static bool read_u32(struct reader *r, uint32_t *ret)
{
	uint64_t number;
	bool is_read = read_number(r, &number, NULL);

	*ret = number;
	return is_read;
}

static bool is(const struct string *s, const char *name)
{
	size_t length = strlen(name);

	return (size_t)(s->end - s->text) == length && !memcmp(s->text, name, length);
}

/* Begins an object, or goes to its next field. Returns false at its end, or if @*ret_ok becomes false. */
static bool next_field(struct reader *r, struct string *ret, bool *first, bool *ret_ok)
{
	char c = next(r);

	*ret_ok = true;
	if (c == '}' && r->at++)
		return false;
	*ret_ok = (*first || take(r, ',')) && read_string(r, ret) && take(r, ':');
	*first = false;
	return *ret_ok;
}

static bool read_other(struct reader *r, struct other *ret)
{
	bool first = true, ok = true;
	struct string name;

	*ret = (struct other){};
	if (next(r) == 'n')
		return take_word(r, "null");
	if (!take(r, '{'))
		return false;
	while (ok && next_field(r, &name, &first, &ok)) {
		if (is(&name, "addr"))
			ok = read_address(r, &ret->link);
		else if (is(&name, "name"))
			ok = read_name(r, &ret->name, false);
		else if (is(&name, "module"))
			ok = read_name(r, &ret->module, true);
		else if (is(&name, "offset"))
			ok = read_number(r, &ret->offset, NULL);
		else if (is(&name, "symbol_offset"))
			ok = read_u32(r, &ret->into);
		else
			ok = false;
	}
	return ok;
}

static bool read_field(struct reader *r, const struct string *name, struct hit *hit, bool *ret_has_time)
{
	if (is(name, "addr"))
		return read_address(r, &hit->link);
	if (is(name, "name"))
		return read_name(r, &hit->name, false);
	if (is(name, "module"))
		return read_name(r, &hit->module, true);
	if (is(name, "offset"))
		return read_number(r, &hit->offset, NULL);
	if (is(name, "sympos"))
		return read_u32(r, &hit->sympos);
	if (is(name, "symbol_offset"))
		return read_u32(r, &hit->into);
	if (is(name, "first_ns"))
		return read_number(r, &hit->first_ns, ret_has_time);
	if (is(name, "cpu"))
		return read_u32(r, &hit->cpu);
	if (is(name, "pid"))
		return read_u32(r, &hit->pid);
	if (is(name, "tgid"))
		return read_u32(r, &hit->tgid);
	if (is(name, "comm"))
		return read_comm(r, &hit->comm);
	if (is(name, "runs"))
		return read_u32(r, &hit->runs);
	return is(name, hit->kind == HIT_FUNCTION ? "caller" : "entered") && read_other(r, &hit->other);
}

static bool read_hit(struct reader *r, enum hit_kind kind)
{
	bool first = true, ok = true, has_time = false;
	struct hit hit = { .kind = kind };
	struct string name;

	if (!take(r, '{'))
		return false;
	/* If a field is there twice, the last one counts, as for json-c. */
	while (ok && next_field(r, &name, &first, &ok))
		ok = read_field(r, &name, &hit, &has_time);
	if (!ok)
		return false;
	r->to->lacks_time |= !has_time;
	r->to->too_many = r->to->hits.count >= MOST_HITS;
	if (r->to->too_many)
		return false;
	hits__add(&r->to->hits, &hit);
	return true;
}

static bool read_list(struct reader *r, enum hit_kind kind)
{
	if (!take(r, '['))
		return false;
	if (take(r, ']'))
		return true;
	do {
		if (!read_hit(r, kind))
			return false;
	} while (take(r, ','));
	return take(r, ']');
}

/* Goes to the end of a string, which may have escapes. Whoever reads the value checks them. */
static bool skip_string(struct reader *r)
{
	for (r->at++; *r->at && *r->at != '"'; r->at++)
		r->at += *r->at == '\\' && r->at[1];
	return take(r, '"');
}

/* Goes to the end of a value that is no list of hits: to the comma or the brace after it. */
static bool skip_value(struct reader *r)
{
	size_t depth = 0;

	for (;;) {
		char c = next(r);

		if (c == '"') {
			if (!skip_string(r))
				return false;
			continue;
		}
		if (!depth && (c == ',' || c == '}'))
			return true;
		if (!c)
			return false;
		depth += (c == '{' || c == '[') - (c == '}' || c == ']');
		r->at++;
	}
}

static void add_rest(struct hits_text *t, const char *from, size_t length)
{
	memcpy(t->rest + t->rest_length, from, length);
	t->rest_length += length;
}

bool hits_text__read(struct hits_text *ret, char *text, size_t length)
{
	struct reader r = { .to = ret, .at = text };
	bool first = true, ok = true;
	const char *copied = text;
	unsigned int found = 0;
	struct string name;

	*ret = (struct hits_text){ .rest = xmalloc(length + 1) };
	hits__init(&ret->hits);
	if (strlen(text) != length || !take(&r, '{'))
		return false;
	while (ok && next_field(&r, &name, &first, &ok)) {
		bool functions = is(&name, "functions");

		if (!functions && !is(&name, "callers")) {
			ok = skip_value(&r);
			continue;
		}
		/* The callers come after the functions, each list once. */
		ok = found == (functions ? 0 : 1);
		found++;
		add_rest(ret, copied, r.at - copied);
		ok = ok && read_list(&r, functions ? HIT_FUNCTION : HIT_CALLER);
		copied = r.at;
		add_rest(ret, "[]", 2);
	}
	if (!ok || found != 2)
		return false;
	add_rest(ret, copied, text + length - copied);
	return true;
}

void hits_text__free(struct hits_text *t)
{
	hits__free(&t->hits);
	free(t->rest);
	*t = (struct hits_text){};
}
