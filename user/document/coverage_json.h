/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes a coverage as the json document of `hytrace cover -f json`, and reads it back. */
#ifndef HYTRACE_DOCUMENT_COVERAGE_JSON_H
#define HYTRACE_DOCUMENT_COVERAGE_JSON_H

#include <stdio.h>

#include "base/json_writer.h"
#include "document/coverage.h"

/* Write errors stay in the stream, where output__commit() finds them. */
void coverage__write_json(const struct coverage *c, FILE *out);

/* Writes the fields between "engine" and "functions" of the document into an object that was begun before. */
void coverage__write_head(const struct coverage *c, json_writer_t *w);

/*
 * Returns -EINVAL after a message if it cannot be read, is no json, no such document, or has
 * another schema.
 */
int coverage__read_json(struct coverage *ret, const char *path);
/* The same for a file that is open as @fd, which is closed. @path: for messages */
int coverage__read_json_open(struct coverage *ret, int fd, const char *path);

#endif
