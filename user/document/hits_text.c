// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads hits from the text of a document; see hits_text.h. Each function here returns false at the first
 * character that it does not expect. The NUL after the text is such a character, so nothing reads beyond it.
 */
#include "base/json.h"
#include "base/memory.h"
#include "document/hits_text.h"

/* Five times as many as the largest kernel has. Each takes 130 bytes, and "{}," in the text only three. */
#define MOST_HITS (512 * 1024)
/* In bytes of text: json-c takes at most 300 times as much memory for it. */
#define LONGEST_HIT (64 * 1024)

/* Returns false if the document has more hits than a kernel can have. */
static bool add_hit(struct hits_text *t, const struct hit *hit, bool has_time)
{
	t->lacks_time |= !has_time;
	t->too_many = t->hits.count >= MOST_HITS;
	if (!t->too_many)
		hits__add(&t->hits, hit);
	return !t->too_many;
}

/* ---- hits that json-c has read */

static const char *text_of(struct json_object *object, const char *name)
{
	return json__text(json__field(object, name));
}

static uint64_t integer(struct json_object *object, const char *name)
{
	return json_object_get_uint64(json__field(object, name));
}

/* An address as the writer writes it, "0xffff..."; 0 for null. */
static uint64_t address(struct json_object *object, const char *name)
{
	const char *value = text_of(object, name);
	uint64_t addr = 0;

	return value && sscanf(value, "%" SCNx64, &addr) == 1 ? addr : 0;
}

static const char *shared(struct hits *hits, const char *text)
{
	return text ? strings__intern(hits->names, text) : NULL;
}

static bool take_hit(struct hits_text *t, struct json_object *object, enum hit_kind kind)
{
	struct json_object *other = json__field(object, kind == HIT_FUNCTION ? "caller" : "entered");
	struct hit hit = {
		.link = address(object, "addr"),
		.name = hits__name(&t->hits, text_of(object, "name")),
		.module = shared(&t->hits, text_of(object, "module")),
		.offset = integer(object, "offset"),
		.sympos = integer(object, "sympos"),
		.into = integer(object, "symbol_offset"),
		.kind = kind,
		.first_ns = integer(object, "first_ns"),
		.cpu = integer(object, "cpu"),
		.pid = integer(object, "pid"),
		.tgid = integer(object, "tgid"),
		.comm = shared(&t->hits, text_of(object, "comm")),
		.runs = integer(object, "runs"),
		.other = {
			.link = address(other, "addr"),
			.name = hits__name(&t->hits, text_of(other, "name")),
			.module = shared(&t->hits, text_of(other, "module")),
			.offset = integer(other, "offset"),
			.into = integer(other, "symbol_offset"),
		},
	};

	return add_hit(t, &hit, json_object_is_type(json__field(object, "first_ns"), json_type_int));
}

static void take_list(struct hits_text *t, struct json_object *list, enum hit_kind kind)
{
	size_t count = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < count && take_hit(t, json_object_array_get_idx(list, i), kind); i++)
		;
}

void hits_text__of_json(struct hits_text *ret, struct json_object *root)
{
	hits_text__free(ret);
	hits__init(&ret->hits);
	take_list(ret, json__field(root, "functions"), HIT_FUNCTION);
	take_list(ret, json__field(root, "callers"), HIT_CALLER);
}

/* ---- hits in the text */

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
	return add_hit(r->to, &hit, has_time);
}

/* Goes to the end of a string, which may have escapes. Whoever reads the value checks them. */
static bool skip_string(struct reader *r)
{
	for (r->at++; *r->at && *r->at != '"'; r->at++)
		r->at += *r->at == '\\' && r->at[1];
	return take(r, '"');
}

/* Goes to the end of a value: to the comma, the brace or the bracket after it. */
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
		if (!depth && (c == ',' || c == '}' || c == ']'))
			return true;
		if (!c)
			return false;
		depth += (c == '{' || c == '[') - (c == '}' || c == ']');
		r->at++;
	}
}

/* json-c takes ten times the memory, so it only gets this hit. @start: where it begins */
static bool read_odd_hit(struct reader *r, char *start, enum hit_kind kind)
{
	struct json_object *object;
	bool is_read;

	r->at = start;
	if (r->to->too_many || !skip_value(r) || r->at - start > LONGEST_HIT)
		return false;
	object = json__parse(start, r->at - start);
	is_read = object && take_hit(r->to, object, kind);
	json_object_put(object);
	return is_read;
}

static bool read_list(struct reader *r, enum hit_kind kind)
{
	if (!take(r, '['))
		return false;
	if (take(r, ']'))
		return true;
	do {
		char *start = r->at;

		if (!read_hit(r, kind) && !read_odd_hit(r, start, kind))
			return false;
	} while (take(r, ','));
	return take(r, ']');
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
		enum hit_kind kind = is(&name, "functions") ? HIT_FUNCTION : HIT_CALLER;

		if (kind == HIT_CALLER && !is(&name, "callers")) {
			ok = skip_value(&r);
			continue;
		}
		/* If a list is there twice, the last one counts, as json-c knows. */
		ok = !(found & kind);
		found |= kind;
		add_rest(ret, copied, r.at - copied);
		ok = ok && read_list(&r, kind);
		if (!ok)
			break;
		/* A list has two characters at least, so there is room. */
		copied = r.at;
		add_rest(ret, "[]", 2);
	}
	ret->cut_off = !ok && r.at >= text + length;
	if (!ok)
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
