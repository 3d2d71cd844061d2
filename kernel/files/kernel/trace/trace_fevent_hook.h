/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Function events, the hook side: what happens when a function with events is called.
 * Each file uses only the files above it, and the record side:
 *
 *	trace_fevent_perf.c	what perf and BPF programs get
 *	trace_fevent_buffer.c	what ring buffers get
 *	trace_fevent_return.c	what happens when the function returns
 *	trace_fevent_hook.c	what happens when it is called; the listeners
 */
#ifndef _TRACE_FEVENT_HOOK_H
#define _TRACE_FEVENT_HOOK_H

#include <linux/filter.h>
#include <linux/ftrace.h>
#include <linux/percpu.h>

#include "trace_fevent_types.h"
#include "trace_fevent_record.h"

/* trace_fevent_perf.c */

/* Registers for unwinding the stack, from the function itself on. */
static nokprobe_inline struct pt_regs *
fevent_entry_regs(struct ftrace_regs *fregs, struct pt_regs *regs)
{
	ftrace_fill_perf_regs(fregs, regs);
	regs->bp = ftrace_regs_get_frame_pointer(fregs);
	/* perf takes these registers for those of an interrupt, and begins with ->ip. */
	regs->flags = X86_EFLAGS_FIXED;
	return regs;
}

/* Registers for each context that may interrupt another. Unused registers stay 0. */
DECLARE_PER_CPU(struct pt_regs, fevent_regs[TRACE_CTX_TRANSITION + 1]);

static nokprobe_inline struct pt_regs *
fevent_context_regs(const struct fevent_values *values)
{
	return fevent_entry_regs(values->fregs, this_cpu_ptr(&fevent_regs[values->context]));
}

#ifdef CONFIG_BPF_EVENTS
static nokprobe_inline bool fevent_has_bpf(const struct fevent *fe)
{
	return bpf_prog_array_valid(&fe->tp.event->call);
}

void fevent_call_bpf(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
		     struct ftrace_regs *fregs);
#else
static inline bool fevent_has_bpf(const struct fevent *fe)
{
	return false;
}

static inline void fevent_call_bpf(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
				   struct ftrace_regs *fregs)
{
}
#endif

int fevent_perf_init(void);
int fevent_perf_perm(struct trace_event_call *call, struct perf_event *p_event);
void fevent_miss(struct fevent *fe);
void fevent_deliver_perf(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
			 const struct fevent_values *values, struct pt_regs *regs);

/* trace_fevent_buffer.c */

/* With any of these flags, fevent_trace_long() writes the record. */
#define FEVENT_FILE_SPECIAL	(EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_NO_SET_FILTER |	\
				 EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_TRIGGER_MODE | \
				 EVENT_FILE_FL_TRIGGER_COND | EVENT_FILE_FL_PID_FILTER)
#define FEVENT_TRACE_SPECIAL	(TRACE_ITER(STACKTRACE) | TRACE_ITER(USERSTACKTRACE))

/*
 * The context of the traced function: recording itself has disabled preemption @by
 * times, which the event must not show.
 */
static nokprobe_inline unsigned int fevent_trace_ctx(unsigned int by)
{
	return tracing_gen_ctx() - (IS_ENABLED(CONFIG_PREEMPT_COUNT) ? by : 0);
}

static nokprobe_inline bool fevent_is_plain(const struct trace_event_file *file)
{
	return likely(!(READ_ONCE(file->flags) & FEVENT_FILE_SPECIAL) &&
		      !(READ_ONCE(file->tr->trace_flags) & FEVENT_TRACE_SPECIAL));
}

/* ring_buffer_event_data(), without a call if the event is short and has no time stamp. */
static nokprobe_inline void *fevent_event_data(struct ring_buffer_event *event)
{
	if (likely(event->type_len - 1U < RINGBUF_TYPE_DATA_TYPE_LEN_MAX))
		return event->array;
	return ring_buffer_event_data(event);
}

/* Begin the record in an event that was reserved. */
static nokprobe_inline struct fevent_entry *
fevent_begin(struct fevent *fe, struct ring_buffer_event *event, unsigned int trace_ctx)
{
	struct fevent_entry *entry = fevent_event_data(event);

	tracing_generic_entry_update(&entry->ent, fe->tp.event->call.event.type, trace_ctx);
	return entry;
}

void fevent_refused(struct fevent *fe, struct trace_event_file *file);
void fevent_trace(struct fevent *fe, struct trace_event_file *file, unsigned long ip,
		  unsigned long parent_ip, const struct fevent_values *values,
		  struct pt_regs *regs);

/* Deliver an event to all listeners. */
static nokprobe_inline void fevent_deliver(struct fevent *fe, unsigned long ip,
					   unsigned long parent_ip,
					   const struct fevent_values *values,
					   struct pt_regs *regs)
{
	unsigned int flags = trace_probe_load_flag(&fe->tp);
	struct event_file_link *link;

	if (flags & TP_FLAG_TRACE) {
		trace_probe_for_each_link_rcu(link, &fe->tp)
			fevent_trace(fe, link->file, ip, parent_ip, values, regs);
	}
	if (flags & TP_FLAG_PROFILE)
		fevent_deliver_perf(fe, ip, parent_ip, values, regs);
}

/* trace_fevent_return.c */

/*
 * While a call is recorded, recursion protection lets one more call through: it cannot
 * tell this call from the first steps of an interrupt. For an event that follows
 * pointers, one call is too many: a page fault calls dozens of functions. With events
 * on all of them, each fault would cause hundreds more.
 */
static nokprobe_inline bool fevent_is_nested(const struct fevent *fe, int bit)
{
	return bit == TRACE_FTRACE_START + TRACE_CTX_TRANSITION && fe->layout.faults_arg >= 0;
}

#ifdef CONFIG_FUNCTION_EVENTS_RETURN
void fevent_enter(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
		  struct ftrace_regs *fregs);
int fevent_start_returns(struct fevent *fe);
void fevent_stop_returns(struct fevent *fe);
#else
static inline void fevent_enter(struct fevent *fe, unsigned long ip, unsigned long parent_ip,
				struct ftrace_regs *fregs)
{
}

static inline int fevent_start_returns(struct fevent *fe)
{
	return -EOPNOTSUPP;
}

static inline void fevent_stop_returns(struct fevent *fe)
{
}
#endif

/* trace_fevent_hook.c */
int fevent_class_reg(struct trace_event_call *call, enum trace_reg type, void *data);
int fevent_update_hooks(void);
bool fevent_is_armed(struct fevent *fe);
void fevent_wait_idle(struct fevent *fe);
void fevent_forget(struct module *mod);
void fevent_batch_begin(void);
int fevent_batch_end(void);
extern const struct trace_event_batch fevent_batch_ops;

#endif /* _TRACE_FEVENT_HOOK_H */
