/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A log2 histogram of one field, counted in the kernel by hist triggers, so that nothing is lost
 * however often the event comes.
 *
 * The kernel's own log2 knows nothing below 1. So there are two triggers on the event: one with log2
 * for what is above 0, and one for each single value of the rest: zero, and of a signed field the
 * negative ones, of which there are few (error numbers). Values that could not be read are in neither.
 */
#ifndef HYTRACE_EVENT_HIST_H
#define HYTRACE_EVENT_HIST_H

#include <event-parse.h>
#include <json-c/json.h>
#include <stdint.h>
#include <stdio.h>

/* Negative values by powers of two from -2^63 up; 0; 1, 2, 3..4, 5..8 and so on up to 2^64 - 1. */
#define HIST_BELOW 64
#define HIST_ZERO HIST_BELOW
#define HIST_SLOTS (HIST_BELOW + 1 + 65)

/**
 * struct event_hist - the histogram
 * @counts: of slots
 * @hits: how often the event has been counted at all
 * @dropped: how often there was no room left for a value
 */
struct event_hist {
	uint64_t counts[HIST_SLOTS];
	uint64_t hits;
	uint64_t dropped;
};

/* Whether the event has the field, and it is a number. */
bool event_hist__has(struct tep_event *event, const char *field);
/*
 * The triggers to write, in the order of the file; both to be freed. @state: "pause", which is how they
 * begin and end, or "continue". -EINVAL: !event_hist__has().
 */
int event_hist__triggers(struct tep_event *event, const char *field, const char *state,
			 char *ret[2]);

/* Adds what an event's hist file says. -EINVAL: makes no sense. */
int event_hist__read(struct event_hist *h, const char *text);

/* As a table for people. */
int event_hist__print(const struct event_hist *h, const char *event, const char *field, FILE *out);
/* As an object: {"event", "field", "count", "buckets": [{"from", "to", "count"}]}; NULL: no memory. */
struct json_object *event_hist__json(const struct event_hist *h, const char *event,
				     const char *field);

#endif
