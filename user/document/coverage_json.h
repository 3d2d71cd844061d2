/* SPDX-License-Identifier: GPL-2.0-only */
/* A coverage as the json document of `hytrace cover -f json`, and back. */
#ifndef HYTRACE_DOCUMENT_COVERAGE_JSON_H
#define HYTRACE_DOCUMENT_COVERAGE_JSON_H

#include <stdio.h>

#include "document/coverage.h"

/* -ENOMEM, said. Write errors stay in the stream, for output__commit() to find. */
int coverage__write_json(const struct coverage *c, FILE *out);

/* -EINVAL, said: not readable, not json, not such a document, or of another schema. */
int coverage__read_json(struct coverage *ret, const char *path);

#endif
