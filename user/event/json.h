/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A function event's record as a json object:
 *
 *	{"ts": NS, "cpu": N, "pid": N, "comm": "...", "event": "...", "function": "...",
 *	 "caller": "...", "fields": {"count": 4096}}
 *
 * Numbers that a double cannot hold are strings of hex digits, because most readers of json use
 * doubles. Other numbers are numbers, strings are strings, and arrays are arrays. A field that
 * could not be read, or that is unknown, is null.
 */
#ifndef HYTRACE_EVENT_JSON_H
#define HYTRACE_EVENT_JSON_H

#include <event-parse.h>

#include "base/json.h"
#include "kernel/running.h"

/* Fields that every function event has, besides those of the user. */
#define FIELD_IP "__ip"
#define FIELD_PARENT_IP "__parent_ip"
#define FIELD_FAULTS "faults"

/* Does the field have a bit in FIELD_FAULTS? Each field of the user has one, in their order. */
bool field_has_bit(const struct tep_format_field *field);

/**
 * event_json__write() - write a record as an object
 * @w: the writer; nothing is allocated, because lack of memory must not end a run whose command goes on
 * @record: the record, with ts, cpu, data and size
 * @event: its format
 * @name: the event's name
 * @comm: the task's name; NULL: unknown
 * @kernel: its lists have names for the addresses
 */
void event_json__write(json_writer_t *w, const struct tep_record *record, struct tep_event *event, const char *name,
		       const char *comm, const struct kernel *kernel);

#endif
