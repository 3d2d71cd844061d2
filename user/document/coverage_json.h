/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes a coverage as json, as `hytrace cover -f json` does, and reads it back. */
#ifndef HYTRACE_DOCUMENT_COVERAGE_JSON_H
#define HYTRACE_DOCUMENT_COVERAGE_JSON_H

#include "base/json.h"
#include "document/coverage.h"
#include "document/hits_text.h"
#include "document/read.h"

/* Write errors stay in the stream, where output__commit() finds them. */
void coverage__write_json(const struct coverage *c, FILE *out);

/* Writes the fields between "engine" and "functions" into an object that was begun before. */
void coverage__write_head(const struct coverage *c, json_writer_t *w);

/*
 * Returns -EINVAL after a message if the file cannot be read, is not json, is not a recording, or
 * has another schema.
 */
int coverage__read_json(struct coverage *ret, const char *path);
/* Reads a file that is open as @fd, and closes it. @path: for messages */
int coverage__read_json_open(struct coverage *ret, int fd, const char *path);
/* Reads a document from its text, by document__read_text(). */
int coverage__read_text(struct coverage *ret, const struct text *t, const char *path);
/*
 * Makes a coverage of a parsed document. @ready: its hits, if the document has none; they are taken
 * over. NULL: it has them
 */
int coverage__take(struct coverage *ret, struct json_object *root, struct hits_text *ready, const char *path);

#endif
