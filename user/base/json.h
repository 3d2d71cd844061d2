/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the json documents have in common.
 *
 * There are two writers. json-c reads documents, and makes the values of a line: strings, whatever
 * bytes they have, and objects that are whole as soon as they are made. A document has up to a
 * hundred thousand of these, which as json-c's objects take 150 MB before the first is printed; so
 * bpftool's json_writer writes it from the tables as they are, one thing after the other, and keeps
 * nothing. Nor has json-c the documents' layout, an indented head and then an object on a line.
 */
#ifndef HYTRACE_BASE_JSON_H
#define HYTRACE_BASE_JSON_H

#include <json-c/json.h>
#include <json_writer.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/counters.h"

/* A string for json, which is UTF-8: a byte that is not becomes U+FFFD. */
struct json_object *json_text(const char *text, size_t length);

/* Hex digits, as no number of json can hold an address. */
struct json_object *json_address(uint64_t value);

/* A number, or hex digits beyond what a double holds exactly. */
struct json_object *json_integer(uint64_t value, bool is_signed);

/* Puts @value into @object; it is freed if that fails. False: no memory. */
bool json_add(struct json_object *object, const char *name, struct json_object *value);

/* In one line; lives as long as the object does. */
const char *json_line(struct json_object *object);

/* Any bytes: what is no UTF-8 becomes U+FFFD. jsonw_string() is for what is known to be none but text. */
void json__string(json_writer_t *w, const char *value);
void json__string_or_null(json_writer_t *w, const char *name, const char *value);
/* A string of hex digits, as a JSON number cannot hold an address. */
void json__address_or_null(json_writer_t *w, const char *name, bool known, uint64_t value);
void json__number_or_null(json_writer_t *w, const char *name, bool known, uint64_t value);
void json__counters(json_writer_t *w, const char *name, const struct counters *counters);
/* The object alone, where its name has been written. */
void json__counter_values(json_writer_t *w, const struct counters *counters);

/* ---- members of a struct as fields of an object: one table to write and to read them */

struct json_kind;

struct json_field {
	const char *name;		/* NULL after the last one */
	const struct json_kind *kind;
	size_t offset;			/* of the member */
	const void *detail;		/* what some kinds need to know */
};

struct json_kind {
	/* The value alone. */
	void (*write)(json_writer_t *w, const struct json_field *field, const void *member);
	/*
	 * @value: NULL: the document has none, or null. @whole: the outermost struct. Negative errno;
	 * -ENOMEM is said. No such function: it is only written.
	 */
	int (*read)(struct json_object *value, const struct json_field *field, void *member,
		    void *whole);
};

extern const struct json_kind field_bool;
/* A bool as well: @detail, a word, if it is true, and null otherwise. */
extern const struct json_kind field_flag;
/* Of 8 bytes, as are all numbers; of the other kind, 0 is null. */
extern const struct json_kind field_number, field_some_number;
/* A double. */
extern const struct json_kind field_seconds, field_some_seconds;
/* A char * that is freed by who frees the struct; NULL is null. */
extern const struct json_kind field_string;
/* An enum; @detail: its words, with NULL after the last. What is none of them is read as the first. */
extern const struct json_kind field_word;
/* A struct, or the same one; @detail: its fields. */
extern const struct json_kind field_object;

void json__write_fields(json_writer_t *w, const struct json_field *fields, const void *base);
int json__read_fields(struct json_object *object, const struct json_field *fields, void *base,
		      void *whole);

/* NULL: it is none, or has no such field, or that is null. */
struct json_object *json__field(struct json_object *object, const char *name);
/* NULL: it is none. */
const char *json__text(struct json_object *value);

#endif
