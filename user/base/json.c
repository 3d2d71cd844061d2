// SPDX-License-Identifier: GPL-2.0-only
/* See json.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* The integers up to here are all doubles as well. */
#define EXACT (1LL << 53)

static const unsigned char replacement[] = { 0xef, 0xbf, 0xbd };

/* How many bytes of it are one character; 0: it is none. */
static size_t character(const unsigned char *s, size_t length)
{
	static const struct {
		unsigned char mask, lead, count;
		uint32_t least;
	} forms[] = {
		{ 0x80, 0x00, 1, 0 }, { 0xe0, 0xc0, 2, 0x80 }, { 0xf0, 0xe0, 3, 0x800 },
		{ 0xf8, 0xf0, 4, 0x10000 },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		uint32_t code = s[0] & (unsigned char)~forms[i].mask;

		if ((s[0] & forms[i].mask) != forms[i].lead)
			continue;
		if (forms[i].count > length)
			return 0;
		for (size_t n = 1; n < forms[i].count; n++) {
			if ((s[n] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | (s[n] & 0x3f);
		}
		if (code < forms[i].least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
			return 0;
		return forms[i].count;
	}
	return 0;
}

struct json_object *json_text(const char *text, size_t length)
{
	const unsigned char *s = (const unsigned char *)text;
	struct json_object *object;
	char *clean;
	size_t used = 0;

	clean = malloc(sizeof(replacement) * length + 1);
	if (!clean)
		return NULL;
	for (size_t i = 0; i < length; ) {
		size_t bytes = character(s + i, length - i);

		memcpy(clean + used, bytes ? s + i : replacement,
		       bytes ? bytes : sizeof(replacement));
		used += bytes ? bytes : sizeof(replacement);
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

const char *json_line(struct json_object *object)
{
	return json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
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

void json__string(json_writer_t *w, const char *value)
{
	struct json_object *text = json_text(value, strlen(value));

	jsonw_printf(w, "%s", json_line(text));
	json_object_put(text);
}

void json__string_or_null(json_writer_t *w, const char *name, const char *value)
{
	jsonw_name(w, name);
	if (value)
		json__string(w, value);
	else
		jsonw_null(w);
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

void json__counters(json_writer_t *w, const char *name, const struct counters *counters)
{
	jsonw_name(w, name);
	jsonw_start_object(w);
	for (size_t i = 0; i < counters->count; i++)
		jsonw_lluint_field(w, counters->list[i].name, counters->list[i].value);
	jsonw_end_object(w);
}
