/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Function events, the data that their parts share. See trace_fevent.c for how they
 * fit together:
 *
 *	fevent_parse.h		the text of a prototype, to a structure and back
 *	trace_fevent_btf.h	what BTF knows of functions and their arguments
 *	trace_fevent_record.h	what a record looks like, how it is filled and printed
 *	trace_fevent_hook.h	what happens when the function runs; ftrace, perf, BPF
 *	trace_fevent_core.h	which events there are: tracefs, modules, boot
 *
 * Each uses only what stands above it. Here are the data.
 */
#ifndef _TRACE_FEVENT_H
#define _TRACE_FEVENT_H

#include <linux/ftrace.h>
#include <linux/rethook.h>

#include "trace_dynevent.h"
#include "trace_probe.h"
#include "fevent_parse.h"

/*
 * A record has to fit into a page of the ring buffer with all that is around it:
 * the fields, and behind them the strings, which are cut when they get too long.
 */
#define FEVENT_MAX_FIXED	2048
#define FEVENT_MAX_DYNAMIC	1536

/* Of an event: 2 ^ 11 times as many nodes as in the first. */
#define FEVENT_MAX_RETHOOKS	12

/* Register arguments: x86-64's; others have as many, or fewer. */
#define FEVENT_MAX_ARGS		6

/* Of a trace_probe, besides the fields: ret, duration, faults. */
#define FEVENT_EXTRA_ARGS	3

/* What each record begins with. */
struct fevent_entry {
	struct trace_entry	ent;
	unsigned long		ip;
	unsigned long		parent_ip;
};

/* What becomes of a value that does not fill its register. */
enum fevent_widen {
	FEVENT_UNSIGNED,
	FEVENT_SIGNED,
	FEVENT_BOOL,		/* 0, or 1 for all that is not 0 */
};

/**
 * struct fevent_reg - a value in a register, as a fetch instruction knows it
 * @nr: which argument's register, from 0
 * @offset: bytes before it in the register
 * @lack: bits by which it is shorter than a register; the ABI leaves them undefined
 * @widen: an enum fevent_widen
 */
struct fevent_reg {
	u8	nr;
	u8	offset;
	u8	lack;
	u8	widen;
};

/**
 * struct fevent_load - a field that is a register argument and nothing else
 * @reg: where its bytes begin, in struct pt_regs
 * @offset: of the field, in the data behind struct fevent_entry
 * @size: 1, 2 or 4 bytes of it are stored, or 0 for all; or as many as the field has, and
 *	FEVENT_LOAD_WIDEN
 * @lack: as in struct fevent_reg, if it is to be widened
 * @widen: likewise
 */
struct fevent_load {
	u16	reg;
	u16	offset;
	u8	size;
	u8	lack;
	u8	widen;
};

#define FEVENT_LOAD_WIDEN	0x80

/**
 * struct fevent_cut - what is done to a value after it was stored
 * @lshift: moves its highest bit up to bit 63
 * @rshift: and its lowest down to bit 0; 0 if nothing is cut
 * @is_signed: with its sign
 * @is_bool: a bool in memory, or an array of them
 */
struct fevent_cut {
	u8	lshift;
	u8	rshift;
	bool	is_signed;
	bool	is_bool;
};

/**
 * struct fevent_values - where a record's values come from
 * @fregs: registers at the function's entry, or
 * @args: what was saved of them there, when this is its return
 * @ret: what it returns
 * @context: of the entry: task, interrupt, NMI, ... as a small number
 */
struct fevent_values {
	struct ftrace_regs	*fregs;
	const unsigned long	*args;
	unsigned long		ret;
	unsigned int		context;
};

/**
 * struct fevent - a function event
 * @devent: its place among the dynamic events
 * @list: its place among the function events
 * @proto: the line, parsed
 * @text: the line in canonical form, without a newline
 * @name_node: in the hash of names
 * @batch: in the list of what one write creates or removes
 * @doomed: is about to be removed by the write that is looked at
 * @replaces: has the name of a doomed one
 * @ips: the functions, as ftrace knows them; none while the module is not there
 * @nr_ips: how many
 * @armed: in the list of events that someone listens to
 * @fresh: in the list of those that the batch at hand has armed
 * @was_armed: someone has listened to it once
 * @fast_file: the only listener, if it is a file and @simple
 * @only_perf: perf, or BPF programs, are the only listeners, and it is no return event
 * @rethooks: of a return event that is armed
 * @nr_rethooks: how many
 * @wants_nodes: it is time for one more
 * @returning: in the list of return events that are armed
 * @missed: calls that nothing could be recorded of
 * @btf: what @enums belong to
 * @enums: for each of tp.args the enum that names its values, or NULL
 * @cuts: for each of tp.args
 * @fields: how the trace event declares them
 * @loads: all fields, if each one is a register argument and nothing else
 * @loads_end: behind the last one
 * @simple: @loads are all there is to fill
 * @holes: some bytes of the record belong to no field
 * @nr_saved: arguments that a return event saves at the function's entry
 * @ret_arg: index in tp.args of the return value, or -1
 * @duration_arg: of the duration, or -1
 * @faults_arg: of the bitmap of fields that could not be read, or -1
 * @tp: the trace event; its args are the fields, in the order of their offsets
 */
struct fevent {
	struct dyn_event	devent;
	struct list_head	list;
	struct fevent_proto	*proto;
	char			*text;
	struct hlist_node	name_node;
	struct list_head	batch;
	bool			doomed;
	bool			replaces;

	unsigned long		*ips;
	unsigned int		nr_ips;
	struct list_head	armed;
	struct list_head	fresh;
	bool			was_armed;
	struct trace_event_file	*fast_file;
	bool			only_perf;
	struct rethook		*rethooks[FEVENT_MAX_RETHOOKS];
	unsigned int		nr_rethooks;
	bool			wants_nodes;
	struct list_head	returning;
	atomic_long_t		missed;

	struct btf		*btf;
	const struct btf_type	**enums;
	struct fevent_cut	*cuts;
	struct trace_event_fields *fields;
	struct fevent_load	*loads;
	struct fevent_load	*loads_end;
	bool			simple;
	bool			holes;
	unsigned int		nr_saved;
	int			ret_arg;
	int			duration_arg;
	int			faults_arg;

	struct trace_probe	tp;
};

static inline struct fevent *to_fevent(struct trace_event_call *call)
{
	return container_of(trace_probe_primary_from_call(call), struct fevent, tp);
}

#endif /* _TRACE_FEVENT_H */
