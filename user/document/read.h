/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads json files of hytrace, which may be compressed by gzip or zstd. */
#ifndef HYTRACE_DOCUMENT_READ_H
#define HYTRACE_DOCUMENT_READ_H

#include <json-c/json.h>

/* In bytes of text. A recording of a hundred thousand functions and as many callers takes 56 MB. */
#define DOCUMENT_LARGEST (128 * 1024 * 1024)
/* For a file's values. A recording of a hundred thousand functions and callers needs under half. */
#define DOCUMENT_MOST_MEMORY (2048ll * 1024 * 1024)
/* For the values of a recording, all but its hits. Those of a union of 10,000 runs need under a fifth. */
#define DOCUMENT_MOST_HEAD (128ll * 1024 * 1024)

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

/* The steps of document__read(), for a reader that does not need json-c for all of the text. */
struct text {
	char *bytes;		/* with a NUL after them */
	size_t length, room;
};

/* Returns a descriptor of standard input or a file; -1 with errno; -EINVAL after a message. */
int document__open(const char *path);

/**
 * document__read_text() - read a file and decompress it
 * @ret: its bytes are to be freed after success
 * @fd: is closed; negative: what document__open() has returned
 * @path: for messages
 *
 * Return: 0, or -EINVAL after a message.
 */
int document__read_text(struct text *ret, int fd, const char *path);
/* Does json-c take at most @most bytes of memory for a text? */
bool document__fits(const struct text *t, long long most);
/* Refuses a text that does not fit. Returns -EINVAL after a message with @remedy. */
int document__check_memory(const struct text *t, const char *path, const char *remedy, long long most);
int document__parse(struct json_object **ret, const struct text *t, const char *path, const char *kind,
		    const char *command, int schema);
int document__check(struct json_object *root, const char *path, const char *kind, const char *command, int schema);

#endif
