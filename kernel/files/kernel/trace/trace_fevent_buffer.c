// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: what the ring buffers of instances get of them.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/ring_buffer.h>

#include "trace_fevent.h"
#include "trace_fevent_hook.h"
#include "trace_fevent_record.h"

/**
 * fevent_refused - an instance's buffer has no room, or is written to in this context
 * @fe: the event
 * @file: its file in the instance
 */
noinline void fevent_refused(struct fevent *fe, struct trace_event_file *file)
{
	/* Where recording is switched off, nothing is lost. */
	if (tracer_tracing_is_on(file->tr) &&
	    cpumask_test_cpu(raw_smp_processor_id(), file->tr->tracing_cpumask) &&
	    !((file->flags & EVENT_FILE_FL_PID_FILTER) && trace_event_ignore_this_pid(file)))
		atomic_long_inc(&fe->missed);
}

NOKPROBE_SYMBOL(fevent_refused);

/* A snapshot may have taken the buffer since, and left the instance the other one. */
static nokprobe_inline bool fevent_is_buffer_of(const struct trace_array *tr,
						const struct trace_buffer *buffer)
{
#ifdef CONFIG_TRACER_MAX_TRACE
	if (buffer == READ_ONCE(tr->max_buffer.buffer))
		return true;
#endif
	return buffer == READ_ONCE(tr->array_buffer.buffer);
}

/* Returns what was there, which is that of an event that this one has interrupted. */
static nokprobe_inline struct trace_event_stack fevent_set_stack(struct trace_event_file *file,
								 struct pt_regs *regs)
{
	struct trace_event_stack outer = {
		.file = this_cpu_read(trace_event_stack.file),
		.regs = this_cpu_read(trace_event_stack.regs),
	};

	this_cpu_write(trace_event_stack.file, file);
	this_cpu_write(trace_event_stack.regs, regs);
	return outer;
}

/* A filter, a trigger, a stack trace: as for all other events. */
static void fevent_trace_long(struct fevent *fe, struct trace_event_file *file, unsigned long ip,
			      unsigned long parent_ip, const struct fevent_values *values,
			      u64 duration, struct pt_regs *regs)
{
	int dynamic_size, by, cpu = raw_smp_processor_id();
	struct trace_event_buffer fbuffer;
	struct trace_event_stack outer;
	unsigned long dropped;
	bool refused, aside;

	/* Triggers take a stack from here as well, and begin with the function. */
	regs = regs ?: fevent_context_regs(values);
	outer = fevent_set_stack(file, regs);
	if (trace_trigger_soft_disabled(file))
		goto out;
	dynamic_size = fevent_dynamic_size(fe, values);
	if (!trace_event_buffer_reserve(&fbuffer, file,
					sizeof(struct fevent_entry) + fe->tp.size +
					dynamic_size)) {
		fevent_refused(fe, file);
		goto out;
	}
	/* By fevent_call() or rethook, and recursion protection. It knows of one, or of none. */
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT)) {
		by = 2 - IS_ENABLED(CONFIG_PREEMPTION);
		((struct trace_entry *)fbuffer.entry)->preempt_count -= by;
		fbuffer.trace_ctx -= by;
	}
	fevent_fill(fe, fbuffer.entry, ip, parent_ip, values, duration, dynamic_size);
	fbuffer.regs = regs;
	/*
	 * Without room there is a record nevertheless, for triggers alone, if there are
	 * some; and what is put aside for a filter looks for room when that has let it pass.
	 */
	refused = !fevent_is_buffer_of(file->tr, fbuffer.buffer) &&
		  !(file->flags & (EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_SOFT_DISABLED));
	aside = fbuffer.event == this_cpu_read(trace_buffered_event);
	dropped = ring_buffer_dropped_events_cpu(fbuffer.buffer, cpu);
	trace_event_buffer_commit(&fbuffer);
	if (aside)
		refused = ring_buffer_dropped_events_cpu(fbuffer.buffer, cpu) != dropped;
	if (unlikely(refused))
		fevent_refused(fe, file);
out:
	fevent_set_stack(outer.file, outer.regs);
}

NOKPROBE_SYMBOL(fevent_trace_long);

/**
 * fevent_trace - record an event in the ring buffer of an instance
 * @fe: the event
 * @file: its file in the instance
 * @ip: the function
 * @parent_ip: its caller
 * @values: what its values come from
 * @duration: of a return event, in ns
 * @regs: of a return event, where it has returned to, else NULL
 *
 * Context: Any that functions are traced in; preemption is off, recursion is guarded
 * against.
 */
void fevent_trace(struct fevent *fe, struct trace_event_file *file, unsigned long ip,
		  unsigned long parent_ip, const struct fevent_values *values, u64 duration,
		  struct pt_regs *regs)
{
	struct trace_buffer *buffer = file->tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct fevent_entry *entry;
	int dynamic_size;

	if (!fevent_is_plain(file)) {
		fevent_trace_long(fe, file, ip, parent_ip, values, duration, regs);
		return;
	}
	dynamic_size = fevent_dynamic_size(fe, values);
	event = ring_buffer_lock_reserve(buffer, sizeof(*entry) + fe->tp.size + dynamic_size);
	if (!event) {
		fevent_refused(fe, file);
		return;
	}
	/* By fevent_call() or rethook, recursion protection, and the ring buffer. */
	entry = fevent_begin(fe, event, fevent_trace_ctx(3));
	fevent_fill(fe, entry, ip, parent_ip, values, duration, dynamic_size);
	trace_event_commit_plain(file, buffer, event);
}

NOKPROBE_SYMBOL(fevent_trace);
