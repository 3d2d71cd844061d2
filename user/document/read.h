/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads documents from files, which may be compressed by gzip or zstd. */
#ifndef HYTRACE_DOCUMENT_READ_H
#define HYTRACE_DOCUMENT_READ_H

#include <json-c/json.h>

/* In bytes of text. A hundred thousand functions and as many callers take 56 MB. */
#define DOCUMENT_LARGEST (128 * 1024 * 1024)
/* For its values, while it is read. Those of a hundred thousand functions and as many callers take less than half of it. */
#define DOCUMENT_MOST_MEMORY (2048ll * 1024 * 1024)

/**
 * document__read() - read a document of hytrace
 * @ret: to be freed by json_object_put()
 * @path: the file; "-": standard input
 * @kind: the kind of document: "coverage" or "functions"
 * @command: the command that writes such a document, for messages
 * @schema: the schema that the caller knows
 *
 * Return: 0, or -EINVAL after a message: the file cannot be read, is cut off, is larger than
 * DOCUMENT_LARGEST, would take more than DOCUMENT_MOST_MEMORY, is no such document, or has another schema.
 */
int document__read(struct json_object **ret, const char *path, const char *kind, const char *command, int schema);
/* The same for a file that is open as @fd, which is closed; -1: opening it has failed with errno. */
int document__read_open(struct json_object **ret, int fd, const char *path, const char *kind, const char *command,
			int schema);

#endif
