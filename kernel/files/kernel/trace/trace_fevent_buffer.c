// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: recording them in the ring buffers of instances.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/ring_buffer.h>

#include "trace_fevent_types.h"
#include "trace_fevent_hook.h"
#include "trace_fevent_record.h"

/**
 * fevent_refused - an instance's buffer has no room, or this context already writes to it
 * @fe: the event
 * @file: its file in the instance
 */
noinline void fevent_refused(struct fevent *fe, struct trace_event_file *file)
{
	/* If recording is switched off in the instance, nothing is lost. */
	if (tracer_tracing_is_on(file->tr) &&
	    cpumask_test_cpu(raw_smp_processor_id(), file->tr->tracing_cpumask) &&
	    !((file->flags & EVENT_FILE_FL_PID_FILTER) && trace_event_ignore_this_pid(file)))
		atomic_long_inc(&fe->missed);
}

NOKPROBE_SYMBOL(fevent_refused);

/* Returns the former values, which belong to an event that this event has interrupted. */
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

/* Events with a filter, a trigger or a stack trace are recorded as other trace events are. */
static void fevent_trace_long(struct fevent *fe, struct trace_event_file *file, unsigned long ip,
			      unsigned long parent_ip, const struct fevent_values *values,
			      struct pt_regs *regs)
{
	int dynamic_size, by, cpu = raw_smp_processor_id();
	struct trace_event_buffer fbuffer;
	struct trace_event_stack outer;
	unsigned long dropped;
	bool refused, aside;

	/* Stack traces of triggers also begin at these registers, with the function. */
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
	/*
	 * We have disabled preemption twice: in the caller, fevent_call() or rethook, and in
	 * recursion protection. With PREEMPTION, trace_event_buffer_reserve() has already
	 * subtracted one of them.
	 */
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT)) {
		by = 2 - IS_ENABLED(CONFIG_PREEMPTION);
		((struct trace_entry *)fbuffer.entry)->preempt_count -= by;
		fbuffer.trace_ctx -= by;
	}
	fevent_fill(fe, fbuffer.entry, ip, parent_ip, values, dynamic_size);
	fbuffer.regs = regs;
	/*
	 * Without room, triggers still get a record, which is for them alone. A record that
	 * is put aside for a filter needs room only after the filter has let it pass.
	 */
	refused = !trace_array_has_buffer(file->tr, fbuffer.buffer) &&
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
 * @values: where the values come from
 * @regs: for a return event, the registers after the return, else NULL
 *
 * Context: Any that functions are traced in; preemption is off, recursion is guarded
 * against.
 */
void fevent_trace(struct fevent *fe, struct trace_event_file *file, unsigned long ip,
		  unsigned long parent_ip, const struct fevent_values *values,
		  struct pt_regs *regs)
{
	struct trace_buffer *buffer = file->tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct fevent_entry *entry;
	int dynamic_size;

	if (!fevent_is_plain(file)) {
		fevent_trace_long(fe, file, ip, parent_ip, values, regs);
		return;
	}
	dynamic_size = fevent_dynamic_size(fe, values);
	event = ring_buffer_lock_reserve(buffer, sizeof(*entry) + fe->tp.size + dynamic_size);
	if (!event) {
		fevent_refused(fe, file);
		return;
	}
	/* The caller, recursion protection and the ring buffer have disabled preemption. */
	entry = fevent_begin(fe, event, fevent_trace_ctx(3));
	fevent_fill(fe, entry, ip, parent_ip, values, dynamic_size);
	trace_event_commit_plain(file, buffer, event);
}

NOKPROBE_SYMBOL(fevent_trace);
