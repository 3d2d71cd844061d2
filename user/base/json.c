// SPDX-License-Identifier: GPL-2.0-only
/* See json.h. */
#include <stdarg.h>

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
	/* A list in a line goes on in this line. */
	if (!in_line(w))
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

void json__bits(json_writer_t *w, const char *name, const uint64_t *bits, size_t count)
{
	json__array(w, name);
	for (size_t i = 0; i < count; i++)
		jsonw_bool(w, bits[i / 64] >> i % 64 & 1);
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
