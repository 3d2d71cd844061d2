// SPDX-License-Identifier: GPL-2.0-only
/* See json.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "base/version.h"

/* A double can hold each integer up to this one exactly. */
#define EXACT (1LL << 53)

struct json_object *json_text(const char *text, size_t length)
{
	const size_t room = strlen(UTF8_REPLACEMENT);
	struct json_object *object;
	char *clean;
	size_t used = 0;

	clean = malloc(room * length + 1);
	if (!clean)
		return NULL;
	for (size_t i = 0; i < length; ) {
		size_t bytes = utf8__character(text + i, length - i, NULL);

		memcpy(clean + used, bytes ? text + i : UTF8_REPLACEMENT, bytes ? bytes : room);
		used += bytes ? bytes : room;
		i += bytes ? bytes : 1;
	}
	object = json_object_new_string_len(clean, used);
	free(clean);
	return object;
}

bool json_add(struct json_object *object, const char *name, struct json_object *value)
{
	if (!json_object_object_add(object, name, value))
		return true;
	json_object_put(value);
	return false;
}

/* json-c escapes only control characters below U+0020. U+007F is a byte; U+0080 to U+009F have two, 0xc2 first. */
void json_print(FILE *out, struct json_object *object)
{
	const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
							  JSON_C_TO_STRING_NOSLASHESCAPE);

	while (*text) {
		size_t plain = strcspn(text, "\x7f\xc2");
		const unsigned char *at = (const unsigned char *)text + plain;
		bool two = *at == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f;

		fwrite(text, 1, plain, out);
		text += plain;
		if (two || *at == 0x7f)
			fprintf(out, "\\u%04x", two ? at[1] : *at);
		else if (*at)
			fputc(*at, out);
		text += *at ? 1 + two : 0;
	}
}

struct json_object *json_address(uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	return json_object_new_string(text);
}

struct json_object *json_integer(uint64_t value, bool is_signed)
{
	int64_t number = value;
	char text[32];

	if (!is_signed)
		return value > EXACT ? json_address(value) : json_object_new_int64(number);
	if (number >= -EXACT && number <= EXACT)
		return json_object_new_int64(number);
	snprintf(text, sizeof(text), "%s0x%" PRIx64, number < 0 ? "-" : "",
		 number < 0 ? -value : value);
	return json_object_new_string(text);
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

static void string_or_null(json_writer_t *w, const char *value)
{
	if (value)
		jsonw_string(w, value);
	else
		jsonw_null(w);
}

void json__string_or_null(json_writer_t *w, const char *name, const char *value)
{
	jsonw_name(w, name);
	string_or_null(w, value);
}

void json__address_or_null(json_writer_t *w, const char *name, bool known, uint64_t value)
{
	jsonw_name(w, name);
	if (known)
		jsonw_printf(w, "\"0x%" PRIx64 "\"", value);
	else
		jsonw_null(w);
}

void json__number_or_null(json_writer_t *w, const char *name, bool known, uint64_t value)
{
	if (known)
		jsonw_lluint_field(w, name, value);
	else
		jsonw_null_field(w, name);
}

void json__int_or_null(json_writer_t *w, const char *name, bool known, int64_t value)
{
	jsonw_name(w, name);
	if (known)
		jsonw_int(w, value);
	else
		jsonw_null(w);
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

static void write_flag(json_writer_t *w, const struct json_field *field, const void *member)
{
	if (*(const bool *)member)
		jsonw_string(w, field->detail);
	else
		jsonw_null(w);
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
