/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes json as it goes, and keeps nothing of it in memory. json.h says why json-c does not do
 * this. The functions are called as those of the writer that bpftool and iproute2 have; that one is
 * in no library, and cannot write the elements of an array one a line.
 */
#ifndef HYTRACE_BASE_JSON_WRITER_H
#define HYTRACE_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json_writer json_writer_t;

/* Begins to write to @out, where write errors stay. @pretty: a field a line, and indented; or else all is in one line */
json_writer_t *jsonw_new(FILE *out, bool pretty);
/* Ends the line, flushes the stream, and sets *@w to NULL. */
void jsonw_destroy(json_writer_t **w);

void jsonw_start_object(json_writer_t *w);
void jsonw_end_object(json_writer_t *w);
void jsonw_start_array(json_writer_t *w);
/* An array of which each element is in a line of its own, but not inside of another such array. */
void jsonw_start_lines(json_writer_t *w);
/* Ends either of them. */
void jsonw_end_array(json_writer_t *w);

/*
 * The name of a field, whose value has to be next. Names and strings may be any bytes: each byte that is not UTF-8
 * becomes U+FFFD.
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
