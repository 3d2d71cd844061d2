// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: what a record looks like, and how it is filled.
 *
 * A record is a struct fevent_entry, followed by the fields in the order of the
 * prototype. Each field is aligned to its size: BPF programs may only read aligned ones.
 *
 *	+------------+------+-------------+--------+-----+-----+----------+--------+~~~~~~~~~
 *	| ent        | __ip | __parent_ip | fields ...  | ret | duration | faults | strings
 *	+------------+------+-------------+--------+-----+-----+----------+--------+~~~~~~~~~
 *
 * Return events have ret and duration. faults is there if some field is read from
 * memory. The offsets ascend, because trace_event_get_offsets() takes the end of the
 * field that was defined last for the end of the record. When a BPF program is
 * attached, the size that it reads is checked against this end.
 *
 * Filling. If no field follows a pointer or is a bit field, a record is filled by a few loads
 * and stores, struct fevent_load. Otherwise, the fields are compiled to the fetch instructions
 * of the other dynamic events, which trace_probe_tmpl.h runs: find the value or address, follow
 * pointers, store. A read that fails leaves zeros and sets the field's bit in faults. A record
 * with holes is zeroed first, so that a record has no data but what was read.
 */
#define FETCH_MEM_FAULTS

#include <linux/slab.h>
#include <linux/uaccess.h>

#include "trace_fevent_types.h"
#include "trace_fevent_btf.h"
#include "trace_fevent_record.h"
#include "trace_probe_kernel.h"
#include "trace_probe_tmpl.h"

/* ---- compiling ---- */

struct fevent_code {
	struct fetch_insn	insn[FETCH_INSN_MAX];
	unsigned int		nr;
};

static struct fetch_insn *fevent_emit(struct fevent_code *code, enum fetch_op op)
{
	struct fetch_insn *insn = &code->insn[code->nr++];

	/* A path of FEVENT_MAX_STEPS always fits, with the instructions around it. */
	BUILD_BUG_ON(FEVENT_MAX_STEPS + 5 > FETCH_INSN_MAX);
	memset(insn, 0, sizeof(*insn));
	insn->op = op;
	return insn;
}

/* An instruction that reads a register has a fevent_reg in place of its parameters. */
static nokprobe_inline struct fevent_reg *fevent_insn_reg(struct fetch_insn *insn)
{
	BUILD_BUG_ON(sizeof(struct fevent_reg) > sizeof(insn->immediate));
	return (struct fevent_reg *)&insn->immediate;
}

/* Read the register of @target. @is_bool: the value itself is recorded, as a bool. */
static void fevent_emit_register(struct fevent_code *code, enum fetch_op op,
				 const struct fevent_target *target, bool is_bool)
{
	struct fevent_reg *reg = fevent_insn_reg(fevent_emit(code, op));
	unsigned int size = target->size;

	if (!size)
		size = is_bool ? sizeof(bool) : sizeof(long);
	reg->nr = target->arg;
	reg->offset = target->offset;
	reg->lack = BITS_PER_LONG - BITS_PER_BYTE * size;
	reg->widen = is_bool ? FEVENT_BOOL : target->is_signed;
}

static void fevent_emit_arg(struct fevent *fe, struct fevent_code *code,
			    const struct fevent_target *target, bool is_bool)
{
	bool returns = fe->proto->returns;

	fevent_emit_register(code, returns ? FETCH_OP_EDATA : FETCH_OP_ARG, target, is_bool);
	if (returns)
		fe->layout.nr_saved = max(fe->layout.nr_saved, target->arg + 1);
}

/* Store the memory at @offset from the address that was reached. */
static struct fetch_insn *fevent_emit_memory(struct fevent_code *code, struct probe_arg *parg,
					     int offset)
{
	struct fetch_insn *insn;

	if (!parg->type->is_string)
		insn = fevent_emit(code, FETCH_OP_ST_MEM);
	else if (parg->type == &fevent_fetch_types[FEVENT_T_USTRING])
		insn = fevent_emit(code, FETCH_OP_ST_USTRING);
	else
		insn = fevent_emit(code, FETCH_OP_ST_STRING);
	/* An array is stored as one piece of memory, and not element by element. */
	insn->size = parg->type->size * (parg->count ?: 1);
	insn->offset = offset;
	return insn;
}

