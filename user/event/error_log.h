/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the message in tracefs's error_log about a text that the kernel has refused. */
#ifndef HYTRACE_EVENT_ERROR_LOG_H
#define HYTRACE_EVENT_ERROR_LOG_H

#include <stddef.h>

/**
 * struct log_entry - one entry; its strings point into the log's text
 * @stamp: its time, as printed; distinguishes entries
 * @message: what is wrong
 * @detail: what in the text is wrong; may be empty
 * @command: the refused text; may have several lines
 * @column: the place of the caret, from 0; -1: there is none
 */
struct log_entry {
	const char *stamp, *message, *detail, *command;
	size_t stamp_length, message_length, detail_length, command_length;
	int column;
};

/**
 * error_log__last - find the last entry of a part of the kernel
 * @log: the text of error_log
 * @where: the part of the kernel, such as "function_events"
 * @ret: the entry
 *
 * Returns 0, or -ENOENT if there is none.
 */
int error_log__last(const char *log, const char *where, struct log_entry *ret);

/* The command with a caret below its column; each line is indented. To be freed. */
char *log_entry__picture(const struct log_entry *entry);

#endif
