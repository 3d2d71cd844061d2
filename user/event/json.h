/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A function event's record as a json object:
 *
 *	{"ts": NS, "cpu": N, "pid": N, "comm": "...", "event": "...", "function": "...",
 *	 "caller": "...", "fields": {"__ip": "0x...", "__parent_ip": "0x...", "count": 4096}}
 *
 * Numbers are numbers, but for those that a double, which is what most readers make of them, cannot
 * hold: they are strings of hex digits. Strings are strings, arrays arrays. What could not be read is
 * null, and so is what is not known.
 */
#ifndef HYTRACE_EVENT_JSON_H
#define HYTRACE_EVENT_JSON_H

#include <event-parse.h>
#include <json-c/json.h>

#include "kernel/symbols.h"
#include "kernel/traceable.h"

/* The fields that every function event has, and those that are not the user's. */
#define FIELD_IP "__ip"
#define FIELD_PARENT_IP "__parent_ip"
#define FIELD_FAULTS "faults"

/* Whether a field has a bit in the faults: the user's have one each, in their order. */
bool field_has_bit(const struct tep_format_field *field);

/* Names for addresses: of functions ftrace's own, since of aliases kallsyms shows no favourite. */
struct address_names {
	struct symbols *symbols;
	struct traceable *traceable;
};

/**
 * event_json__new - makes the object
 * @record: with ts, cpu, data and size
 * @event: its format
 * @name: what the event is called
 * @comm: of the task, NULL: unknown
 * @names: for its addresses
 *
 * Returns NULL when there is no memory.
 */
struct json_object *event_json__new(const struct tep_record *record, struct tep_event *event,
				    const char *name, const char *comm,
				    const struct address_names *names);

/* One field's value, NULL for json's null. False: no memory. */
bool event_json__value(const struct tep_format_field *field, const struct tep_record *record,
		       struct json_object **ret);

#endif