/* Compile a TYPE NAME {MOD}. */
static void fevent_compile_mods(struct fevent *fe, const struct fevent_field *field,
				const struct fevent_target *target, struct fevent_code *code,
				struct probe_arg *parg)
{
	bool in_memory = field->nr_steps || parg->count || parg->type->is_string;
	unsigned int size = parg->type->is_string ? sizeof(void *) : parg->type->size;
	int offset = 0;
	unsigned int i;

	fevent_emit_arg(fe, code, target, !in_memory && target->type == FEVENT_T_BOOL);
	if (!in_memory) {
		fevent_emit(code, FETCH_OP_ST_RAW)->size = parg->type->size;
		return;
	}
	for (i = 0; i < field->nr_steps; i++) {
		if (field->steps[i].kind == FEVENT_OFFSET) {
			offset += field->steps[i].n;
			continue;
		}
		offset += field->steps[i].n * size;
		if (i + 1 < field->nr_steps) {
			fevent_emit(code, FETCH_OP_DEREF)->offset = offset;
			offset = 0;
		}
	}
	fevent_emit_memory(code, parg, offset);
}

static void fevent_compile_target(struct fevent *fe, const struct fevent_target *target,
				  struct fevent_code *code, struct probe_arg *parg)
{
	struct fetch_insn *insn;
	unsigned int i;
	bool is_bool;

	/* A bit field is cut before it is made a bool. */
	is_bool = target->type == FEVENT_T_BOOL && !target->in_memory && !target->bit_size;
	fevent_emit_arg(fe, code, target, is_bool);
	if (!target->in_memory) {
		fevent_emit(code, FETCH_OP_ST_RAW)->size = parg->type->size;
		return;
	}
	for (i = 0; i + 1 < target->nr_steps; i++)
		fevent_emit(code, FETCH_OP_DEREF)->offset = target->steps[i];
	insn = fevent_emit_memory(code, parg, target->steps[i]);
	if (target->bit_size)
		insn->size = target->bytes;
}

/* Give an argument its place in the record, after the arguments before it. */
static int fevent_place(struct fevent *fe, struct probe_arg *parg)
{
	unsigned int size = parg->type->size;
	int offset = ALIGN(fe->tp.size, size);

	if (offset != fe->tp.size)
		fe->layout.holes = true;
	parg->offset = offset;
	fe->tp.size = offset + size * (parg->count ?: 1);
	if (parg->count) {
		parg->fmt = kasprintf(GFP_KERNEL, "%s[%u]", parg->type->fmttype, parg->count);
		if (!parg->fmt)
			return -ENOMEM;
	}
	return 0;
}

/* Cut a value to @size bits from bit @offset on, with or without a sign. */
static void fevent_cut(struct fevent *fe, int i, unsigned int offset, unsigned int size,
		       bool is_signed)
{
	fe->layout.cuts[i].lshift = 64 - offset - size;
	fe->layout.cuts[i].rshift = 64 - size;
	fe->layout.cuts[i].is_signed = is_signed;
}

static int fevent_add_arg(struct fevent *fe, const char *name, enum fevent_type type,
			  unsigned int count)
{
	int i = fe->tp.nr_args++;
	struct probe_arg *parg = &fe->tp.args[i];

	parg->name = kstrdup(name, GFP_KERNEL);
	if (!parg->name)
		return -ENOMEM;
	parg->type = &fevent_fetch_types[type];
	parg->count = count;
	parg->dynamic = parg->type->is_string;
	fe->layout.cuts[i].is_bool = type == FEVENT_T_BOOL;
	if (count && type == FEVENT_T_CHAR)
		parg->type = &fevent_chars;
	return fevent_place(fe, parg) ?: i;
}

static int fevent_finish_code(struct probe_arg *parg, struct fevent_code *code)
{
	fevent_emit(code, FETCH_OP_END);
	parg->code = kmemdup(code->insn, code->nr * sizeof(code->insn[0]), GFP_KERNEL);
	return parg->code ? 0 : -ENOMEM;
}

static int fevent_compile_field(struct fevent *fe, const struct fevent_field *field,
				struct fevent_complaint *complaint)
{
	struct fevent_target target = {
		.type = field->type, .count = field->count,
	};
	struct fevent_code code = { };
	struct probe_arg *parg;
	int ret, i;

