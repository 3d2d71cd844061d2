/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Function events, what their parts share. See trace_fevent.c for how they fit
 * together:
 *
 *	fevent_parse.c		the text of a prototype, to a structure and back
 *	trace_fevent.c		which events there are: tracefs, modules, boot
 *	trace_fevent_btf.c	fields that are named by BTF
 *	trace_fevent_record.c	what a record looks like, how it is filled and printed
 *	trace_fevent_hook.c	what happens when the function runs; ftrace, perf, BPF
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

/**
 * struct fevent_load - a field that is a register argument and nothing else
 * @reg: where the register is, in struct pt_regs
 * @offset: of the field, in the data behind struct fevent_entry
 * @narrow: 1, 2 or 4 bytes of it, FEVENT_LOAD_BOOL, or 0 for all
 */
struct fevent_load {
	u16	reg;
	u16	offset;
	u16	narrow;
};

#define FEVENT_LOAD_BOOL	(sizeof(bool) | 0x100)

/**
 * struct fevent_cut - what is done to a value after it was stored
 * @lshift: moves its highest bit up to bit 63
 * @rshift: and its lowest down to bit 0; 0 if nothing is cut
 * @is_signed: with its sign
 * @is_bool: a bool, or an array of them
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

/**
 * struct fevent_complaint - why a line was refused
 * @error: the kind, and where in the line
 * @detail: what to add to it, may be empty
 */
struct fevent_complaint {
	struct fevent_error	error;
	char			detail[88];
};

__printf(4, 5)
int __fevent_complain(struct fevent_complaint *complaint, enum fevent_err err, unsigned int column,
		      const char *detail, ...);

#define fevent_complain(complaint, kind, column)			\
	__fevent_complain(complaint, FEVENT_ERR_##kind, column, "%s", "")
#define fevent_complain_with(complaint, kind, column, ...)		\
	__fevent_complain(complaint, FEVENT_ERR_##kind, column, __VA_ARGS__)

size_t fevent_distance(const char *a, const char *b);

static inline struct fevent *to_fevent(struct trace_event_call *call)
{
	return container_of(trace_probe_primary_from_call(call), struct fevent, tp);
}

/* trace_fevent_btf.c */

/**
 * struct fevent_target - what a PATH leads to
 * @type: how the value is recorded
 * @count: elements of an array, bytes of a char[n], else 0
 * @enum_type: the enum whose names the value has, or NULL
 * @bytes: of a bit field, those that it is in
 * @bit_offset: of a bit field, in @bytes
 * @bit_size: its width, 0 if it is none
 * @arg: register that the path starts from
 * @in_memory: @steps lead to an address, else the value is in the register
 * @offset: bytes before it in the register
 * @steps: offsets: all but the last load a pointer to go on from
 * @nr_steps: how many
 */
struct fevent_target {
	enum fevent_type	type;
	unsigned int		count;
	const struct btf_type	*enum_type;
	unsigned int		bytes;
	unsigned int		bit_offset;
	unsigned int		bit_size;
	unsigned int		arg;
	bool			in_memory;
	int			offset;
	int			steps[FEVENT_MAX_STEPS + 1];
	unsigned int		nr_steps;
};

#ifdef CONFIG_PROBE_EVENTS_BTF_ARGS
int fevent_btf_expand(struct fevent_proto *proto, struct fevent_field **ret_fields,
		      unsigned int *ret_nr, struct fevent_complaint *complaint);
int fevent_btf_register(const struct fevent_proto *proto, const struct fevent_field *field,
			struct fevent_complaint *complaint);
int fevent_btf_resolve(struct fevent *fe, const struct fevent_field *field,
		       struct fevent_target *target, struct fevent_complaint *complaint);
int fevent_btf_return(const struct fevent_proto *proto, unsigned int *ret_size, bool *ret_signed,
		      struct fevent_complaint *complaint);
const char *fevent_btf_enum_name(const struct btf *btf, const struct btf_type *t, s64 value);
int fevent_btf_enum_symbols(const struct btf *btf, const struct btf_type *t, char *buf,
			    size_t size);
void fevent_btf_put(struct fevent *fe);
void fevent_btf_done(void);
#else
static inline int fevent_btf_expand(struct fevent_proto *proto, struct fevent_field **ret_fields,
				    unsigned int *ret_nr, struct fevent_complaint *complaint)
{
	return fevent_complain(complaint, NO_BTF, proto->args_column);
}

static inline int fevent_btf_register(const struct fevent_proto *proto,
				      const struct fevent_field *field,
				      struct fevent_complaint *complaint)
{
	return field->arg;
}

static inline int fevent_btf_resolve(struct fevent *fe, const struct fevent_field *field,
				     struct fevent_target *target,
				     struct fevent_complaint *complaint)
{
	return fevent_complain(complaint, NO_BTF, field->base_column);
}

static inline int fevent_btf_return(const struct fevent_proto *proto, unsigned int *ret_size,
				    bool *ret_signed, struct fevent_complaint *complaint)
{
	*ret_size = 0;
	*ret_signed = false;
	return 0;
}

static inline const char *fevent_btf_enum_name(const struct btf *btf, const struct btf_type *t,
					       s64 value)
{
	return NULL;
}

static inline int fevent_btf_enum_symbols(const struct btf *btf, const struct btf_type *t,
					  char *buf, size_t size)
{
	return 0;
}

static inline void fevent_btf_put(struct fevent *fe)
{
}

static inline void fevent_btf_done(void)
{
}
#endif

/* trace_fevent_record.c */
int fevent_compile(struct fevent *fe, const struct fevent_field *fields, unsigned int nr_fields,
		   struct fevent_complaint *complaint);
bool fevent_same_records(const struct fevent *a, const struct fevent *b);
void fevent_free_code(struct fevent *fe);
int fevent_dynamic_size(struct fevent *fe, const struct fevent_values *values);
void fevent_fill(struct fevent *fe, struct fevent_entry *entry, unsigned long ip,
		 unsigned long parent_ip, const struct fevent_values *values, u64 duration,
		 int dynamic_size);
extern struct trace_event_functions fevent_funcs;

/* The fields of a simple event. */
static nokprobe_inline void fevent_fill_loads(const struct fevent *fe, void *data,
					      struct ftrace_regs *fregs)
{
	const struct fevent_load *load = fe->loads, *end = fe->loads_end;
	const void *regs = &arch_ftrace_regs(fregs)->regs;

	if (unlikely(fe->holes))
		memset(data, 0, fe->tp.size);
	for (; load < end; load++) {
		unsigned long val = *(const unsigned long *)(regs + load->reg);

		if (likely(!load->narrow))
			*(unsigned long *)(data + load->offset) = val;
		else if (load->narrow == sizeof(u32))
			*(u32 *)(data + load->offset) = val;
		else if (load->narrow == sizeof(u16))
			*(u16 *)(data + load->offset) = val;
		else if (load->narrow == sizeof(u8))
			*(u8 *)(data + load->offset) = val;
		else
			*(u8 *)(data + load->offset) = !!(u8)val;
	}
}

/* trace_fevent_hook.c */
int fevent_reg(struct trace_event_call *call, enum trace_reg type, void *data);
int fevent_perf_perm(struct trace_event_call *call, struct perf_event *p_event);
int fevent_update_hooks(void);
bool fevent_is_armed(struct fevent *fe);
void fevent_wait_idle(struct fevent *fe);
void fevent_forget(struct module *mod);

#endif /* _TRACE_FEVENT_H */
