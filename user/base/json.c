// SPDX-License-Identifier: GPL-2.0-only
/* See json.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/version.h"

/* ---- the writer */

/* A double can hold each integer up to this one exactly. */
#define EXACT (1ull << 53)

struct json_writer {
	FILE *out;
	bool pretty;
	bool named;		/* the name of a field was written, so its value is next */
	bool empty;		/* the object or array has no elements yet */
	unsigned int depth;	/* number of open objects and arrays */
	unsigned int lines;	/* the depth inside of jsonw_start_lines(); 0: not in such an array */
};

json_writer_t *jsonw_new(FILE *out, bool pretty)
{
	json_writer_t *w = xmalloc(sizeof(*w));

	*w = (struct json_writer){ .out = out, .pretty = pretty, .empty = true };
	return w;
}

void jsonw_end_line(json_writer_t *w)
{
	fputc('\n', w->out);
	w->empty = true;
}

void jsonw_destroy(json_writer_t **w)
{
	jsonw_end_line(*w);
	fflush((*w)->out);
	free(*w);
	*w = NULL;
}

/* Does the next element go into the current line? */
static bool in_line(const json_writer_t *w)
{
	return !w->pretty || (w->lines && w->depth > w->lines);
}

static void new_line(json_writer_t *w)
{
	fputc('\n', w->out);
	for (unsigned int i = 0; i < w->depth; i++)
		fputs("    ", w->out);
}

/* Separates a name, or a value without a name, from the element before it. */
static void next(json_writer_t *w)
{
	if (w->named) {
		w->named = false;
		return;
	}
	if (w->lines && w->depth == w->lines)
		fputc('\n', w->out);
	if (!w->empty)
		fputc(',', w->out);
	w->empty = false;
}

static void start(json_writer_t *w, char bracket)
{
	next(w);
	fputc(bracket, w->out);
	w->depth++;
	w->empty = true;
}

static void end(json_writer_t *w, char bracket)
{
	bool own_line = !w->empty && !in_line(w);

	if (w->depth == w->lines)
		w->lines = 0;
	w->depth--;
	if (own_line)
		new_line(w);
	fputc(bracket, w->out);
	w->empty = false;
}

void jsonw_start_object(json_writer_t *w)
{
	start(w, '{');
}

void jsonw_end_object(json_writer_t *w)
{
	end(w, '}');
}

void jsonw_start_array(json_writer_t *w)
{
	start(w, '[');
}

void jsonw_start_lines(json_writer_t *w)
{
	start(w, '[');
	w->lines = w->depth;
}

void jsonw_end_array(json_writer_t *w)
{
	end(w, ']');
}

/*
 * Writes the character at the beginning of @text, which needs an escape or is not ASCII. Returns its number of
 * bytes.
 */
static size_t write_character(FILE *out, const char *text, size_t length)
{
	static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	uint32_t code = 0;
	size_t bytes = utf8__character(text, length, &code);
	const char *found = bytes == 1 && code ? strchr(escaped, code) : NULL;

	if (!bytes)
		fputs(UTF8_REPLACEMENT, out);
	else if (found)
		fprintf(out, "\\%c", letters[found - escaped]);
	else if (utf8__is_seen(code))
		fwrite(text, 1, bytes, out);
	else
		fprintf(out, "\\u%04x", code);
	return bytes ?: 1;
}

static size_t plain_length(const char *text, size_t length)
{
	size_t plain = 0;

	while (plain < length && text[plain] >= ' ' && text[plain] < 0x7f && text[plain] != '"' && text[plain] != '\\')
		plain++;
	return plain;
}

/* Each byte that is not UTF-8 becomes U+FFFD, and characters that a terminal obeys are escaped. */
static void write_text(FILE *out, const char *text, size_t length)
{
	fputc('"', out);
	while (length) {
		size_t bytes = plain_length(text, length);

		if (bytes)
			fwrite(text, 1, bytes, out);
		else
			bytes = write_character(out, text, length);
		text += bytes;
		length -= bytes;
	}
	fputc('"', out);
}

void jsonw_name(json_writer_t *w, const char *name)
{
	next(w);
	if (!in_line(w))
		new_line(w);
	write_text(w->out, name, strlen(name));
	fputs(w->pretty && !in_line(w) ? ": " : ":", w->out);
	w->named = true;
}

void jsonw_printf(json_writer_t *w, const char *format, ...)
{
	va_list args;

	next(w);
	va_start(args, format);
	vfprintf(w->out, format, args);
	va_end(args);
}

void jsonw_string(json_writer_t *w, const char *value)
{
	jsonw_text(w, value, strlen(value));
}