	if (field->source == FEVENT_PATH) {
		ret = fevent_btf_resolve(fe, field, &target, complaint);
		if (ret)
			return ret;
	} else if (field->source == FEVENT_ARG) {
		ret = fevent_btf_register(fe->proto, field, &target, complaint);
		if (ret)
			return ret;
	}
	i = fevent_add_arg(fe, field->name, target.type, target.count);
	if (i < 0)
		return i;
	parg = &fe->tp.args[i];
	fe->layout.enums[i] = target.enum_type;
	if (target.bit_size)
		fevent_cut(fe, i, target.bit_offset, target.bit_size, parg->type->is_signed);

	switch (field->source) {
	case FEVENT_ARG:
		fevent_compile_mods(fe, field, &target, &code, parg);
		break;
	case FEVENT_PATH:
		fevent_compile_target(fe, &target, &code, parg);
		break;
	case FEVENT_SYMBOL:
	case FEVENT_ADDR:
		fevent_emit(&code, FETCH_OP_IMM)->immediate = field->addr;
		fevent_emit_memory(&code, parg, 0);
		break;
	}
	return fevent_finish_code(parg, &code);
}

static int fevent_compile_return(struct fevent *fe, struct fevent_complaint *complaint)
{
	enum fevent_type type = fe->proto->ret_type;
	struct fevent_target target = { };
	struct fevent_code code = { };
	struct probe_arg *parg;
	int ret;

	ret = fevent_btf_return(fe->proto, &target, complaint);
	if (ret)
		return ret;
	if (type != FEVENT_T_VOID) {
		fe->layout.ret_arg = fevent_add_arg(fe, "ret", type, 0);
		if (fe->layout.ret_arg < 0)
			return fe->layout.ret_arg;
		parg = &fe->tp.args[fe->layout.ret_arg];
		fevent_emit_register(&code, FETCH_OP_RETVAL, &target, type == FEVENT_T_BOOL);
		if (parg->dynamic)
			fevent_emit_memory(&code, parg, 0);
		else
			fevent_emit(&code, FETCH_OP_ST_RAW)->size = parg->type->size;
		ret = fevent_finish_code(parg, &code);
		if (ret)
			return ret;
	}
	fe->layout.duration_arg = fevent_add_arg(fe, "duration", FEVENT_T_U64, 0);
	return min(fe->layout.duration_arg, 0);
}

static bool fevent_arg_can_fault(const struct probe_arg *parg)
{
	const struct fetch_insn *insn;

	for (insn = parg->code; insn && insn->op != FETCH_OP_END; insn++) {
		if (insn->op == FETCH_OP_ST_MEM || insn->op == FETCH_OP_ST_STRING ||
		    insn->op == FETCH_OP_ST_USTRING)
			return true;
	}
	return false;
}

static bool fevent_can_fault(struct fevent *fe)
{
	int i;

	for (i = 0; i < fe->tp.nr_args; i++) {
		if (fevent_arg_can_fault(&fe->tp.args[i]))
			return true;
	}
	return false;
}

static bool fevent_has_cuts(const struct fevent *fe)
{
	int i;

	for (i = 0; i < fe->tp.nr_args; i++) {
		if (fe->layout.cuts[i].rshift)
			return true;
	}
	return false;
}

/*
 * The offset of an argument in pt_regs. Architectures have a function that reads the
 * argument, but none that tells its offset. So mark one register after the other, until
 * this function reads the mark.
 */
static unsigned int fevent_register_offset(unsigned int arg)
{
	unsigned long words[sizeof(struct pt_regs) / sizeof(unsigned long)] = { };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		words[i] = 1;
		if (regs_get_kernel_argument((struct pt_regs *)words, arg) == 1)
			break;
		words[i] = 0;
	}
	return min(i, ARRAY_SIZE(words) - 1) * sizeof(unsigned long);
}

/* A bool, or a field larger than the value. Other fields store no undefined bits. */
static bool fevent_must_widen(const struct fevent_reg *reg, unsigned int size)
{
	return reg->widen == FEVENT_BOOL || BITS_PER_BYTE * size > BITS_PER_LONG - reg->lack;
}

