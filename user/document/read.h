/* SPDX-License-Identifier: GPL-2.0-only */
/* Documents from files: plain, or compressed by gzip or zstd. */
#ifndef HYTRACE_DOCUMENT_READ_H
#define HYTRACE_DOCUMENT_READ_H

#include <json-c/json.h>

/* In bytes of text; a hundred thousand functions and as many callers take 30 MB. */
#define DOCUMENT_LARGEST (128 * 1024 * 1024)

/**
 * document__read() - read a document of hytrace
 * @ret: to be freed by json_object_put()
 * @path: of the file; "-": standard input
 * @kind: the document that is wanted, "coverage" or "functions"
 * @command: what writes such a document, for messages
 * @schema: the form of it that is understood
 *
 * Return: 0, or -EINVAL, which is told: the file cannot be read, is cut off, is larger than DOCUMENT_LARGEST, is
 * no such document, or has another schema.
 */
int document__read(struct json_object **ret, const char *path, const char *kind, const char *command, int schema);

#endif