void jsonw_text(json_writer_t *w, const char *text, size_t length)
{
	next(w);
	write_text(w->out, text, length);
}

void jsonw_bool(json_writer_t *w, bool value)
{
	jsonw_printf(w, value ? "true" : "false");
}

void jsonw_null(json_writer_t *w)
{
	jsonw_printf(w, "null");
}

void jsonw_int(json_writer_t *w, int64_t value)
{
	jsonw_printf(w, "%" PRId64, value);
}

void jsonw_lluint(json_writer_t *w, uint64_t value)
{
	jsonw_printf(w, "%" PRIu64, value);
}

void jsonw_exact(json_writer_t *w, uint64_t value, bool is_signed)
{
	bool negative = is_signed && (int64_t)value < 0;
	uint64_t magnitude = negative ? -value : value;

	jsonw_printf(w, magnitude > EXACT ? "\"%s0x%" PRIx64 "\"" : "%s%" PRIu64, negative ? "-" : "", magnitude);
}

/* ---- fields */

void jsonw_string_field(json_writer_t *w, const char *name, const char *value)
{
	jsonw_name(w, name);
	jsonw_string(w, value);
}

void jsonw_bool_field(json_writer_t *w, const char *name, bool value)
{
	jsonw_name(w, name);
	jsonw_bool(w, value);
}

void jsonw_null_field(json_writer_t *w, const char *name)
{
	jsonw_name(w, name);
	jsonw_null(w);
}

void jsonw_lluint_field(json_writer_t *w, const char *name, uint64_t value)
{
	jsonw_name(w, name);
	jsonw_lluint(w, value);
}

/* ---- documents */

json_writer_t *json__begin(FILE *out, const char *document, int schema)
{
	json_writer_t *w = jsonw_new(out, true);

	jsonw_start_object(w);
	jsonw_string_field(w, "hytrace", HYTRACE_VERSION);
	jsonw_string_field(w, "document", document);
	jsonw_lluint_field(w, "schema", schema);
	return w;
}

void json__end(json_writer_t **w)
{
	jsonw_end_object(*w);
	jsonw_destroy(w);
}

void json__object(json_writer_t *w, const char *name)
{
	jsonw_name(w, name);
	jsonw_start_object(w);
}

void json__lines(json_writer_t *w, const char *name)
{
	jsonw_name(w, name);
	jsonw_start_lines(w);
}

void json__array(json_writer_t *w, const char *name)
{
	jsonw_name(w, name);
	jsonw_start_array(w);
}

void json__strings(json_writer_t *w, const char *name, const char *const *list, size_t count)
{
	json__array(w, name);
	for (size_t i = 0; i < count; i++)
		jsonw_string(w, list[i]);
	jsonw_end_array(w);
}

void json__bits(json_writer_t *w, const char *name, uint64_t bits, size_t count)
{
	json__array(w, name);
	for (size_t i = 0; i < count; i++)
		jsonw_bool(w, bits >> i & 1);
	jsonw_end_array(w);
}

/* Begins a field. Returns whether its value has to be written; otherwise it is null. */
static bool begin_known(json_writer_t *w, const char *name, bool known)
{
	jsonw_name(w, name);
	if (!known)
		jsonw_null(w);
	return known;
}

void json__string_or_null(json_writer_t *w, const char *name, const char *value)
{
	if (begin_known(w, name, value))
		jsonw_string(w, value);
}

void json__address_or_null(json_writer_t *w, const char *name, bool known, uint64_t value)
{
	if (begin_known(w, name, known))
		jsonw_printf(w, "\"0x%" PRIx64 "\"", value);
}

void json__number_or_null(json_writer_t *w, const char *name, bool known, uint64_t value)
{
	if (begin_known(w, name, known))
		jsonw_lluint(w, value);
}

void json__int_or_null(json_writer_t *w, const char *name, bool known, int64_t value)
{
	if (begin_known(w, name, known))
		jsonw_int(w, value);
}

void json__counter_values(json_writer_t *w, const struct counters *counters)
{
	jsonw_start_object(w);
	for (size_t i = 0; i < counters->count; i++)
		jsonw_lluint_field(w, counters->list[i].name, counters->list[i].value);
	jsonw_end_object(w);
}

void json__counters(json_writer_t *w, const char *name, const struct counters *counters)
{
	jsonw_name(w, name);
	json__counter_values(w, counters);
}

/* ---- fields */

static void write_bool(json_writer_t *w, const struct json_field *field, const void *member)
{
	jsonw_bool(w, *(const bool *)member);
}

static int read_bool(struct json_object *value, const struct json_field *field, void *member, void *whole)
{
	*(bool *)member = json_object_get_boolean(value);
	return 0;
}

