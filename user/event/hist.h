/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A log2 histogram of one field. Hist triggers count in the kernel, so nothing is lost, however
 * many events there are.
 *
 * The kernel's log2 cannot count values below 1. So there are two triggers on the event: one with
 * log2 for values above 0, and one that counts each other value by itself: zero, and the negative
 * values of a signed field, which are few (error numbers). Neither trigger counts values that could
 * not be read.
 */
#ifndef HYTRACE_EVENT_HIST_H
#define HYTRACE_EVENT_HIST_H

#include <event-parse.h>

#include "base/json.h"

/*
 * The slots: negative values by powers of two, from -2^63 on; 0; and then 1, 2, 3..4, 5..8 and so
 * on up to 2^64 - 1.
 */
#define HIST_BELOW 64
#define HIST_ZERO HIST_BELOW
#define HIST_SLOTS (HIST_BELOW + 1 + 65)

/**
 * struct event_hist - the histogram
 * @counts: the count of each slot
 * @hits: how often the event has been counted
 * @dropped: how often there was no room for a value
 */
struct event_hist {
	uint64_t counts[HIST_SLOTS];
	uint64_t hits;
	uint64_t dropped;
};

/* Does the event have this field, and is it a number? */
bool event_hist__has(struct tep_event *event, const char *field);
/*
 * Makes the two triggers, in the order in which they have to be written; both strings are to be freed. @state:
 * "pause", with which they begin and end, or "continue". Returns -EINVAL if event_hist__has() is false.
 */
int event_hist__triggers(struct tep_event *event, const char *field, const char *state,
			 char *ret[2]);

/* Adds the counts in an event's hist file. Returns -EINVAL if it cannot be parsed. */
int event_hist__read(struct event_hist *h, const char *text);

/* Prints a table for people. */
void event_hist__print(const struct event_hist *h, const char *event, const char *field, FILE *out);
/* Writes an object {"event", "field", "count", "buckets": [{"from", "to", "count"}]}. */
void event_hist__write_json(const struct event_hist *h, const char *event, const char *field, json_writer_t *w);

#endif
