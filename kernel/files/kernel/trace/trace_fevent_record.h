/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Function events, the record side: what a record looks like, how it is filled, how it
 * is printed.
 */
#ifndef _TRACE_FEVENT_RECORD_H
#define _TRACE_FEVENT_RECORD_H

#include "trace_fevent_types.h"

/* trace_fevent_print.c */
extern const struct fetch_type fevent_fetch_types[FEVENT_T_MAX];
extern const struct fetch_type fevent_chars;
extern struct trace_event_functions fevent_funcs;

int fevent_set_print_fmt(struct fevent *fe);

/* trace_fevent_record.c */
int fevent_compile(struct fevent *fe, const struct fevent_field *fields, unsigned int nr_fields,
		   struct fevent_complaint *complaint);
bool fevent_same_records(const struct fevent *a, const struct fevent *b);
void fevent_free_code(struct fevent *fe);
int fevent_dynamic_size(struct fevent *fe, const struct fevent_values *values);
void fevent_fill(struct fevent *fe, struct fevent_entry *entry, unsigned long ip,
		 unsigned long parent_ip, const struct fevent_values *values, int dynamic_size);

/* Read a number from a record. */
static nokprobe_inline s64 fevent_number(const struct probe_arg *parg, const void *data)
{
	if (parg->type->is_signed) {
		switch (parg->type->size) {
		case 1:
			return *(s8 *)data;
		case 2:
			return *(s16 *)data;
		case 4:
			return *(s32 *)data;
		}
	} else {
		switch (parg->type->size) {
		case 1:
			return *(u8 *)data;
		case 2:
			return *(u16 *)data;
		case 4:
			return *(u32 *)data;
		}
	}
	return *(s64 *)data;
}

/* Convert a value to a wider type, as C does. */
static nokprobe_inline unsigned long fevent_widen(unsigned long val, unsigned int lack,
						  unsigned int widen)
{
	val <<= lack;
	switch (widen) {
	case FEVENT_SIGNED:
		return (long)val >> lack;
	case FEVENT_BOOL:
		return !!val;
	default:
		return val >> lack;
	}
}

/* @returns: @values are from a return. If @returns is a constant, no test is compiled. */
static nokprobe_inline const void *fevent_load_base(const struct fevent_values *values,
						    bool returns)
{
	if (returns)
		return values->returned;
	return &arch_ftrace_regs(values->fregs)->regs;
}

/* Fill in the fields of a simple event. @from: see struct fevent_load */
static nokprobe_inline void fevent_fill_loads(const struct fevent *fe, void *data,
					      const void *from)
{
	const struct fevent_load *load = fe->layout.loads, *end = fe->layout.loads_end;

	if (unlikely(fe->layout.holes))
		memset(data, 0, fe->tp.size);
	for (; load < end; load++) {
		unsigned long val = *(const unsigned long *)(from + load->from);
		void *dest = data + load->offset;
		unsigned int size = load->size;

		if (likely(!size)) {
			*(unsigned long *)dest = val;
			continue;
		}
		if (size & FEVENT_LOAD_WIDEN) {
			val = fevent_widen(val, load->lack, load->widen);
			size &= ~FEVENT_LOAD_WIDEN;
		}
		if (size == sizeof(u32))
			*(u32 *)dest = val;
		else if (size == sizeof(u16))
			*(u16 *)dest = val;
		else if (size == sizeof(u8))
			*(u8 *)dest = val;
		else
			*(u64 *)dest = val;
	}
}

#endif /* _TRACE_FEVENT_RECORD_H */