/* The offset of a field's value, for @from of struct fevent_load. */
static unsigned int fevent_load_from(const struct fetch_insn *insn, const struct fevent_reg *reg)
{
	switch (insn->op) {
	case FETCH_OP_EDATA:
		return offsetof(struct fevent_returned, args[reg->nr]);
	case FETCH_OP_RETVAL:
		return offsetof(struct fevent_returned, ret);
	default:
		return fevent_register_offset(reg->nr);
	}
}

/* No pointer is followed: each field is a load and a store. */
static int fevent_compile_loads(struct fevent *fe)
{
	const struct fevent_reg *reg;
	const struct probe_arg *parg;
	struct fevent_load *load;
	int i;

	fe->layout.loads = kcalloc(fe->tp.nr_args ?: 1, sizeof(*fe->layout.loads), GFP_KERNEL);
	if (!fe->layout.loads)
		return -ENOMEM;
	for (i = 0; i < fe->tp.nr_args; i++) {
		parg = &fe->tp.args[i];
		load = &fe->layout.loads[i];
		load->offset = parg->offset;
		if (i == fe->layout.duration_arg) {
			load->from = offsetof(struct fevent_returned, duration);
			continue;
		}
		reg = fevent_insn_reg(&parg->code[0]);
		load->from = fevent_load_from(&parg->code[0], reg) + reg->offset;
		load->lack = reg->lack;
		load->widen = reg->widen;
		if (fevent_must_widen(reg, parg->type->size))
			load->size = parg->type->size | FEVENT_LOAD_WIDEN;
		else if (parg->type->size < sizeof(unsigned long))
			load->size = parg->type->size;
	}
	fe->layout.loads_end = fe->layout.loads + fe->tp.nr_args;
	fe->layout.simple = true;
	return 0;
}

static void fevent_declare_field(struct fevent *fe, unsigned int i, const char *type,
				 const char *name, int size, int align, bool is_signed, int len)
{
	const struct trace_event_fields field = {
		.type = type, .name = name, .size = size, .align = align,
		.is_signed = is_signed, .filter_type = FILTER_OTHER, .len = len,
	};

	/* The members of fe->layout.fields[i] are constant. */
	memcpy(&fe->layout.fields[i], &field, sizeof(field));
}

/*
 * Declare the fields like those of a tracepoint's event. An array is declared with its
 * length: without it, tools cannot find the fields after the array.
 */
static int fevent_declare_fields(struct fevent *fe)
{
	const struct probe_arg *parg = fe->tp.args;
	int i;

	/* The last field is empty. */
	fe->layout.fields = kcalloc(fe->tp.nr_args + 3, sizeof(*fe->layout.fields), GFP_KERNEL);
	if (!fe->layout.fields)
		return -ENOMEM;
	fevent_declare_field(fe, 0, "unsigned long", "__ip", sizeof(long), sizeof(long), false, 0);
	fevent_declare_field(fe, 1, "unsigned long", "__parent_ip", sizeof(long), sizeof(long),
			     false, 0);
	for (i = 0; i < fe->tp.nr_args; i++, parg++)
		fevent_declare_field(fe, i + 2, parg->fmt ?: parg->type->fmttype, parg->name,
				     parg->type->size * (parg->count ?: 1), parg->type->size,
				     parg->type->is_signed, parg->count);
	return 0;
}

/**
 * fevent_compile - lay out an event's record and compile the code that fills it
 * @fe: the event; its tp is initialized, for @nr_fields + FEVENT_EXTRA_ARGS
 * @fields: its fields, with '...' expanded
 * @nr_fields: how many, up to FEVENT_MAX_FIELDS
 * @complaint: filled in with what is wrong
 *
 * Context: Process context, may sleep.
 * Return: 0, or -EINVAL with @complaint filled in, or -ENOMEM. After an error, memory
 * that was allocated here is freed with the event.
 */
int fevent_compile(struct fevent *fe, const struct fevent_field *fields, unsigned int nr_fields,
		   struct fevent_complaint *complaint)
{
	unsigned int i, nr_args = nr_fields + FEVENT_EXTRA_ARGS;
	struct fevent_layout *layout = &fe->layout;
	int ret;

