/* SPDX-License-Identifier: GPL-2.0-only */
/* What the json documents have in common. */
#ifndef HYTRACE_BASE_JSON_H
#define HYTRACE_BASE_JSON_H

#include <json_writer.h>

#include "cover/coverage.h"

/* Any bytes: what is no UTF-8 becomes U+FFFD. jsonw_string() is for what is known to be none but text. */
void json__string(json_writer_t *w, const char *value);
void json__string_or_null(json_writer_t *w, const char *name, const char *value);
/* A string of hex digits, as a JSON number cannot hold an address. */
void json__address_or_null(json_writer_t *w, const char *name, bool known, uint64_t value);
void json__number_or_null(json_writer_t *w, const char *name, bool known, uint64_t value);
/* The field "kernel". */
void json__kernel(json_writer_t *w, const struct kernel_id *id);
void json__counters(json_writer_t *w, const char *name, const struct counters *counters);

#endif
