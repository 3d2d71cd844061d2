/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pseudo prototypes of function events: text to structure, and back.
 *
 *	LINE    := EVENT | '!' [GROUP '/'] NAME | '#' comment | empty
 *	EVENT   := [RETTYPE] [MODULE ':'] FUNC '(' [ARGS] ')' ['as' [GROUP '/'] NAME]
 *	ARGS    := '...' | ARG {',' ARG}
 *	ARG     := 'NULL' | FIELD {'|' FIELD}
 *	FIELD   := TYPE NAME {MOD} | TYPE [NAME] '=' ADDR | TYPE ADDR |
 *		   [[TYPE] NAME '='] PATH
 *	TYPE    := ['unsigned'] ATOM ['[' n ']']
 *	RETTYPE := TYPE | 'void'
 *	MOD     := '+' n | '[' n ']'
 *	PATH    := ARGNAME {('->' | '.') MEMBER | '[' n ']'}
 *	ADDR    := 0xHEX | '$' SYMBOL
 *
 * The parser knows the grammar but nothing of the kernel. Other files check whether
 * a function, a symbol or a member exists. The structures below have the columns
 * for their complaints. This file does not depend on the kernel: it is compiled in
 * user space as well.
 */
#ifndef _FEVENT_PARSE_H
#define _FEVENT_PARSE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

#include "fevent_error.h"

#define FEVENT_GROUP		"functions"	/* the group of an event that names none */
#define FEVENT_MAX_FIELDS	32		/* each has a bit in the record's faults */
#define FEVENT_MAX_STEPS	8		/* MODs, or members of a PATH, of a field */
#define FEVENT_MAX_COUNT	256		/* elements of an array, bytes of a char[n] */
#define FEVENT_MAX_NAME		127		/* characters of an event or group name */
#define FEVENT_MAX_LINE		4096

enum fevent_type {
	FEVENT_T_NONE,		/* a PATH without a TYPE: BTF has the type */
	FEVENT_T_VOID,		/* a return event without a value */
	FEVENT_T_U8, FEVENT_T_U16, FEVENT_T_U32, FEVENT_T_U64,
	FEVENT_T_S8, FEVENT_T_S16, FEVENT_T_S32, FEVENT_T_S64,
	FEVENT_T_X8, FEVENT_T_X16, FEVENT_T_X32, FEVENT_T_X64,
	FEVENT_T_CHAR, FEVENT_T_UCHAR,
	FEVENT_T_SHORT, FEVENT_T_USHORT,
	FEVENT_T_INT, FEVENT_T_UINT,
	FEVENT_T_LONG, FEVENT_T_ULONG,
	FEVENT_T_SIZE_T, FEVENT_T_SSIZE_T, FEVENT_T_BOOL,
	FEVENT_T_SYMBOL, FEVENT_T_STRING, FEVENT_T_USTRING,
	FEVENT_T_MAX
};

enum fevent_kind {
	FEVENT_EMPTY,		/* nothing, or a comment */
	FEVENT_EVENT,
	FEVENT_REMOVE,		/* ->group and ->name */
};

enum fevent_source {
	FEVENT_ARG,		/* register argument number ->arg */
	FEVENT_ADDR,		/* memory at ->addr */
	FEVENT_SYMBOL,		/* memory at the symbol ->base */
	FEVENT_PATH,		/* a path that begins at the argument with the name ->base */
};

enum fevent_step_kind {
	FEVENT_OFFSET,		/* +n */
	FEVENT_INDEX,		/* [n] */
	FEVENT_ARROW,		/* ->member */
	FEVENT_DOT,		/* .member */
};

/**
 * struct fevent_step - one MOD, or one step of a PATH
 * @kind: what the step does
 * @n: the n of +n and [n], 0 to INT_MAX; between two loads, MODs sum up to INT_MAX at most
 * @member: the member after -> and ., else NULL
 * @column: where the step starts
 */
struct fevent_step {
	enum fevent_step_kind	kind;
	unsigned int		n;
	const char		*member;
	unsigned int		column;
};

/**
 * struct fevent_field - one FIELD
 * @type: FEVENT_T_NONE only for a PATH without a TYPE
 * @count: elements, 0 if it is no array
 * @name: never NULL: given, or by default the last member (or the argument) of a
 *	PATH, the symbol, or "addr"
 * @named: a name was given, and it differs from the default
 * @source: where its value comes from
 * @arg: for FEVENT_ARG, the register argument, from 0
 * @addr: for FEVENT_ADDR; for FEVENT_SYMBOL once the symbol has been looked up
 * @base: symbol, or name of the argument; NULL for FEVENT_ARG and FEVENT_ADDR
 * @steps: nr_steps of them
 * @nr_steps: 0 to FEVENT_MAX_STEPS
 * @column: where the field starts
 * @name_column: where its name starts, @column if it has none
 * @base_column: where address, symbol or path start
 */
struct fevent_field {
	enum fevent_type	type;
	unsigned int		count;
	const char		*name;
	bool			named;
	enum fevent_source	source;
	unsigned int		arg;
	unsigned long		addr;
	const char		*base;
	struct fevent_step	steps[FEVENT_MAX_STEPS];
	unsigned int		nr_steps;
	unsigned int		column;
	unsigned int		name_column;
	unsigned int		base_column;
};

/**
 * struct fevent_proto - a line, parsed
 * @kind: what the line asks for
 * @module: NULL if none was named
 * @func: function, or a glob
 * @glob: whether @func is a glob
 * @group: as given, or FEVENT_GROUP
 * @name: as given, or @func with '.' replaced by '_'
 * @named: group or name differ from the default; always true for FEVENT_REMOVE
 * @returns: RETTYPE was given: this is a return event
 * @ret_type: what it returns, FEVENT_T_VOID for void; FEVENT_T_NONE without RETTYPE
 * @all_args: '...' was given
 * @fields: nr_fields of them, in the order of the line
 * @nr_fields: 0 to FEVENT_MAX_FIELDS
 * @func_column: where FUNC starts
 * @module_column: where MODULE starts
 * @ret_column: where RETTYPE starts
 * @name_column: where NAME (or GROUP) starts, @func_column if it was not given
 * @args_column: where the text after the parenthesis starts
 */
struct fevent_proto {
	enum fevent_kind	kind;
	const char		*module;
	const char		*func;
	bool			glob;
	const char		*group;
	const char		*name;
	bool			named;
	bool			returns;
	enum fevent_type	ret_type;
	bool			all_args;
	struct fevent_field	*fields;
	unsigned int		nr_fields;
	unsigned int		func_column;
	unsigned int		module_column;
	unsigned int		ret_column;
	unsigned int		name_column;
	unsigned int		args_column;
};

/*
 * Finds a typedef that is not among the types of enum fevent_type, such as loff_t. Returns
 * the enum fevent_type of its size and sign; -ENOENT if there is no such typedef; -EINVAL
 * if it is not a number; another errno if it cannot be looked up.
 */
typedef int (*fevent_typedef_t)(const char *name, unsigned int len);

struct fevent_proto *fevent_parse(const char *line, size_t len, unsigned int max_args,
				  fevent_typedef_t find_typedef, struct fevent_error *error);
void fevent_proto_free(struct fevent_proto *proto);
int fevent_print(const struct fevent_proto *proto, char *buf, size_t size);
const char *fevent_type_name(enum fevent_type type);
unsigned int fevent_type_size(enum fevent_type type);
bool fevent_field_name_reserved(const char *name);

#endif /* _FEVENT_PARSE_H */
