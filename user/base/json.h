/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all json files of hytrace have in common.
 *
 * json-c reads files. But a recording has up to a hundred thousand objects, for which json-c would need 150 MB
 * before it prints the first one. Nor can json-c print the layout of our files: an indented head, and then one
 * object in each line. So there is a writer that writes json piece by piece, and keeps nothing in memory. Its
 * functions have the names of the writer in bpftool and iproute2. That one is in no library, and cannot write
 * each element of an array in a line of its own.
 */
#ifndef HYTRACE_BASE_JSON_H
#define HYTRACE_BASE_JSON_H

#include <json-c/json.h>

#include "base/memory.h"

typedef struct json_writer json_writer_t;

/*
 * Begins to write to @out, where write errors stay. @pretty: each field in an indented line; false: all in one
 * line. To be ended by jsonw_destroy(), or freed if nothing more may be written.
 */
json_writer_t *jsonw_new(FILE *out, bool pretty);
/* Ends the line, flushes the stream, and sets *@w to NULL. */
void jsonw_destroy(json_writer_t **w);
/* Ends the line; what comes next is another value. */
void jsonw_end_line(json_writer_t *w);

void jsonw_start_object(json_writer_t *w);
void jsonw_end_object(json_writer_t *w);
void jsonw_start_array(json_writer_t *w);
/* Begins an array with each element in a line of its own. Such arrays cannot be nested. */
void jsonw_start_lines(json_writer_t *w);
/* Ends either kind of array. */
void jsonw_end_array(json_writer_t *w);

/*
 * Writes the name of a field, whose value has to be next. Names and strings may have any bytes:
 * each byte that is not UTF-8 becomes U+FFFD.
 */
void jsonw_name(json_writer_t *w, const char *name);

