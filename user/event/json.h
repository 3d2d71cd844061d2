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
#include <json-c/json.h>

#include "kernel/running.h"

/* Fields that every function event has, besides those of the user. */
#define FIELD_IP "__ip"
#define FIELD_PARENT_IP "__parent_ip"
#define FIELD_FAULTS "faults"

/*
 * Puts a new value into a new object, for output at the end of a run. If @value is NULL for lack of
 * memory, the program ends. During a run, lack of memory is an error (see below).
 */
void event_json__put(struct json_object *object, const char *name, struct json_object *value);

/* Does the field have a bit in FIELD_FAULTS? Each field of the user has one, in their order. */
bool field_has_bit(const struct tep_format_field *field);

/**
 * event_json__new - make the object of a record
 * @record: the record, with ts, cpu, data and size
 * @event: its format
 * @name: the event's name
 * @comm: the task's name; NULL: unknown
 * @kernel: its lists have names for the addresses
 *
 * Returns NULL if there is no memory.
 */
struct json_object *event_json__new(const struct tep_record *record, struct tep_event *event,
				    const char *name, const char *comm,
				    const struct kernel *kernel);

/* The value of one field; NULL is json's null. Returns false if there is no memory. */
bool event_json__value(const struct tep_format_field *field, const struct tep_record *record,
		       struct json_object **ret);

#endif
