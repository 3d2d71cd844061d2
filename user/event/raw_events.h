/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An instance's events as records, in order of time: each CPU's trace_pipe_raw is read, and what was
 * read is laid in order.
 *
 * While the CPUs are read one after the other, events go on to come, so that the last ones of the first
 * CPU are older than the last ones of the others. Records are therefore held back until the next
 * reading, which begins after this one has ended: by then nothing older can come any more.
 */
#ifndef HYTRACE_EVENT_RAW_EVENTS_H
#define HYTRACE_EVENT_RAW_EVENTS_H

#include <event-parse.h>
#include <stdbool.h>

#include "run/instance.h"

struct raw_events;

/* A negative errno ends the reading. */
typedef int (*raw_event_take)(const struct tep_record *record, void *context);

/* @tep: learns here what a page of the ring buffer looks like. */
int raw_events__open(struct raw_events **ret, struct instance *instance, struct tep_handle *tep);
/*
 * Reads what there is now, but not without end: @ret_more says that there may be more. @last: nothing
 * will come any more, nothing is held back.
 */
int raw_events__read(struct raw_events *r, bool last, raw_event_take take, void *context,
		     bool *ret_more);
void raw_events__close(struct raw_events *r);

/*
 * The order of records, apart: fed with one reading after the other, gives out what is certain. @until:
 * the time up to which every CPU was read.
 */
struct record_order;

struct record_order *record_order__new(void);
int record_order__add(struct record_order *o, const struct tep_record *record);
int record_order__give(struct record_order *o, unsigned long long until, raw_event_take take,
		       void *context);
void record_order__free(struct record_order *o);

#endif