void jsonw_string(json_writer_t *w, const char *value);
/* A string that need not end with a NUL. */
void jsonw_text(json_writer_t *w, const char *text, size_t length);
void jsonw_bool(json_writer_t *w, bool value);
void jsonw_null(json_writer_t *w);
void jsonw_int(json_writer_t *w, int64_t value);
void jsonw_lluint(json_writer_t *w, uint64_t value);
/* A number; a string of hex digits if a double cannot hold the value exactly. */
void jsonw_exact(json_writer_t *w, uint64_t value, bool is_signed);
/* Writes a value as it is given, such as a number with a fraction. */
void jsonw_printf(json_writer_t *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

void jsonw_string_field(json_writer_t *w, const char *name, const char *value);
void jsonw_bool_field(json_writer_t *w, const char *name, bool value);
void jsonw_null_field(json_writer_t *w, const char *name);
void jsonw_lluint_field(json_writer_t *w, const char *name, uint64_t value);

/* ---- values and documents */

/**
 * json__begin() - begin a json file of hytrace
 * @out: the stream; write errors stay in it
 * @document: the kind of the file, "coverage"
 * @schema: the version of its format
 *
 * Return: the writer, inside of the outermost object, to be ended by json__end().
 */
json_writer_t *json__begin(FILE *out, const char *document, int schema);
void json__end(json_writer_t **w);

/* Begin the field of this name: an object, or an array with one element in each line. */
void json__object(json_writer_t *w, const char *name);
void json__lines(json_writer_t *w, const char *name);
/* Begins the field of this name: an array in one line. */
void json__array(json_writer_t *w, const char *name);
/* A whole array: of strings, or of a bool for each of @count bits, the lowest first. */
void json__strings(json_writer_t *w, const char *name, const char *const *list, size_t count);
void json__bits(json_writer_t *w, const char *name, const uint64_t *bits, size_t count);

void json__string_or_null(json_writer_t *w, const char *name, const char *value);
/*
 * Writes a string of hex digits, because json numbers cannot hold all addresses; or null if the
 * address is unknown.
 */
void json__address_or_null(json_writer_t *w, const char *name, bool known, uint64_t value);
void json__number_or_null(json_writer_t *w, const char *name, bool known, uint64_t value);
/* For a number that may be negative. */
void json__int_or_null(json_writer_t *w, const char *name, bool known, int64_t value);
void json__counters(json_writer_t *w, const char *name, const struct counters *counters);
/* Writes only the object, and not its name. */
void json__counter_values(json_writer_t *w, const struct counters *counters);

/* ---- members of a struct as fields of an object: one table for writing and for reading */

struct json_kind;

struct json_field {
	const char *name;		/* NULL after the last one */
	const struct json_kind *kind;
	size_t offset;			/* the offset of the member */
	const void *detail;		/* depends on the kind */
};

struct json_kind {
	/* Writes the value, without the name. */
	void (*write)(json_writer_t *w, const struct json_field *field, const void *member);
	/*
	 * Reads the value. @value: NULL if the field is null or missing. @whole: the outermost
	 * struct. Returns 0 or -EINVAL. NULL: fields of this kind are only written.
	 */
	int (*read)(struct json_object *value, const struct json_field *field, void *member,
		    void *whole);
	enum json_type type;	/* the type of @value, which is checked; json_type_null: read() checks it */
	bool or_null;		/* the field may be null or missing: the value is unknown, or does not apply */
};

extern const struct json_kind field_bool;
/* A bool that is written as the word @detail if it is true, and as null otherwise. */
extern const struct json_kind field_flag;
/* A number of 8 bytes. field_some_number writes 0 as null. */
extern const struct json_kind field_number, field_some_number;
/* An int64_t, as a time that may be negative. TIME_UNKNOWN is written as null. */
extern const struct json_kind field_time;
/* The same, but it is always known. */
extern const struct json_kind field_int;
#define TIME_UNKNOWN INT64_MIN
/* A double. field_some_seconds writes 0 as null. */
extern const struct json_kind field_seconds, field_some_seconds;
/* A char *, which is freed together with the struct. NULL is written as null. */
extern const struct json_kind field_string;
/* A char ** that ends with NULL, or is NULL, which is written as null. The texts are freed together with the struct. */
extern const struct json_kind field_texts;
/*
 * An enum. @detail: its words; NULL ends them. A value with an empty word is written as null, and may
 * be missing. Any other word is an error, because only a later hytrace knows what it means.
 */
extern const struct json_kind field_word;
/* A struct inside of this one, or this struct itself. @detail: its fields */
extern const struct json_kind field_object;
/*
 * A list of structs, one in each line: a pointer to the first one. NULL is written as null: the list is not known,
 * and an empty list that is known has another address. @detail: JSON_LIST()
 */
extern const struct json_kind field_list;

struct json_list {
	const struct json_field *fields;
	size_t size;		/* of an element */
	ptrdiff_t count;	/* where the number of elements, a size_t, is from the pointer on */
	const void *blank;	/* an element before its fields are read; NULL: all its bytes are zero */
};

/* @list, @count: members of @type */
#define JSON_LIST(type, list, count, fields) \
	(&(const struct json_list){ fields, sizeof(*((type *)0)->list), (ptrdiff_t)offsetof(type, count) - \
				    (ptrdiff_t)offsetof(type, list), NULL })

void json__write_fields(json_writer_t *w, const struct json_field *fields, const void *base);
/*
 * Returns -EINVAL without a message if a field is missing, or has another type: an unknown value
 * must not be taken for the best one.
 */
int json__read_fields(struct json_object *object, const struct json_field *fields, void *base,
		      void *whole);

/* Parses a text that has one value, and only spaces after it. Returns NULL without a message if it is anything else. */
struct json_object *json__parse(const char *text, size_t length);
/* Returns NULL if @object is not an object, if it has no such field, or if the field is null. */
struct json_object *json__field(struct json_object *object, const char *name);
/* Returns NULL if @value is not a string. */
const char *json__text(struct json_object *value);

#endif
