/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes json piece by piece, and keeps nothing in memory. json.h says why json-c cannot do this.
 * The functions have the names of the writer in bpftool and iproute2. That one is in no library,
 * and cannot write each element of an array in a line of its own.
 */
#ifndef HYTRACE_BASE_JSON_WRITER_H
#define HYTRACE_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json_writer json_writer_t;

/* Begins to write to @out, where write errors stay. @pretty: each field in an indented line; false: all in one line */
json_writer_t *jsonw_new(FILE *out, bool pretty);
/* Ends the line, flushes the stream, and sets *@w to NULL. */
void jsonw_destroy(json_writer_t **w);

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
void jsonw_bool(json_writer_t *w, bool value);
void jsonw_null(json_writer_t *w);
void jsonw_int(json_writer_t *w, int64_t value);
void jsonw_lluint(json_writer_t *w, uint64_t value);
/* Writes a value as it is given, such as a number with a fraction. */
void jsonw_printf(json_writer_t *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

void jsonw_string_field(json_writer_t *w, const char *name, const char *value);
void jsonw_bool_field(json_writer_t *w, const char *name, bool value);
void jsonw_null_field(json_writer_t *w, const char *name);
void jsonw_lluint_field(json_writer_t *w, const char *name, uint64_t value);

#endif
