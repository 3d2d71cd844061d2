// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading error_log; see error_log.h. An entry looks like this:
 *
 *	[   12.345678] function_events: error: No such function
 *	  Command: vfs_raed(NULL)
 *	           ^
 *
 * The detail, if there is one, comes after the first colon.
 *
 * libtracefs's tracefs_error_all() reads the log. tracefs_error_last() is not enough: it takes the
 * text between the last two carets as an entry. So an entry without a caret, or a '^' in a command,
 * confuses it. And the last entry may be of another part of the kernel.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "event/error_log.h"

#define ERROR ": error: "
#define COMMAND "  Command: "
#define INDENT "  "

static bool is_caret_line(const char *line)
{
	return line[strspn(line, " ")] == '^';
}

/* @body: the text of the entry after its first line */
static void read_body(const char *body, struct log_entry *ret)
{
	const char *line = body + strlen(COMMAND), *end;

	ret->command = line;
	ret->column = -1;
	/* A command may have several lines. It ends at the caret or at another entry. */
	for (;;) {
		end = line + strcspn(line, "\n");
		ret->command_length = end - ret->command;
		if (!*end || end[1] == '[' || !end[1])
			return;
		line = end + 1;
		if (is_caret_line(line)) {
			ret->column = (int)strspn(line, " ") - (int)strlen(COMMAND);
			return;
		}
	}
}

/* Parses "[STAMP] WHERE[: DETAIL]: error: MESSAGE". Returns false if @line is not of this form. */
static bool read_head(const char *line, const char *where, struct log_entry *ret)
{
	const char *end = line + strcspn(line, "\n"), *at, *error;

	at = *line == '[' ? memchr(line, ']', end - line) : NULL;
	if (!at)
		return false;
	ret->stamp = line + 1;
	ret->stamp_length = at - ret->stamp;
	at += strspn(at, "] ");
	if (strncmp(at, where, strlen(where)))
		return false;
	at += strlen(where);
	error = memmem(at, end - at, ERROR, strlen(ERROR));
	if (*at != ':' || !error || !*end || strncmp(end + 1, COMMAND, strlen(COMMAND)))
		return false;
	ret->detail = error > at ? at + strspn(at, ": ") : error;
	ret->detail_length = error - ret->detail;
	ret->message = error + strlen(ERROR);
	ret->message_length = end - ret->message;
	return true;
}

int error_log__last(const char *log, const char *where, struct log_entry *ret)
{
	struct log_entry entry = {};
	int err = -ENOENT;

	for (const char *line = log; *line; ) {
		const char *next = line + strcspn(line, "\n");

		if (*next)
			next++;
		if (read_head(line, where, &entry)) {
			read_body(next, &entry);
			*ret = entry;
			err = 0;
		}
		line = next;
	}
	return err;
}

char *log_entry__picture(const struct log_entry *entry)
{
	const char *line = entry->command, *end = line + entry->command_length;
	int left = entry->column;
	char *text = NULL;
	size_t size;
	FILE *f = xopen_memstream(&text, &size);

	while (line < end) {
		int length = strcspn(line, "\n");

		if (length > end - line)
			length = end - line;
		fprintf(f, "%s" INDENT "%.*s", line == entry->command ? "" : "\n", length, line);
		if (left >= 0 && left <= length) {
			fprintf(f, "\n" INDENT);
			/* Keep tabs, so that the caret has the column of the line above. */
			for (int i = 0; i < left; i++)
				fputc(line[i] == '\t' ? '\t' : ' ', f);
			fputc('^', f);
		}
		left -= left > length ? length + 1 : left + 1;
		line += length + 1;
	}
	xclose_memstream(f);
	return text;
}
