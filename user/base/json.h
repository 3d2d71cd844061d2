/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by all json documents.
 *
 * There are two writers. json-c reads documents, and makes the values of a line: strings from any
 * bytes, and objects that are complete when they are made. But a document has up to a hundred
 * thousand of these, for which json-c would need 150 MB before it prints the first one. And json-c
 * cannot print the documents' layout, an indented head and then one object a line. So json_writer
 * writes documents directly from the tables, and keeps nothing in memory.
 */
#ifndef HYTRACE_BASE_JSON_H
#define HYTRACE_BASE_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/counters.h"
#include "base/json_writer.h"

/* A json string. It must be UTF-8, so each byte that is not becomes U+FFFD. */
struct json_object *json_text(const char *text, size_t length);

/* A string of hex digits, because json numbers cannot hold all addresses. */
struct json_object *json_address(uint64_t value);

/* A json number; a string of hex digits if a double cannot hold the value exactly. */
struct json_object *json_integer(uint64_t value, bool is_signed);

/* Puts @value into @object, or frees it if there is no memory; then returns false. */
bool json_add(struct json_object *object, const char *name, struct json_object *value);

/* Prints the object in one line, without characters that have an effect on a terminal. */
void json_print(FILE *out, struct json_object *object);

/**
 * json__begin() - begin a document of hytrace
 * @out: where to; write errors stay in the stream
 * @document: its kind, "coverage"
 * @schema: the version of its form
 *
 * Return: the writer, inside of the document's object, to be ended by json__end().
 */
json_writer_t *json__begin(FILE *out, const char *document, int schema);
void json__end(json_writer_t **w);

/* Begin the field of this name: an object, or an array with an element a line. */
void json__object(json_writer_t *w, const char *name);
void json__lines(json_writer_t *w, const char *name);

void json__string_or_null(json_writer_t *w, const char *name, const char *value);
/*
 * Writes a string of hex digits, because json numbers cannot hold all addresses; null if the
 * address is not known.
 */
void json__address_or_null(json_writer_t *w, const char *name, bool known, uint64_t value);
void json__number_or_null(json_writer_t *w, const char *name, bool known, uint64_t value);
/* For a number that may be negative. */
void json__int_or_null(json_writer_t *w, const char *name, bool known, int64_t value);
void json__counters(json_writer_t *w, const char *name, const struct counters *counters);
/* Writes only the object; its name has been written before. */
void json__counter_values(json_writer_t *w, const struct counters *counters);

/* ---- members of a struct as fields of an object: one table to write and to read them */

struct json_kind;

struct json_field {
	const char *name;		/* NULL after the last one */
	const struct json_kind *kind;
	size_t offset;			/* of the member */
	const void *detail;		/* for the kinds that need more information */
};

struct json_kind {
	/* Writes only the value, not the name. */
	void (*write)(json_writer_t *w, const struct json_field *field, const void *member);
	/*
	 * Reads the value. @value: NULL if it is null or not in the document. @whole: the outermost
	 * struct. Returns 0 or -EINVAL. NULL: fields of this kind are only written.
	 */
	int (*read)(struct json_object *value, const struct json_field *field, void *member,
		    void *whole);
	enum json_type type;	/* json_type_null: read() looks itself */
	bool or_null;		/* null, or no such field, is not an error, but means that it is not known, or does not apply */
};

extern const struct json_kind field_bool;
/* A bool that is written as the word @detail if it is true, and as null otherwise. */
extern const struct json_kind field_flag;
/* A number of 8 bytes, as all numbers are. For the second kind, null stands for 0. */
extern const struct json_kind field_number, field_some_number;
/* A double. For the second kind, null stands for 0. */
extern const struct json_kind field_seconds, field_some_seconds;
/* A char *, which is freed together with the struct; null stands for NULL. */
extern const struct json_kind field_string;
/*
 * An enum. @detail: its words, with NULL after the last one. An empty word is written as null. Only such a word may be
 * missing, and there must be no other words: what a later hytrace means by one is not known.
 */
extern const struct json_kind field_word;
/* A struct inside this one, or this struct itself. @detail: its fields. */
extern const struct json_kind field_object;

void json__write_fields(json_writer_t *w, const struct json_field *fields, const void *base);
/*
 * Returns -EINVAL without a message if a field is missing, or of another type: what is not known must not be read as
 * the best that it could be.
 */
int json__read_fields(struct json_object *object, const struct json_field *fields, void *base,
		      void *whole);

/* Returns NULL if @object is no object, has no such field, or the field is null. */
struct json_object *json__field(struct json_object *object, const char *name);
/* Returns NULL if @value is no string. */
const char *json__text(struct json_object *value);

#endif
