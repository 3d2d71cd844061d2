// SPDX-License-Identifier: GPL-2.0
/*
 * Very early function tracing: copying the recorded calls to the tracer.
 *
 * Calls are written to the ring buffer, or the oneshot set, one after the other and with
 * the time at which they were made, as if the tracer had been there.
 */
#define pr_fmt(fmt) "ftrace: early: " fmt

#include <linux/ftrace_early.h>
#include <linux/init.h>
#include <linux/ring_buffer.h>

#include "trace.h"
#include "trace_early_internal.h"

static unsigned int early_trace_ctx __initdata;

/* Write an event of the function tracer. */
static void __init early_write_function(struct trace_buffer *buffer, unsigned long ip,
					unsigned long parent_ip)
{
	struct ring_buffer_event *event;
	struct ftrace_entry *entry;

	event = trace_buffer_lock_reserve(buffer, TRACE_FN, sizeof(*entry), early_trace_ctx);
	if (!event)
		return;

	entry = ring_buffer_event_data(event);
	entry->ip = ip;
	entry->parent_ip = parent_ip;
	ring_buffer_unlock_commit(buffer);
}

static void __init early_copy_call(struct trace_array *tr, unsigned long ip,
				   unsigned long parent_ip, u64 tsc)
{
	u64 stamp = early_to_trace_clock(tsc);

	if (!early_stats.recorded++)
		early_stats.first = stamp;

	if (early_state.once)
		oneshot_early_hit(tr, ip, parent_ip, early_to_local_clock(tsc));
	else
		early_write_function(tr->array_buffer.buffer, ip, parent_ip);
}

/* Events that tell of lost calls. */
static unsigned long early_nr_lost_events __initdata;

/* Write an event where calls were lost, as the ring buffer does for its own losses. */
static void __init early_copy_lost(struct trace_array *tr, unsigned long nr)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	char text[sizeof("[LOST  EVENTS]\n") + 20];
	struct ring_buffer_event *event;
	struct print_entry *entry;
	int len;

	len = snprintf(text, sizeof(text), "[LOST %lu EVENTS]\n", nr);
	event = trace_buffer_lock_reserve(buffer, TRACE_PRINT, sizeof(*entry) + len + 1,
					  early_trace_ctx);
	if (!event)
		return;

	entry = ring_buffer_event_data(event);
	entry->ip = (unsigned long)early_ftrace_hand_over;
	memcpy(entry->buf, text, len + 1);
	ring_buffer_unlock_commit(buffer);
	early_nr_lost_events++;
}

/* Copy everything that was recorded to the tracer that is about to start. */
void __init early_copy(struct trace_array *tr)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	bool off = !ring_buffer_record_is_set_on(buffer);
	unsigned long written, kept;

	early_stats.cpu = raw_smp_processor_id();
	early_time_init(tr);
	early_trace_ctx = tracing_gen_ctx();

	/* The ring buffer was switched off after these calls. */
	if (off)
		ring_buffer_record_on(buffer);
	ring_buffer_set_clock(buffer, early_stamp_clock);
	if (early_state.once)
		early_read_pairs(tr, early_copy_call);
	else
		early_read_calls(tr, early_copy_call, early_copy_lost);
	ring_buffer_set_clock(buffer, tracing_clock(tr));
	if (off)
		ring_buffer_record_off(buffer);

	/* Readers skip events before this time, and the buffer was reset a moment ago. */
	tr->array_buffer.time_start = 0;

	early_stats.last = early_stamp_clock();
	early_stats.clock = tracing_clock_name(tr);
	early_stats.lost = early_nr_lost();
	/* oneshot has everything in its set. */
	if (early_state.once)
		return;
	/* The buffer was empty. */
	written = early_stats.recorded + early_nr_lost_events;
	kept = ring_buffer_entries_cpu(buffer, early_stats.cpu);
	if (written > kept)
		early_stats.overwritten = written - kept;
}

static void __init early_count_call(struct trace_array *tr, unsigned long ip,
				    unsigned long parent_ip, u64 tsc)
{
	early_stats.recorded++;
}

/* Drop the recorded calls: no tracer wants them. */
void __init early_drop(void)
{
	if (early_state.once)
		early_read_pairs(NULL, early_count_call);
	else
		early_read_calls(NULL, early_count_call, NULL);
	pr_warn("tracer %s has not started: %lu calls dropped\n", early_stats.tracer,
		early_stats.recorded + early_nr_lost());
	early_stats.recorded = 0;
	early_stats.before_ftrace_init = 0;
}
