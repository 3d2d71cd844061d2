// SPDX-License-Identifier: GPL-2.0
/*
 * Pseudo prototypes of function events: structure to text.
 */
#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#endif

#include "fevent_parse.h"

/* Canonical words, and the bytes of an element; for a string, of its __data_loc. */
static const struct {
	const char	*name;
	unsigned int	size;
} fevent_types[FEVENT_T_MAX] = {
	[FEVENT_T_NONE]		= { "", 0 },
	[FEVENT_T_VOID]		= { "void", 0 },
	[FEVENT_T_U8]		= { "u8", 1 },
	[FEVENT_T_U16]		= { "u16", 2 },
	[FEVENT_T_U32]		= { "u32", 4 },
	[FEVENT_T_U64]		= { "u64", 8 },
	[FEVENT_T_S8]		= { "s8", 1 },
	[FEVENT_T_S16]		= { "s16", 2 },
	[FEVENT_T_S32]		= { "s32", 4 },
	[FEVENT_T_S64]		= { "s64", 8 },
	[FEVENT_T_X8]		= { "x8", 1 },
	[FEVENT_T_X16]		= { "x16", 2 },
	[FEVENT_T_X32]		= { "x32", 4 },
	[FEVENT_T_X64]		= { "x64", 8 },
	[FEVENT_T_CHAR]		= { "char", sizeof(char) },
	[FEVENT_T_UCHAR]	= { "unsigned char", sizeof(char) },
	[FEVENT_T_SHORT]	= { "short", sizeof(short) },
	[FEVENT_T_USHORT]	= { "unsigned short", sizeof(short) },
	[FEVENT_T_INT]		= { "int", sizeof(int) },
	[FEVENT_T_UINT]		= { "unsigned int", sizeof(int) },
	[FEVENT_T_LONG]		= { "long", sizeof(long) },
	[FEVENT_T_ULONG]	= { "unsigned long", sizeof(long) },
	[FEVENT_T_SIZE_T]	= { "size_t", sizeof(size_t) },
	[FEVENT_T_SSIZE_T]	= { "ssize_t", sizeof(size_t) },
	[FEVENT_T_BOOL]		= { "bool", sizeof(bool) },
	[FEVENT_T_SYMBOL]	= { "symbol", sizeof(long) },
	[FEVENT_T_STRING]	= { "string", 4 },
	[FEVENT_T_USTRING]	= { "ustring", 4 },
};

/* A buffer that is being filled. @len also counts what does not fit. */
struct fevent_writer {
	char	*buf;
	size_t	size;
	size_t	len;
};

static __printf(2, 3) void fevent_write(struct fevent_writer *w, const char *fmt, ...)
{
	size_t room = w->len < w->size ? w->size - w->len : 0;
	va_list args;

	va_start(args, fmt);
	w->len += vsnprintf(room ? w->buf + w->len : NULL, room, fmt, args);
	va_end(args);
}

static void fevent_write_steps(struct fevent_writer *w, const struct fevent_field *field)
{
	unsigned int i;

	for (i = 0; i < field->nr_steps; i++) {
		const struct fevent_step *step = &field->steps[i];

		switch (step->kind) {
		case FEVENT_OFFSET:
			fevent_write(w, "+%u", step->n);
			break;
		case FEVENT_INDEX:
			fevent_write(w, "[%u]", step->n);
			break;
		case FEVENT_ARROW:
			fevent_write(w, "->%s", step->member);
			break;
		case FEVENT_DOT:
			fevent_write(w, ".%s", step->member);
			break;
		}
	}
}