	layout->ret_arg = -1;
	layout->duration_arg = -1;
	layout->faults_arg = -1;
	fe->tp.nr_args = 0;
	fe->tp.size = 0;
	layout->enums = kcalloc(nr_args, sizeof(*layout->enums), GFP_KERNEL);
	layout->cuts = kcalloc(nr_args, sizeof(*layout->cuts), GFP_KERNEL);
	if (!layout->enums || !layout->cuts)
		return -ENOMEM;
	for (i = 0; i < nr_fields; i++) {
		ret = fevent_compile_field(fe, &fields[i], complaint);
		if (ret)
			return ret;
		if (fe->tp.size > FEVENT_MAX_FIXED)
			return fevent_complain(complaint, RECORD_TOO_BIG, fields[i].column);
	}
	if (fe->proto->returns) {
		ret = fevent_compile_return(fe, complaint);
		if (ret)
			return ret;
		/* A string that is returned needs a bit in faults, as all strings do. */
		if (layout->ret_arg >= FEVENT_MAX_FIELDS && fe->tp.args[layout->ret_arg].dynamic)
			return fevent_complain(complaint, TOO_MANY_FIELDS, fe->proto->ret_column);
	}
	if (fevent_can_fault(fe)) {
		layout->faults_arg = fevent_add_arg(fe, "faults", FEVENT_T_U32, 0);
		if (layout->faults_arg < 0)
			return layout->faults_arg;
	} else if (!fevent_has_cuts(fe)) {
		ret = fevent_compile_loads(fe);
		if (ret)
			return ret;
	}
	return fevent_set_print_fmt(fe) ?: fevent_declare_fields(fe);
}

/**
 * fevent_same_records - do two events have the same format, and differ at most in
 * the places of their values?
 * @a: an event
 * @b: another event
 *
 * Return: true if the code that fills the record of @a can also fill that of @b.
 */
bool fevent_same_records(const struct fevent *a, const struct fevent *b)
{
	int i;

	if (a->tp.nr_args != b->tp.nr_args || a->layout.simple != b->layout.simple ||
	    a->layout.nr_saved != b->layout.nr_saved ||
	    strcmp(a->tp.event->call.print_fmt, b->tp.event->call.print_fmt))
		return false;
	for (i = 0; i < a->tp.nr_args; i++) {
		const struct probe_arg *x = &a->tp.args[i], *y = &b->tp.args[i];

		if (x->type != y->type || x->count != y->count || x->offset != y->offset ||
		    strcmp(x->name, y->name))
			return false;
	}
	return true;
}

/**
 * fevent_free_code - free what fevent_compile() has allocated
 * @fe: the event; what belongs to its tp is freed by trace_probe_cleanup()
 */
void fevent_free_code(struct fevent *fe)
{
	kfree(fe->layout.enums);
	kfree(fe->layout.cuts);
	kfree(fe->layout.loads);
	kfree(fe->layout.fields);
}

/* ---- filling ---- */

static int process_fetch_insn(struct fetch_insn *code, void *rec, void *edata, void *dest,
			      void *base)
{
	const struct fevent_values *values = rec;
	struct fevent_reg *reg = fevent_insn_reg(code);
	unsigned long val;
	int ret;

	switch (code->op) {
	case FETCH_OP_ARG:
		val = ftrace_regs_get_argument(values->fregs, reg->nr);
		break;
	case FETCH_OP_EDATA:
		val = values->returned->args[reg->nr];
		break;
	case FETCH_OP_RETVAL:
		val = values->returned->ret;
		break;
	default:
		ret = process_common_fetch_insn(code, &val);
		if (ret < 0)
			return ret;
		return process_fetch_insn_bottom(code + 1, val, dest, base);
	}
	val = fevent_widen(val >> BITS_PER_BYTE * reg->offset, reg->lack, reg->widen);
	return process_fetch_insn_bottom(code + 1, val, dest, base);
}

NOKPROBE_SYMBOL(process_fetch_insn)

/**
 * fevent_dynamic_size - the size of a record's strings
 * @fe: the event
 * @values: where the values come from
 *
 * Context: Any that functions are traced in.
 * Return: bytes, at most FEVENT_MAX_DYNAMIC.
 */
