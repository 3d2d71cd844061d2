// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: how a record is printed, by the kernel and by tools that use the
 * format file.
 */
#include <linux/slab.h>

#include "trace_fevent_types.h"
#include "trace_fevent_btf.h"
#include "trace_fevent_record.h"
#include "trace_output.h"

/* The text in a char[n] ends at the first NUL, or at the end of the array. */
static int print_type_chars(struct trace_seq *s, void *data, void *ent)
{
	trace_seq_putc(s, *(char *)data);
	return !trace_seq_has_overflowed(s);
}

#define FEVENT_FETCH_TYPE(_name, _size, _signed, _string, _print, _fmt, _fmttype)	\
	{ .name = _name, .size = _size, .is_signed = _signed, .is_string = _string,	\
	  .print = _print, .fmt = _fmt, .fmttype = _fmttype }

#define FEVENT_NUMBER(_ctype, _print, _signed)						\
	FEVENT_FETCH_TYPE(#_ctype, sizeof(_ctype), _signed, false,			\
			  print_type_##_print, print_type_format_##_print, #_ctype)

#define FEVENT_HEX(bits)								\
	FEVENT_FETCH_TYPE("x" #bits, sizeof(u##bits), false, false,			\
			  PRINT_TYPE_FUNC_NAME(x##bits), PRINT_TYPE_FMT_NAME(x##bits), "u" #bits)

const struct fetch_type fevent_fetch_types[FEVENT_T_MAX] = {
	[FEVENT_T_U8]		= FEVENT_NUMBER(u8, u8, false),
	[FEVENT_T_U16]		= FEVENT_NUMBER(u16, u16, false),
	[FEVENT_T_U32]		= FEVENT_NUMBER(u32, u32, false),
	[FEVENT_T_U64]		= FEVENT_NUMBER(u64, u64, false),
	[FEVENT_T_S8]		= FEVENT_NUMBER(s8, s8, true),
	[FEVENT_T_S16]		= FEVENT_NUMBER(s16, s16, true),
	[FEVENT_T_S32]		= FEVENT_NUMBER(s32, s32, true),
	[FEVENT_T_S64]		= FEVENT_NUMBER(s64, s64, true),
	[FEVENT_T_X8]		= FEVENT_HEX(8),
	[FEVENT_T_X16]		= FEVENT_HEX(16),
	[FEVENT_T_X32]		= FEVENT_HEX(32),
	[FEVENT_T_X64]		= FEVENT_HEX(64),
	[FEVENT_T_CHAR]		= FEVENT_NUMBER(char, char, true),
	/* Declared as u8: to filters and histograms, an array of any "char" is a string. */
	[FEVENT_T_UCHAR]	=
		FEVENT_FETCH_TYPE("unsigned char", sizeof(u8), false, false,
				  PRINT_TYPE_FUNC_NAME(u8), PRINT_TYPE_FMT_NAME(u8), "u8"),
	[FEVENT_T_SHORT]	= FEVENT_NUMBER(short, s16, true),
	[FEVENT_T_USHORT]	= FEVENT_NUMBER(unsigned short, u16, false),
	[FEVENT_T_INT]		= FEVENT_NUMBER(int, s32, true),
	[FEVENT_T_UINT]		= FEVENT_NUMBER(unsigned int, u32, false),
	[FEVENT_T_LONG]		= FEVENT_NUMBER(long, s64, true),
	[FEVENT_T_ULONG]	= FEVENT_NUMBER(unsigned long, u64, false),
	[FEVENT_T_SIZE_T]	= FEVENT_NUMBER(size_t, u64, false),
	[FEVENT_T_SSIZE_T]	= FEVENT_NUMBER(ssize_t, s64, true),
	[FEVENT_T_BOOL]		= FEVENT_NUMBER(bool, u8, false),
	[FEVENT_T_SYMBOL]	=
		FEVENT_FETCH_TYPE("symbol", sizeof(long), false, false,
				  PRINT_TYPE_FUNC_NAME(symbol), PRINT_TYPE_FMT_NAME(symbol),
				  "unsigned long"),
	[FEVENT_T_STRING]	=
		FEVENT_FETCH_TYPE("string", sizeof(u32), true, true,
				  PRINT_TYPE_FUNC_NAME(string), PRINT_TYPE_FMT_NAME(string),
				  "__data_loc char[]"),
	[FEVENT_T_USTRING]	=
		FEVENT_FETCH_TYPE("ustring", sizeof(u32), true, true,
				  PRINT_TYPE_FUNC_NAME(string), PRINT_TYPE_FMT_NAME(string),
				  "__data_loc char[]"),
};

const struct fetch_type fevent_chars =
	FEVENT_FETCH_TYPE("char", 1, true, false, print_type_chars, "\\\"%s\\\"", "char");

#define LEN_OR_ZERO (len > pos ? len - pos : 0)

static int fevent_print_value_fmt(struct fevent *fe, int i, char *buf, int len)
{
	struct probe_arg *parg = &fe->tp.args[i];

	if (parg->count && parg->type != &fevent_chars)
		return snprintf(buf, len, "%%s");
	if (fe->layout.enums[i])
		return snprintf(buf, len, "%%s");
	/* libtraceevent does not know %c: it would print all later values wrongly. */
	if (parg->type == &fevent_fetch_types[FEVENT_T_CHAR])
		return snprintf(buf, len, "%%d");
	return snprintf(buf, len, "%s", parg->type->fmt);
}

static int fevent_print_value(struct fevent *fe, int i, char *buf, int len)
{
	struct probe_arg *parg = &fe->tp.args[i];
	const char *name = parg->name;
	int pos;

	if (parg->count && parg->type != &fevent_chars)
		return snprintf(buf, len, ", __print_array(REC->%s, %u, %zu)", name, parg->count,
				parg->type->size);
	if (fe->layout.enums[i]) {
		pos = snprintf(buf, len, ", __print_symbolic(REC->%s", name);
		pos += fevent_btf_enum_symbols(fe->layout.btf, fe->layout.enums[i], buf + pos,
					       LEN_OR_ZERO);
		pos += snprintf(buf + pos, LEN_OR_ZERO, ")");
		return pos;
	}
	if (parg->type->is_string)
		return snprintf(buf, len, ", __get_str(%s)", name);
	if (parg->type == &fevent_fetch_types[FEVENT_T_SYMBOL])
		return snprintf(buf, len, ", (void *)REC->%s", name);
	return snprintf(buf, len, ", REC->%s", name);
}

/* Is this the first value after the arguments' closing parenthesis? */
static bool fevent_is_behind(const struct fevent *fe, int i)
{
	return i == fe->layout.ret_arg || (i == fe->layout.duration_arg && fe->layout.ret_arg < 0);
}

/*
 * For tools that use the format file. The kernel itself prints by print_fevent().
 */
static int __fevent_print_fmt(struct fevent *fe, char *buf, int len)
{
	const char *separator = "";
	int nr_fields = fe->tp.nr_args;
	int pos = 0, i;

	if (fe->layout.faults_arg >= 0)
		nr_fields = fe->layout.faults_arg;
	pos += snprintf(buf + pos, LEN_OR_ZERO, "\"%%ps->%%ps(");
	for (i = 0; i < nr_fields; i++) {
		bool behind = i == fe->layout.ret_arg || i == fe->layout.duration_arg;

		if (fevent_is_behind(fe, i))
			pos += snprintf(buf + pos, LEN_OR_ZERO, ")");
		pos += snprintf(buf + pos, LEN_OR_ZERO, "%s%s=", behind ? " " : separator,
				fe->tp.args[i].name);
		pos += fevent_print_value_fmt(fe, i, buf + pos, LEN_OR_ZERO);
		separator = ", ";
	}
	if (!fe->proto->returns)
		pos += snprintf(buf + pos, LEN_OR_ZERO, ")");
	if (fe->layout.faults_arg >= 0)
		pos += snprintf(buf + pos, LEN_OR_ZERO, " faults=0x%%x");
	pos += snprintf(buf + pos, LEN_OR_ZERO,
			"\", (void *)REC->__parent_ip, (void *)REC->__ip");
	for (i = 0; i < fe->tp.nr_args; i++)
		pos += fevent_print_value(fe, i, buf + pos, LEN_OR_ZERO);
	return pos;
}

#undef LEN_OR_ZERO

/**
 * fevent_set_print_fmt - make an event's print_fmt
 * @fe: the event, its record is laid out
 *
 * Return: 0 or -ENOMEM.
 */
int fevent_set_print_fmt(struct fevent *fe)
{
	int len = __fevent_print_fmt(fe, NULL, 0);
	char *buf = kmalloc(len + 1, GFP_KERNEL);

	if (!buf)
		return -ENOMEM;
	__fevent_print_fmt(fe, buf, len + 1);
	trace_probe_event_call(&fe->tp)->print_fmt = buf;
	return 0;
}

/*
 * A line that does not fit into a trace_seq is not shown at all. So an array is cut when
 * the line gets longer than this. The last 3 KiB are room for the fields after the array.
 */
#define FEVENT_MAX_TEXT		(TRACE_SEQ_BUFFER_SIZE - 3 * 1024)

static void print_fevent_arg(struct trace_seq *s, size_t start, struct fevent *fe, int i,
			     void *data, void *entry)
{
	struct probe_arg *parg = &fe->tp.args[i];
	const char *name;
	int n;

	data += parg->offset;
	if (fe->layout.enums[i]) {
		name = fevent_btf_enum_name(fe->layout.btf, fe->layout.enums[i],
					    fevent_number(parg, data));
		if (name) {
			trace_seq_puts(s, name);
			return;
		}
	}
	if (parg->type == &fevent_chars) {
		trace_seq_printf(s, "\"%.*s\"", (int)parg->count, (char *)data);
		return;
	}
	for (n = 0; n < (parg->count ?: 1); n++) {
		if (n)
			trace_seq_putc(s, ',');
		if (parg->count && trace_seq_used(s) - start > FEVENT_MAX_TEXT) {
			trace_seq_puts(s, "...");
			break;
		}
		parg->type->print(s, data, entry);
		data += parg->type->size;
	}
}

/* ksys_read->vfs_read(count=4096) ret=4096 duration=1234 */
static enum print_line_t print_fevent(struct trace_iterator *iter, int flags,
				      struct trace_event *event)
{
	struct fevent *fe = to_fevent(container_of(event, struct trace_event_call, event));
	struct fevent_entry *entry = (struct fevent_entry *)iter->ent;
	void *data = entry + 1;
	struct trace_seq *s = &iter->seq;
	size_t start = trace_seq_used(s);
	const char *separator = "";
	u32 faults = 0;
	int i;

	if (fe->layout.faults_arg >= 0)
		faults = *(u32 *)(data + fe->tp.args[fe->layout.faults_arg].offset);
	trace_seq_printf(s, "%s: %ps->%ps(", trace_probe_name(&fe->tp), (void *)entry->parent_ip,
			 (void *)entry->ip);
	for (i = 0; i < fe->tp.nr_args; i++) {
		if (i == fe->layout.faults_arg)
			continue;
		if (fevent_is_behind(fe, i)) {
			trace_seq_putc(s, ')');
			separator = " ";
		}
		trace_seq_printf(s, "%s%s=", separator, fe->tp.args[i].name);
		/* ret and duration may come after the fields that have a bit. */
		if (i < FEVENT_MAX_FIELDS && faults & (1U << i))
			trace_seq_puts(s, FAULT_STRING);
		else
			print_fevent_arg(s, start, fe, i, data, entry);
		if (fe->layout.ret_arg < 0 || i < fe->layout.ret_arg)
			separator = ", ";
		if (i == fe->layout.ret_arg)
			separator = " ";
	}
	trace_seq_puts(s, fe->proto->returns ? "\n" : ")\n");
	return trace_handle_return(s);
}

struct trace_event_functions fevent_funcs = {
	.trace	= print_fevent,
};
