/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracefs file function_events: lists, makes and removes function events. Every change is one
 * write(2), which the kernel accepts or refuses as a whole. After a refusal, the kernel's own
 * message is printed, with its caret.
 */
#ifndef HYTRACE_EVENT_FUNCTION_EVENTS_H
#define HYTRACE_EVENT_FUNCTION_EVENTS_H

#include <event-parse.h>

#include "event/prototype.h"
#include "run/guard.h"

/* After a message, returns -EPERM, -EOPNOTSUPP, or -EIO if the kernel refuses a line. */
int function_events__add(const struct prototypes *protos);

/* As function_events__add(), for events that end with this run: the watchdog removes them. */
int function_events__add_guarded(const struct prototypes *protos, struct guard *guard);

/* Loads the events that the file lists. @ret: empty */
int function_events__load(struct prototypes *ret);

/**
 * function_events__choose - find the events that match patterns
 * @events: the existing events
 * @patterns: NULL-terminated: [GROUP/]NAME or a glob of that; without GROUP the group "functions"
 * @chosen: a flag for each of @events, set if it matches
 *
 * Returns 0, or -ENOENT after a message if a pattern matches none.
 */
int function_events__choose(const struct prototypes *events, char *const *patterns, bool *chosen);

/* Removes the chosen events, all or none. */
int function_events__remove(const struct prototypes *events, const bool *chosen);

/* The path of one of an event's files, in tracefs or an instance; to be freed. */
char *function_event__path(const struct prototype *event, const char *file);

/* The number at the beginning of one of an event's files. Returns false if the file does not begin with one. */
bool function_event__number(const struct prototype *event, const char *file, uint64_t *ret);

/* Reads an event's format into @tep. */
int function_event__format(const struct prototype *event, struct tep_handle *tep,
			   struct tep_event **ret);

/* ---- error_log */

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
