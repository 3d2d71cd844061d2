/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An instance's events as they come: as text, or as records in order of time.
 *
 * tracefs_trace_pipe_stream() and tracefs_iterate_raw_events() go on as long as events come, so a run would not
 * see its signals and its end. The first one writes to a descriptor, and loses what a short write leaves. If
 * the callback of the second one stops it, the records of the pages that it has read are lost, and counted
 * nowhere. And its second call may give records that are older than the last ones of its first call.
 */
#ifndef HYTRACE_EVENT_PIPES_H
#define HYTRACE_EVENT_PIPES_H

#include <event-parse.h>

#include "run/instance.h"

/*
 * ---- text, as the kernel prints it in trace_pipe: so strings, arrays, symbols and unreadable fields look as
 * in `trace`
 */

/* Returns a descriptor, or a negative errno after a message. */
int trace_pipe__open(struct instance *instance);
/*
 * Copies the current text to @out. Because new text may come all the time, it may stop early:
 * @ret_more says whether there may be more.
 */
int trace_pipe__read(int pipe, FILE *out, bool *ret_more);

/*
 * ---- records
 *
 * Each CPU's trace_pipe_raw is read, and the records are sorted.
 *
 * The CPUs are read one after the other, and new events are recorded meanwhile. So the last records
 * of the first CPU are older than those of the last CPU. Records are therefore held back until the
 * next reading, which begins after this one has ended: then no older record can appear.
 */

struct raw_events;

/* Takes a record. A negative errno ends the reading. */
typedef int (*raw_event_take)(const struct tep_record *record, void *context);

/* @tep: its description of the ring buffer's pages is filled in */
int raw_events__open(struct raw_events **ret, struct instance *instance, struct tep_handle *tep);
/*
 * Reads the records that are there now. Because new ones may be recorded all the time, it may stop early:
 * @ret_more says whether there may be more. @last: no more records will come, so none is held back
 */
int raw_events__read(struct raw_events *r, bool last, raw_event_take take, void *context,
		     bool *ret_more);
void raw_events__close(struct raw_events *r);

/*
 * The sorting alone: it gets the records of each reading, and passes on the records whose order is
 * certain. @until: the time up to which all CPUs were read
 */
struct record_order;

struct record_order *record_order__new(void);
/* Returns -ENOMEM after a message. Then the run ends, and the command is still waited for. */
int record_order__add(struct record_order *o, const struct tep_record *record);
int record_order__give(struct record_order *o, unsigned long long until, raw_event_take take,
		       void *context);
void record_order__free(struct record_order *o);

#endif