static void fevent_write_field(struct fevent_writer *w, const struct fevent_field *field)
{
	/* A type and a path without a name would be read as something else. */
	bool named = field->named ||
		     (field->source == FEVENT_PATH && field->type != FEVENT_T_NONE);

	if (field->type != FEVENT_T_NONE) {
		fevent_write(w, "%s", fevent_type_name(field->type));
		if (field->count)
			fevent_write(w, "[%u]", field->count);
		fevent_write(w, " ");
	}
	if (named)
		fevent_write(w, "%s%s", field->name, field->source == FEVENT_ARG ? "" : "=");

	switch (field->source) {
	case FEVENT_ARG:
		fevent_write_steps(w, field);
		break;
	case FEVENT_ADDR:
		fevent_write(w, "0x%lx", field->addr);
		break;
	case FEVENT_SYMBOL:
		fevent_write(w, "$%s", field->base);
		break;
	case FEVENT_PATH:
		fevent_write(w, "%s", field->base);
		fevent_write_steps(w, field);
		break;
	}
}

/*
 * Two fields of one register are joined by '|', and so are the fields between them.
 * Each other field is an ARG of its own. NULLs stand directly before the field that
 * needs them, so that there is only one place for them.
 */
static void fevent_write_args(struct fevent_writer *w, const struct fevent_proto *proto)
{
	unsigned int i, next, arg = 0;
	bool joined;

	for (i = 0; i < proto->nr_fields; i++) {
		const struct fevent_field *field = &proto->fields[i];

		/* Find the next register field; @arg is the register after the last one's. */
		for (next = i; next < proto->nr_fields; next++) {
			if (proto->fields[next].source == FEVENT_ARG)
				break;
		}

		joined = next < proto->nr_fields && proto->fields[next].arg + 1 == arg;
		if (i)
			fevent_write(w, joined ? " | " : ", ");
		if (next == i) {
			for (; arg < field->arg; arg++)
				fevent_write(w, "NULL, ");
			arg = field->arg + 1;
		}
		fevent_write_field(w, field);
	}
}

/**
 * fevent_print - the canonical line of a prototype
 * @proto: the prototype
 * @buf: where to put it, may be NULL if @size is 0
 * @size: bytes there, the NUL included
 *
 * Equivalent lines have the same canonical line. Reading that line gives the same
 * prototype again, except for the columns.
 *
 * Context: any.
 * Return: characters of the line, also if @buf was too small for them.
 */
int fevent_print(const struct fevent_proto *proto, char *buf, size_t size)
{
	struct fevent_writer w = { .buf = buf, .size = size };

	if (size)
		*buf = 0;

	switch (proto->kind) {
	case FEVENT_EMPTY:
		break;
	case FEVENT_REMOVE:
		fevent_write(&w, "!");
		if (strcmp(proto->group, FEVENT_GROUP))
			fevent_write(&w, "%s/", proto->group);
		fevent_write(&w, "%s", proto->name);
		break;
	case FEVENT_EVENT:
		if (proto->returns)
			fevent_write(&w, "%s ", fevent_type_name(proto->ret_type));
		if (proto->module)
			fevent_write(&w, "%s:", proto->module);
		fevent_write(&w, "%s(", proto->func);
		if (proto->all_args)
			fevent_write(&w, "...");
		else
			fevent_write_args(&w, proto);
		fevent_write(&w, ")");
		if (!proto->named)
			break;
		fevent_write(&w, " as ");
		if (strcmp(proto->group, FEVENT_GROUP))
			fevent_write(&w, "%s/", proto->group);
		fevent_write(&w, "%s", proto->name);
		break;
	}
	return w.len;
}

/**
 * fevent_type_name - the canonical word of a type
 * @type: the type
 *
 * Context: any.
 * Return: its word or words; "" for FEVENT_T_NONE and for values that are no type.
 */
const char *fevent_type_name(enum fevent_type type)
{
	return (unsigned int)type < FEVENT_T_MAX ? fevent_types[type].name : "";
}

/**
 * fevent_type_size - the size of one element of a type in the record
 * @type: the type
 *
 * Context: any.
 * Return: bytes; for strings, those of their __data_loc; 0 for FEVENT_T_NONE,
 * FEVENT_T_VOID and values that are no type.
 */
unsigned int fevent_type_size(enum fevent_type type)
{
	return (unsigned int)type < FEVENT_T_MAX ? fevent_types[type].size : 0;
}
