/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Function events, the data that their parts share. trace_fevent.c tells how the parts
 * fit together:
 *
 *	fevent_parse.h		the text of a prototype, to a structure and back
 *	trace_fevent_btf.h	what BTF knows of functions and their arguments
 *	trace_fevent_record.h	what a record looks like, how it is filled and printed
 *	trace_fevent_hook.h	what happens when the function runs; ftrace, perf, BPF
 *	trace_fevent_core.h	the events that exist: tracefs, modules, boot
 *
 * Each part uses only the parts above it. The data are in this file.
 */
#ifndef _TRACE_FEVENT_TYPES_H
#define _TRACE_FEVENT_TYPES_H

#include <linux/ftrace.h>

#include "trace_dynevent.h"
#include "trace_probe.h"
#include "fevent_parse.h"

/*
 * A record has to fit into a page of the ring buffer, with the headers of both. It has
 * the fields, and after them the strings, which are cut when they get too long.
 */
#define FEVENT_MAX_FIXED	2048
#define FEVENT_MAX_DYNAMIC	1536

/* Register arguments, as many as x86-64 has. */
#define FEVENT_MAX_ARGS		6

/* Arguments of a trace_probe besides the line's fields: ret, duration, faults. */
#define FEVENT_EXTRA_ARGS	3

/* The beginning of each record. */
struct fevent_entry {
	struct trace_entry	ent;
	unsigned long		ip;
	unsigned long		parent_ip;
};

/* How a value that does not fill its register is widened. */
enum fevent_widen {
	FEVENT_UNSIGNED,
	FEVENT_SIGNED,
	FEVENT_BOOL,		/* to 0, or to 1 if it is not 0 */
};

/**
 * struct fevent_reg - a value in a register, as a fetch instruction knows it
 * @nr: the number of the argument register, from 0
 * @offset: bytes before the value in the register
 * @lack: bits by which the value is shorter than a register; the ABI leaves them undefined
 * @widen: an enum fevent_widen
 */
struct fevent_reg {
	u8	nr;
	u8	offset;
	u8	lack;
	u8	widen;
};

/**
 * struct fevent_load - a field that needs no pointer
 * @from: offset of the value in struct pt_regs; for a return event, in struct
 *	fevent_returned
 * @offset: offset of the field in the data after struct fevent_entry
 * @size: 1, 2 or 4 to store as many bytes, 0 to store the whole register; or the size of
 *	the field and FEVENT_LOAD_WIDEN, to widen the value first
 * @lack: as in struct fevent_reg, with FEVENT_LOAD_WIDEN
 * @widen: as in struct fevent_reg, with FEVENT_LOAD_WIDEN
 */
struct fevent_load {
	u16	from;
	u16	offset;
	u8	size;
	u8	lack;
	u8	widen;
};

#define FEVENT_LOAD_WIDEN	0x80

/**
 * struct fevent_cut - how a value is changed after it was stored
 * @lshift: shift that moves the highest bit of the value up to bit 63
 * @rshift: second shift, which moves the lowest bit down to bit 0; 0 if nothing is cut
 * @is_signed: the second shift keeps the sign
 * @is_bool: the value is a bool in memory, or an array of them
 */
struct fevent_cut {
	u8	lshift;
	u8	rshift;
	bool	is_signed;
	bool	is_bool;
};

/**
 * struct fevent_returned - the data of a call whose function returns
 * @ret: the value that it returns
 * @duration: how long it took, in ns
 * @args: the arguments that were saved at its entry
 */
struct fevent_returned {
	unsigned long		ret;
	u64			duration;
	unsigned long		args[];
};

/**
 * struct fevent_values - where a record's values come from
 * @fregs: registers at the function's entry; NULL at its return
 * @returned: the call, at the function's return; NULL at its entry
 * @context: context of the entry: task, interrupt, NMI, ... as a small number
 */
struct fevent_values {
	struct ftrace_regs		*fregs;
	const struct fevent_returned	*returned;
	unsigned int			context;
};

/**
 * struct fevent_layout - what records of an event look like; trace_fevent_record.c makes it
 * @btf: the BTF that @enums belong to
 * @enums: for each of tp.args the enum that names its values, or NULL
 * @cuts: for each of tp.args, how its value is changed
 * @fields: declarations of the fields, for the trace event
 * @loads: a load for each field, if no field follows a pointer or is a bit field
 * @loads_end: the end of @loads
 * @simple: @loads fill the whole record
 * @holes: some bytes of the record belong to no field
 * @nr_saved: arguments that a return event saves at the function's entry
 * @ret_arg: index in tp.args of the return value, or -1
 * @duration_arg: index of the duration, or -1
 * @faults_arg: index of the bitmap of fields that could not be read, or -1
 */
struct fevent_layout {
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
};

/**
 * struct fevent_listen - who listens to an event; trace_fevent_hook.c keeps it
 * @armed: in the list of events that someone listens to
 * @fresh: in the list of events that the present batch has armed
 * @was_armed: someone has listened to the event once
 * @fast_file: the only listener, if it is a file, and the event is simple and no
 *	return event
 * @only_perf: perf or BPF programs are the only listeners, and it is no return event
 */
struct fevent_listen {
	struct list_head	armed;
	struct list_head	fresh;
	bool			was_armed;
	struct trace_event_file	*fast_file;
	bool			only_perf;
};

/**
 * struct fevent - a function event
 * @devent: its place among the dynamic events
 * @list: its place among the function events
 * @proto: the line, parsed
 * @text: the line in canonical form, without a newline
 * @name_node: in the hash of names
 * @batch: in the list of events that one write creates or removes
 * @doomed: the write that is being processed will remove it
 * @replaces: the event takes the name of a doomed event
 * @ips: the functions, as ftrace knows them; none while the module is not loaded
 * @nr_ips: how many
 * @listen: who listens to it
 * @returning: for an armed return event: the rethook nodes of its calls point to this
 * @missed: calls that could not be recorded
 * @layout: what its records look like, and how they are filled
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
	struct fevent_listen	listen;
	struct fevent_returning	*returning;
	atomic_long_t		missed;

	struct fevent_layout	layout;
	struct trace_probe	tp;
};

static inline struct fevent *to_fevent(struct trace_event_call *call)
{
	return container_of(trace_probe_primary_from_call(call), struct fevent, tp);
}

#endif /* _TRACE_FEVENT_TYPES_H */