const struct json_kind field_bool = { write_bool, read_bool, json_type_boolean };

static void string_or_null(json_writer_t *w, const char *value)
{
	if (value)
		jsonw_string(w, value);
	else
		jsonw_null(w);
}

static void write_flag(json_writer_t *w, const struct json_field *field, const void *member)
{
	string_or_null(w, *(const bool *)member ? field->detail : NULL);
}

static int read_flag(struct json_object *value, const struct json_field *field, void *member, void *whole)
{
	*(bool *)member = value;
	return value && strcmp(json__text(value), field->detail) ? -EINVAL : 0;
}

const struct json_kind field_flag = { write_flag, read_flag, json_type_string, true };

static void write_number(json_writer_t *w, const struct json_field *field, const void *member)
{
	jsonw_lluint(w, *(const uint64_t *)member);
}

static void write_some_number(json_writer_t *w, const struct json_field *field, const void *member)
{
	if (*(const uint64_t *)member)
		write_number(w, field, member);
	else
		jsonw_null(w);
}

static int read_number(struct json_object *value, const struct json_field *field, void *member,
		       void *whole)
{
	*(uint64_t *)member = json_object_get_uint64(value);
	return json_object_get_int64(value) < 0 ? -EINVAL : 0;
}

const struct json_kind field_number = { write_number, read_number, json_type_int };
const struct json_kind field_some_number = { write_some_number, read_number, json_type_int, true };

static void write_seconds(json_writer_t *w, const struct json_field *field, const void *member)
{
	jsonw_printf(w, "%.3f", *(const double *)member);
}

static void write_some_seconds(json_writer_t *w, const struct json_field *field, const void *member)
{
	if (*(const double *)member)
		write_seconds(w, field, member);
	else
		jsonw_null(w);
}

static int read_seconds(struct json_object *value, const struct json_field *field, void *member,
			void *whole)
{
	bool is_number = json_object_is_type(value, json_type_double) || json_object_is_type(value, json_type_int);

	*(double *)member = json_object_get_double(value);
	if (!value && field->kind == &field_some_seconds)
		return 0;
	return is_number && *(double *)member >= 0 ? 0 : -EINVAL;
}

const struct json_kind field_seconds = { write_seconds, read_seconds };
const struct json_kind field_some_seconds = { write_some_seconds, read_seconds };

static void write_string(json_writer_t *w, const struct json_field *field, const void *member)
{
	string_or_null(w, *(char *const *)member);
}

static int read_string(struct json_object *value, const struct json_field *field, void *member,
		       void *whole)
{
	*(char **)member = xstrdup(json__text(value));
	return 0;
}

const struct json_kind field_string = { write_string, read_string, json_type_string, true };

static void write_word(json_writer_t *w, const struct json_field *field, const void *member)
{
	const char *const *words = field->detail, *word = words[*(const unsigned int *)member];

	string_or_null(w, *word ? word : NULL);
}

static int read_word(struct json_object *value, const struct json_field *field, void *member, void *whole)
{
	const char *const *words = field->detail, *text = json__text(value) ?: "";
	unsigned int *word = member;

	for (*word = 0; words[*word]; ++*word) {
		if (!strcmp(text, words[*word]))
			return 0;
	}
	*word = 0;
	return -EINVAL;
}

const struct json_kind field_word = { write_word, read_word, json_type_string, true };

static void write_object(json_writer_t *w, const struct json_field *field, const void *member)
{
	jsonw_start_object(w);
	json__write_fields(w, field->detail, member);
	jsonw_end_object(w);
}

static int read_object(struct json_object *value, const struct json_field *field, void *member,
		       void *whole)
{
	return json__read_fields(value, field->detail, member, whole);
}

const struct json_kind field_object = { write_object, read_object, json_type_object };

void json__write_fields(json_writer_t *w, const struct json_field *fields, const void *base)
{
	for (; fields->name; fields++) {
		jsonw_name(w, fields->name);
		fields->kind->write(w, fields, (const char *)base + fields->offset);
	}
}

int json__read_fields(struct json_object *object, const struct json_field *fields, void *base,
		      void *whole)
{
	int err = 0;

	for (; !err && fields->name; fields++) {
		const struct json_kind *kind = fields->kind;
		struct json_object *value = json__field(object, fields->name);

		if (kind->type && !(value ? json_object_is_type(value, kind->type) : kind->or_null))
			err = -EINVAL;
		else if (kind->read)
			err = kind->read(value, fields, (char *)base + fields->offset, whole);
	}
	return err;
}

struct json_object *json__field(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	if (json_object_is_type(object, json_type_object))
		json_object_object_get_ex(object, name, &value);
	return value;
}

const char *json__text(struct json_object *value)
{
	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}
