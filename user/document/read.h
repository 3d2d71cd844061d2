/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads json files of hytrace, which may be compressed by gzip or zstd. */
#ifndef HYTRACE_DOCUMENT_READ_H
#define HYTRACE_DOCUMENT_READ_H

#include <json-c/json.h>

/* In bytes of text. A recording of a hundred thousand functions and as many callers takes 56 MB. */
#define DOCUMENT_LARGEST (128 * 1024 * 1024)
/* For a file's values. A recording of a hundred thousand functions and callers needs under half. */
#define DOCUMENT_MOST_MEMORY (2048ll * 1024 * 1024)

/**
 * document__read() - read a json file of hytrace
 * @ret: to be freed by json_object_put()
 * @path: the file; "-": standard input
 * @kind: the kind of the file: "coverage" or "functions"
 * @command: the command that writes such files, for messages
 * @schema: the schema that the caller knows
 *
 * Return: 0, or -EINVAL after a message: the file cannot be read, is cut off, is larger than
 * DOCUMENT_LARGEST, would take more than DOCUMENT_MOST_MEMORY, is not of this kind, or has another schema.
 */
int document__read(struct json_object **ret, const char *path, const char *kind, const char *command, int schema);
/* Reads a file that is open as @fd, and closes it; -1: opening it has failed with errno. */
int document__read_open(struct json_object **ret, int fd, const char *path, const char *kind, const char *command,
			int schema);

#endif
