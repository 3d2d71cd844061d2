// SPDX-License-Identifier: GPL-2.0-only
/* See json_writer.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/memory.h"

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

void jsonw_destroy(json_writer_t **w)
{
	fputc('\n', (*w)->out);
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

static void write_text(json_writer_t *w, const char *value)
{
	struct json_object *text = json_text(value, strlen(value));

	json_print(w->out, text);
	json_object_put(text);
}

/* A quick check: nearly all names are names of fields, and there may be a million of them. */
static bool is_plain(const char *name)
{
	while (*name == '_' || (*name >= 'a' && *name <= 'z'))
		name++;
	return !*name;
}

void jsonw_name(json_writer_t *w, const char *name)
{
	next(w);
	if (!in_line(w))
		new_line(w);
	if (is_plain(name))
		fprintf(w->out, "\"%s\"", name);
	else
		write_text(w, name);
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
	next(w);
	write_text(w, value);
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
