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

#endif