int fevent_dynamic_size(struct fevent *fe, const struct fevent_values *values)
{
	int i, len, size = 0;

	if (fe->layout.faults_arg < 0)
		return 0;
	for (i = 0; i < fe->tp.nr_args; i++) {
		struct probe_arg *parg = &fe->tp.args[i];

		if (!parg->dynamic)
			continue;
		len = process_fetch_insn(parg->code, (void *)values, NULL, NULL, NULL);
		if (len > 0)
			size += len;
	}
	return min(size, FEVENT_MAX_DYNAMIC);
}

NOKPROBE_SYMBOL(fevent_dynamic_size);

/* Cut a value that was stored whole, and make each bool 0 or 1. */
static nokprobe_inline void fevent_apply_cut(const struct fevent_cut *cut,
					     const struct probe_arg *parg, void *dest)
{
	u64 val;
	int n;

	if (cut->rshift) {
		val = (u64)fevent_number(parg, dest) << cut->lshift;
		val = cut->is_signed ? (s64)val >> cut->rshift : val >> cut->rshift;
		/* Little-endian only: the low bytes of a value come first. */
		memcpy(dest, &val, parg->type->size);
	}
	for (n = 0; cut->is_bool && n < (parg->count ?: 1); n++)
		((u8 *)dest)[n] = !!((u8 *)dest)[n];
}

static void fevent_fetch(struct fevent *fe, void *data, void *base,
			 const struct fevent_values *values, int room)
{
	void *strings = data + fe->tp.size;
	u32 faults = 0;
	int i, ret;

	for (i = 0; i < fe->tp.nr_args; i++) {
		struct probe_arg *parg = &fe->tp.args[i];
		void *dest = data + parg->offset;

		if (!parg->code)
			continue;
		if (parg->dynamic)
			*(u32 *)dest = make_data_loc(room, strings - base);
		/* The read may store fewer bytes than the type has. */
		if (fe->layout.cuts[i].rshift)
			memset(dest, 0, parg->type->size);
		ret = process_fetch_insn(parg->code, (void *)values, NULL, dest, base);
		if (parg->dynamic) {
			/* strncpy_from_user_nofault() does not count the NUL of an empty string. */
			if (!ret && room) {
				*(char *)strings = '\0';
				*(u32 *)dest = make_data_loc(1, strings - base);
				ret = 1;
			}
			if (ret > 0) {
				strings += ret;
				room -= ret;
			} else {
				*(u32 *)dest = make_data_loc(0, strings - base);
				faults |= 1U << i;
			}
		} else if (ret < 0) {
			memset(dest, 0, parg->type->size * (parg->count ?: 1));
			faults |= 1U << i;
		} else {
			fevent_apply_cut(&fe->layout.cuts[i], parg, dest);
		}
	}
	if (fe->layout.faults_arg >= 0)
		*(u32 *)(data + fe->tp.args[fe->layout.faults_arg].offset) = faults;
	/* A string may have become shorter since it was measured. */
	if (room > 0)
		memset(strings, 0, room);
}

NOKPROBE_SYMBOL(fevent_fetch);

/**
 * fevent_fill - fill a record
 * @fe: the event
 * @entry: sizeof(*entry) + fe->tp.size + @dynamic_size bytes, ->ent is not touched
 * @ip: the function
 * @parent_ip: its caller
 * @values: where the values come from
 * @dynamic_size: the size from fevent_dynamic_size()
 *
 * Context: Any that functions are traced in; preemption is off.
 */
void fevent_fill(struct fevent *fe, struct fevent_entry *entry, unsigned long ip,
		 unsigned long parent_ip, const struct fevent_values *values, int dynamic_size)
{
	void *data = entry + 1;

	entry->ip = ip;
	entry->parent_ip = parent_ip;
	if (fe->layout.simple) {
		fevent_fill_loads(fe, data, fevent_load_base(values, values->returned));
		return;
	}
	if (fe->layout.holes)
		memset(data, 0, fe->tp.size);
	fevent_fetch(fe, data, entry, values, dynamic_size);
	if (fe->layout.duration_arg >= 0)
		*(u64 *)(data + fe->tp.args[fe->layout.duration_arg].offset) =
			values->returned->duration;
}

NOKPROBE_SYMBOL(fevent_fill);
