// SPDX-License-Identifier: GPL-2.0-only
/* Fields of documents, each described once and both written and read; see json.h. */
#include <math.h>

#include "base/json.h"
#include "base/memory.h"

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

/* Nine years in ns. The sum of a few such times is no overflow. */
#define MOST_TIME (INT64_MAX / 32)

static void write_time(json_writer_t *w, const struct json_field *field, const void *member)
{
	if (*(const int64_t *)member != TIME_UNKNOWN)
		jsonw_int(w, *(const int64_t *)member);
	else
		jsonw_null(w);
}

static int read_time(struct json_object *value, const struct json_field *field, void *member, void *whole)
{
	int64_t time = value ? json_object_get_int64(value) : TIME_UNKNOWN;

	*(int64_t *)member = time;
	return value && (time < -MOST_TIME || time > MOST_TIME) ? -EINVAL : 0;
}

const struct json_kind field_time = { write_time, read_time, json_type_int, true };
const struct json_kind field_int = { write_time, read_time, json_type_int };

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
	/* 1e999 is read as infinite, which json cannot have. */
	return is_number && *(double *)member >= 0 && isfinite(*(double *)member) ? 0 : -EINVAL;
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

static void write_texts(json_writer_t *w, const struct json_field *field, const void *member)
{
	char *const *list = *(char *const *const *)member;

	if (!list) {
		jsonw_null(w);
		return;
	}
	jsonw_start_array(w);
	for (; *list; list++)
		jsonw_string(w, *list);
	jsonw_end_array(w);
}

static int read_texts(struct json_object *array, const struct json_field *field, void *member,
		      void *whole)
{
	size_t count;
	char **list;

	if (!array)
		return 0;
	count = json_object_array_length(array);
	list = xcalloc(count + 1, sizeof(*list));
	*(char ***)member = list;
	for (size_t i = 0; i < count; i++) {
		list[i] = xstrdup(json__text(json_object_array_get_idx(array, i)));
		if (!list[i])
			return -EINVAL;
	}
	return 0;
}

const struct json_kind field_texts = { write_texts, read_texts, json_type_array, true };

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

static void write_list(json_writer_t *w, const struct json_field *field, const void *member)
{
	const struct json_list *list = field->detail;
	const char *item = *(const char *const *)member;

	if (!item) {
		jsonw_null(w);
		return;
	}
	jsonw_start_lines(w);
	for (size_t i = 0; i < *(const size_t *)((const char *)member + list->count); i++, item += list->size) {
		jsonw_start_object(w);
		json__write_fields(w, list->fields, item);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static int read_list(struct json_object *array, const struct json_field *field, void *member, void *whole)
{
	const struct json_list *list = field->detail;
	size_t length = array ? json_object_array_length(array) : 0;
	size_t *count = (size_t *)((char *)member + list->count);
	char *items = array ? xcalloc(length, list->size) : NULL;
	int err = 0;

	*(char **)member = items;
	/* Counted first: the caller frees the element that could not be read, too. */
	for (*count = 0; !err && *count < length;) {
		size_t i = (*count)++;

		if (list->blank)
			memcpy(items + i * list->size, list->blank, list->size);
		err = json__read_fields(json_object_array_get_idx(array, i), list->fields, items + i * list->size,
					whole);
	}
	return err;
}

const struct json_kind field_list = { write_list, read_list, json_type_array, true };

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

struct json_object *json__parse(const char *text, size_t length)
{
	struct json_tokener *tokener = json_tokener_new() ?: (memory__fail(), NULL);
	struct json_object *value = json_tokener_parse_ex(tokener, text, length);
	size_t end = json_tokener_get_parse_end(tokener);

	json_tokener_free(tokener);
	while (end < length && strchr(" \n\r\t", text[end]))
		end++;
	if (end == length)
		return value;
	json_object_put(value);
	return NULL;
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
