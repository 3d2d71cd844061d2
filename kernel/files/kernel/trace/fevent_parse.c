// SPDX-License-Identifier: GPL-2.0
/*
 * Pseudo prototypes of function events: text to structure. fevent_print.c does the
 * reverse.
 *
 * One reader goes over the line from left to right, with one function for each
 * production of the grammar in fevent_parse.h. No production contains itself,
 * so nothing here recurses. Two places are not read from left to right:
 *
 * - FUNC is the last word before the parenthesis, so the text up to there is split
 *   from its end;
 * - whether a word is a TYPE depends on what follows, since an argument may be
 *   called "long". fevent_at_type() looks ahead for it.
 *
 * The first error ends the parsing. Memory is allocated before its exact size is
 * known. The line bounds it: every word is stored at most twice, and there is at
 * most one field more than separators.
 */
#ifdef __KERNEL__
#include <linux/err.h>
#include <linux/hex.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#endif

#include "fevent_parse.h"
#include "fevent_reader.h"

#define FEVENT_ADDR_NAME	"addr"	/* default name of a field at an address */

static const char *fevent_path_name(const struct fevent_field *field)
{
	unsigned int i;

	for (i = field->nr_steps; i; i--) {
		if (field->steps[i - 1].member)
			return field->steps[i - 1].member;
	}
	return field->base;
}

static bool fevent_field_is_named(const struct fevent_field *field)
{
	switch (field->source) {
	case FEVENT_ADDR:
		return strcmp(field->name, FEVENT_ADDR_NAME);
	case FEVENT_SYMBOL:
		return !fevent_is_undotted(field->name, field->base);
	case FEVENT_PATH:
		return strcmp(field->name, fevent_path_name(field));
	default:
		return true;
	}
}

static bool fevent_proto_is_named(const struct fevent_proto *proto)
{
	return strcmp(proto->group, FEVENT_GROUP) || !fevent_is_undotted(proto->name, proto->func);
}

/* TYPE without its array; @err is the complaint about a word that is no type. */
static int fevent_read_type(struct fevent_reader *r, enum fevent_err err, enum fevent_type *type)
{
	static const enum fevent_type unsigned_types[] = {
		FEVENT_T_CHAR, FEVENT_T_UCHAR, FEVENT_T_SHORT, FEVENT_T_USHORT,
		FEVENT_T_INT, FEVENT_T_UINT, FEVENT_T_LONG, FEVENT_T_ULONG,
	};
	unsigned int i;
	int found;

	fevent_look(r);
	if (fevent_at_word(r, "unsigned")) {
		r->pos += strlen("unsigned");
		fevent_look(r);
		for (i = 0; i < ARRAY_SIZE(unsigned_types); i += 2) {
			if (!fevent_at_word(r, fevent_type_name(unsigned_types[i])))
				continue;
			r->pos += fevent_word_len(r);
			*type = unsigned_types[i + 1];
			return 0;
		}
		return fevent_fail(r, FEVENT_ERR_BAD_UNSIGNED, r->pos);
	}

	for (i = FEVENT_T_VOID; i < FEVENT_T_MAX; i++) {
		if (!fevent_at_word(r, fevent_type_name(i)))
			continue;
		r->pos += fevent_word_len(r);
		*type = i;
		return 0;
	}
	found = r->find_typedef(&r->line[r->pos], fevent_word_len(r));
	if (found == -ENOENT || found == -EINVAL)
		return fevent_fail(r, found == -EINVAL ? FEVENT_ERR_NOT_A_NUMBER : err, r->pos);
	if (found < 0)
		return found;
	r->pos += fevent_word_len(r);
	*type = found;
	return 0;
}

/*
 * Is the word here meant to be a TYPE? It is if a NAME, an ADDR, or '=' and an ADDR
 * follow. Otherwise, it is an argument that has the name of a type. The answer does
 * not depend on whether there is such a type, so that the complaint about a word
 * that is no type fits what was meant.
 */
static bool fevent_at_type(const struct fevent_reader *r)
{
	struct fevent_reader ahead = *r;
	char c;

	ahead.pos += fevent_word_len(&ahead);
	c = fevent_look(&ahead);
	if (c == '[') {
		do {
			ahead.pos++;
			c = fevent_peek(&ahead);
		} while (c && !strchr("[]=,|()", c));
		if (c != ']')
			return false;
		ahead.pos++;
		c = fevent_look(&ahead);
	}
	if (c == '=') {
		ahead.pos++;
		fevent_look(&ahead);
		return fevent_at_addr(&ahead);
	}
	return c == '$' || fevent_is_name_char(c);
}

static int fevent_read_addr(struct fevent_reader *r, struct fevent_field *field)
{
	unsigned int start, digits;

	fevent_look(r);
	start = r->pos;
	field->base_column = start;

	if (fevent_peek(r) == '$') {
		field->source = FEVENT_SYMBOL;
		do {
			r->pos++;
		} while (fevent_is_name_char(fevent_peek(r)) || fevent_peek(r) == '.');
		if (r->pos == start + 1)
			return fevent_fail(r, FEVENT_ERR_BAD_ADDR, start);
		/* It is stored without the '$'. The column of a complaint is that of the '$'. */
		if (r->pos - start - 1 > FEVENT_MAX_WORD)
			return fevent_fail(r, FEVENT_ERR_NAME_TOO_LONG, start);
		return fevent_keep(r, start + 1, &field->base);
	}

	field->source = FEVENT_ADDR;
	if (!fevent_at(r, "0x"))
		return fevent_fail(r, FEVENT_ERR_BAD_ADDR, start);
	r->pos += 2;
	digits = fevent_word_len(r);
	if (!digits || digits > 2 * sizeof(field->addr))
		return fevent_fail(r, FEVENT_ERR_BAD_ADDR, start);
	for (; digits; digits--, r->pos++) {
		int digit = hex_to_bin(r->line[r->pos]);

		if (digit < 0)
			return fevent_fail(r, FEVENT_ERR_BAD_ADDR, start);
		field->addr = field->addr << 4 | digit;
	}
	return 0;
}

/* Size of the elements that a MOD's index counts: a string is reached by a pointer. */
static unsigned int fevent_index_size(enum fevent_type type)
{
	return type == FEVENT_T_STRING || type == FEVENT_T_USTRING ? sizeof(void *) :
	       fevent_type_size(type);
}

/* {MOD} of a register, {'->' MEMBER | '.' MEMBER | '[' n ']'} of a PATH. */
static int fevent_read_steps(struct fevent_reader *r, struct fevent_field *field)
{
	bool path = field->source == FEVENT_PATH;
	unsigned int size = path ? 1 : fevent_index_size(field->type);
	unsigned int start, room = INT_MAX;	/* what may be added before the next load */
	enum fevent_step_kind kind;
	struct fevent_step *step;
	int ret;

	for (;;) {
		char c = fevent_look(r);

		if (c == '[')
			kind = FEVENT_INDEX;
		else if (c == '+' && !path)
			kind = FEVENT_OFFSET;
		else if (c == '.' && path)
			kind = FEVENT_DOT;
		else if (path && fevent_at(r, "->"))
			kind = FEVENT_ARROW;
		else
			return 0;

		if (field->nr_steps == FEVENT_MAX_STEPS)
			return fevent_fail(r, FEVENT_ERR_TOO_MANY_STEPS, r->pos);
		step = &field->steps[field->nr_steps++];
		step->kind = kind;
		step->column = r->pos;

		r->pos += kind == FEVENT_ARROW ? 2 : 1;
		switch (kind) {
		case FEVENT_INDEX:
			ret = fevent_read_index(r, 0, room / size, FEVENT_ERR_BAD_NUMBER,
						&step->n);
			/* If a MOD follows, it begins at the pointer that is loaded there. */
			room = INT_MAX;
			break;
		case FEVENT_OFFSET:
			ret = fevent_read_number(r, 0, room, FEVENT_ERR_BAD_NUMBER, &step->n);
			room -= step->n;
			break;
		default:
			c = fevent_look(r);
			start = r->pos;
			if (!fevent_is_name_char(c))
				return fevent_fail(r, FEVENT_ERR_NO_MEMBER, start);
			if (!fevent_is_name_start(c))
				return fevent_fail(r, FEVENT_ERR_BAD_NAME, start);
			r->pos += fevent_word_len(r);
			ret = fevent_keep(r, start, &step->member);
		}
		if (ret)
			return ret;
	}
}

/* A word that must be a name: of a field, or of an argument. */
static int fevent_read_name(struct fevent_reader *r, const char **name)
{
	char c = fevent_look(r);
	unsigned int start = r->pos;

	if (fevent_at_word(r, "NULL"))
		return fevent_fail(r, FEVENT_ERR_NO_FIELD, start);
	if (!fevent_is_name_char(c))
		return fevent_fail(r, FEVENT_ERR_NO_NAME, start);
	if (!fevent_is_name_start(c))
		return fevent_fail(r, FEVENT_ERR_BAD_NAME, start);
	r->pos += fevent_word_len(r);
	return fevent_keep(r, start, name);
}

/* PATH */
static int fevent_read_path(struct fevent_reader *r, struct fevent_field *field)
{
	int ret;

	field->source = FEVENT_PATH;
	fevent_look(r);
	field->base_column = r->pos;
	ret = fevent_read_name(r, &field->base);
	if (ret)
		return ret;
	if (r->proto->glob)
		return fevent_fail(r, FEVENT_ERR_GLOB_PATH, field->column);
	return fevent_read_steps(r, field);
}

/* TYPE NAME {MOD} | TYPE [NAME] '=' ADDR | TYPE ADDR | TYPE NAME '=' PATH */
static int fevent_read_typed(struct fevent_reader *r, struct fevent_field *field)
{
	int ret;
	char c;

	ret = fevent_read_type(r, FEVENT_ERR_BAD_TYPE, &field->type);
	if (ret)
		return ret;
	if (field->type == FEVENT_T_VOID)
		return fevent_fail(r, FEVENT_ERR_BAD_TYPE, field->column);

	c = fevent_look(r);
	if (c == '[') {
		if (field->type == FEVENT_T_STRING || field->type == FEVENT_T_USTRING)
			return fevent_fail(r, FEVENT_ERR_STRING_ARRAY, r->pos);
		r->pos++;
		ret = fevent_read_index(r, 1, FEVENT_MAX_COUNT, FEVENT_ERR_BAD_COUNT,
					&field->count);
		if (ret)
			return ret;
		c = fevent_look(r);
	}

	if (fevent_is_name_start(c)) {
		field->name_column = r->pos;
		r->pos += fevent_word_len(r);
		ret = fevent_keep(r, field->name_column, &field->name);
		if (ret)
			return ret;
		c = fevent_look(r);
		if (c != '=') {
			field->source = FEVENT_ARG;
			field->arg = r->arg;
			if (r->arg >= r->max_args)
				return fevent_fail(r, FEVENT_ERR_TOO_MANY_ARGS, field->column);
			return fevent_read_steps(r, field);
		}
	}

	if (c == '=') {
		r->pos++;
		if (field->name && fevent_is_name_start(fevent_look(r)))
			return fevent_read_path(r, field);
	} else if (c != '$' && !fevent_is_digit(c)) {
		return fevent_fail(r, FEVENT_ERR_NO_NAME, r->pos);
	}
	return fevent_read_addr(r, field);
}

/* [NAME '='] PATH; a word before '=' and an ADDR is a TYPE, known or not. */
static int fevent_read_untyped(struct fevent_reader *r, struct fevent_field *field)
{
	struct fevent_reader ahead = *r;

	ahead.pos += fevent_word_len(&ahead);
	if (fevent_look(&ahead) == '=') {
		int ret = fevent_read_name(r, &field->name);

		if (ret)
			return ret;
		r->pos = ahead.pos + 1;
	}
	return fevent_read_path(r, field);
}

static int fevent_name_field(struct fevent_reader *r, struct fevent_field *field)
{
	unsigned int i;

	if (!field->name) {
		if (field->source == FEVENT_ADDR)
			field->name = FEVENT_ADDR_NAME;
		else if (field->source == FEVENT_SYMBOL)
			field->name = fevent_undot(r, field->base);
		else
			field->name = fevent_path_name(field);
	}
	field->named = fevent_field_is_named(field);

	/* A symbol may start with a digit. */
	if (!fevent_is_name(field->name))
		return fevent_fail(r, FEVENT_ERR_BAD_NAME, field->name_column);
	if (fevent_field_name_reserved(field->name))
		return fevent_fail(r, FEVENT_ERR_RESERVED_FIELD, field->name_column);
	for (i = 0; i < r->proto->nr_fields; i++) {
		if (!strcmp(r->proto->fields[i].name, field->name))
			return fevent_fail(r, FEVENT_ERR_DUP_FIELD, field->name_column);
	}
	return 0;
}

static int fevent_read_field(struct fevent_reader *r)
{
	struct fevent_proto *proto = r->proto;
	struct fevent_field *field;
	int ret;
	char c;

	c = fevent_look(r);
	if (!c)
		return fevent_fail(r, FEVENT_ERR_NO_CLOSE, r->pos);
	if (strchr(",|)", c))
		return fevent_fail(r, FEVENT_ERR_NO_FIELD, r->pos);
	if (fevent_at_addr(r))
		return fevent_fail(r, FEVENT_ERR_BAD_TYPE, r->pos);
	if (!fevent_is_name_char(c))
		return fevent_fail(r, FEVENT_ERR_BAD_CHAR, r->pos);
	if (proto->nr_fields == FEVENT_MAX_FIELDS)
		return fevent_fail(r, FEVENT_ERR_TOO_MANY_FIELDS, r->pos);

	field = &proto->fields[proto->nr_fields];
	field->column = r->pos;
	field->name_column = r->pos;
	if (fevent_is_name_start(c) && fevent_at_type(r))
		ret = fevent_read_typed(r, field);
	else
		ret = fevent_read_untyped(r, field);
	if (!ret)
		ret = fevent_name_field(r, field);
	if (!ret)
		proto->nr_fields++;
	return ret;
}

/* 'NULL' | FIELD {'|' FIELD} */
static int fevent_read_arg(struct fevent_reader *r)
{
	struct fevent_proto *proto = r->proto;
	bool takes_register = false;
	int ret;

	fevent_look(r);
	if (fevent_at_word(r, "NULL")) {
		if (r->arg >= r->max_args)
			return fevent_fail(r, FEVENT_ERR_TOO_MANY_ARGS, r->pos);
		r->pos += strlen("NULL");
		r->arg++;
		return 0;
	}

	for (;;) {
		ret = fevent_read_field(r);
		if (ret)
			return ret;
		if (proto->fields[proto->nr_fields - 1].source == FEVENT_ARG)
			takes_register = true;
		if (fevent_look(r) != '|')
			break;
		r->pos++;
	}
	if (takes_register)
		r->arg++;
	return 0;
}

static int fevent_alloc_fields(struct fevent_reader *r)
{
	unsigned int i, nr = 1;

	for (i = r->pos; i < r->end; i++)
		nr += r->line[i] == ',' || r->line[i] == '|';
	r->proto->fields = kcalloc(min(nr, FEVENT_MAX_FIELDS), sizeof(*r->proto->fields),
				   GFP_KERNEL);
	return r->proto->fields ? 0 : -ENOMEM;
}

/* [ARGS] ')' */
static int fevent_read_args(struct fevent_reader *r)
{
	struct fevent_proto *proto = r->proto;
	int ret;
	char c;

	c = fevent_look(r);
	proto->args_column = r->pos;
	if (fevent_at(r, "...")) {
		if (proto->glob)
			return fevent_fail(r, FEVENT_ERR_GLOB_PATH, r->pos);
		proto->all_args = true;
		r->pos += strlen("...");
	} else if (c != ')') {
		ret = fevent_alloc_fields(r);
		if (ret)
			return ret;
		for (;;) {
			ret = fevent_read_arg(r);
			if (ret)
				return ret;
			if (fevent_look(r) != ',')
				break;
			r->pos++;
		}
	}

	c = fevent_look(r);
	if (c != ')')
		return fevent_fail(r, c ? FEVENT_ERR_BAD_CHAR : FEVENT_ERR_NO_CLOSE, r->pos);
	r->pos++;
	return 0;
}

/* NAME of an event or a group. */
static int fevent_read_event_word(struct fevent_reader *r, const char **name)
{
	unsigned int start;
	int ret;

	fevent_look(r);
	start = r->pos;
	while (r->pos < r->end && !fevent_is_blank(fevent_peek(r)) && fevent_peek(r) != '/')
		r->pos++;
	if (r->pos == start)
		return fevent_fail(r, FEVENT_ERR_NO_NAME, start);
	if (r->pos - start > FEVENT_MAX_NAME)
		return fevent_fail(r, FEVENT_ERR_NAME_TOO_LONG, start);
	ret = fevent_keep(r, start, name);
	if (!ret && !fevent_is_name(*name))
		ret = fevent_fail(r, FEVENT_ERR_BAD_NAME, start);
	return ret;
}

/* [GROUP '/'] NAME */
static int fevent_read_event_name(struct fevent_reader *r)
{
	struct fevent_proto *proto = r->proto;
	int ret;

	fevent_look(r);
	proto->name_column = r->pos;
	proto->group = FEVENT_GROUP;
	ret = fevent_read_event_word(r, &proto->name);
	if (ret || fevent_look(r) != '/')
		return ret;

	r->pos++;
	proto->group = proto->name;
	return fevent_read_event_word(r, &proto->name);
}

/* Check the characters of FUNC or a glob, and brackets as glob_match() reads them. */
static int fevent_check_func(struct fevent_reader *r, unsigned int start, unsigned int end)
{
	const char *line = r->line;
	unsigned int i = start;

	while (i < end) {
		char c = line[i++];

		if (fevent_is_name_char(c) || c == '.')
			continue;
		if (!strchr("*?[", c))
			return fevent_fail(r, FEVENT_ERR_BAD_CHAR, i - 1);
		r->proto->glob = true;
		if (c != '[')
			continue;

		/* The first member of a class may be its own closing bracket. */
		if (i < end && line[i] == '!')
			i++;
		if (i < end && line[i] == ']')
			i++;
		while (i < end && line[i] != ']') {
			if (!fevent_is_name_char(line[i]) && !strchr("*?[.-!", line[i]))
				return fevent_fail(r, FEVENT_ERR_BAD_CHAR, i);
			i++;
		}
		if (i == end)
			return fevent_fail(r, FEVENT_ERR_NO_BRACKET, end);
		i++;
	}
	return 0;
}

/* Go back from @pos over blanks, but not beyond the reader's position. */
static unsigned int fevent_before_blanks(const struct fevent_reader *r, unsigned int pos)
{
	while (pos > r->pos && fevent_is_blank(r->line[pos - 1]))
		pos--;
	return pos;
}

/* Go back from @pos to the start of the word that ends there. */
static unsigned int fevent_word_start(const struct fevent_reader *r, unsigned int pos)
{
	while (pos > r->pos && !fevent_is_blank(r->line[pos - 1]) && r->line[pos - 1] != ':')
		pos--;
	return pos;
}

/* MODULE, which ends at @end. Its name may begin with a digit, such as 8021q. */
static int fevent_read_module(struct fevent_reader *r, unsigned int start, unsigned int end)
{
	r->pos = start;
	if (fevent_word_len(r) < end - start)
		return fevent_fail(r, FEVENT_ERR_BAD_NAME, start);
	r->pos = end;
	r->proto->module_column = start;
	return fevent_keep(r, start, &r->proto->module);
}

/* [RETTYPE]: all text up to @end. */
static int fevent_read_rettype(struct fevent_reader *r, unsigned int end)
{
	struct fevent_reader type = *r;
	struct fevent_proto *proto = r->proto;
	int ret;
	char c;

	type.end = end;
	if (!fevent_look(&type))
		return 0;
	proto->returns = true;
	proto->ret_column = type.pos;
	ret = fevent_read_type(&type, FEVENT_ERR_BAD_RETTYPE, &proto->ret_type);
	if (ret)
		return ret;

	c = fevent_look(&type);
	if (c == '[')
		return fevent_fail(r, FEVENT_ERR_RET_ARRAY, type.pos);
	if (c)
		return fevent_fail(r, FEVENT_ERR_BAD_RETTYPE, proto->ret_column);
	if (proto->glob && proto->ret_type != FEVENT_T_VOID)
		return fevent_fail(r, FEVENT_ERR_GLOB_RETTYPE, proto->ret_column);
	return 0;
}

/* [RETTYPE] [MODULE ':'] FUNC '(' */
static int fevent_read_head(struct fevent_reader *r)
{
	unsigned int start = r->pos, paren = start, func, end, type_end, colon;
	int ret;

	while (paren < r->end && r->line[paren] != '(')
		paren++;
	if (paren == r->end) {
		/* No parenthesis. Complain at the first character that cannot come before one. */
		paren = start;
		while (paren < r->end && (fevent_is_name_char(r->line[paren]) ||
					  strchr(" \t:.*?[]!-", r->line[paren])))
			paren++;
		return fevent_fail(r, paren == start ? FEVENT_ERR_BAD_CHAR : FEVENT_ERR_NO_PAREN,
				   paren);
	}

	end = fevent_before_blanks(r, paren);
	func = fevent_word_start(r, end);
	if (func == end)
		return fevent_fail(r, FEVENT_ERR_NO_FUNC, paren);
	ret = fevent_check_func(r, func, end);
	if (ret)
		return ret;
	r->proto->func_column = func;

	type_end = func;
	colon = fevent_before_blanks(r, func);
	if (colon > start && r->line[colon - 1] == ':') {
		unsigned int module_end = fevent_before_blanks(r, --colon);

		type_end = fevent_word_start(r, module_end);
		if (type_end == module_end)
			return fevent_fail(r, FEVENT_ERR_NO_NAME, colon);
		ret = fevent_read_module(r, type_end, module_end);
		if (ret)
			return ret;
		r->pos = start;
	}

	ret = fevent_read_rettype(r, type_end);
	if (ret)
		return ret;

	r->pos = end;
	ret = fevent_keep(r, func, &r->proto->func);
	r->pos = paren + 1;
	return ret;
}

/* The rest of an event: ['as' [GROUP '/'] NAME] */
static int fevent_read_as(struct fevent_reader *r)
{
	struct fevent_proto *proto = r->proto;
	int ret;

	fevent_look(r);
	if (fevent_at_word(r, "as")) {
		r->pos += strlen("as");
		ret = fevent_read_event_name(r);
		if (ret)
			return ret;
		proto->named = fevent_proto_is_named(proto);
		return 0;
	}

	if (fevent_peek(r))
		return fevent_fail(r, FEVENT_ERR_TRAILING, r->pos);
	if (proto->glob)
		return fevent_fail(r, FEVENT_ERR_GLOB_NAME, r->pos);
	proto->group = FEVENT_GROUP;
	proto->name = fevent_undot(r, proto->func);
	proto->name_column = proto->func_column;
	if (!fevent_is_name(proto->name))
		return fevent_fail(r, FEVENT_ERR_BAD_NAME, proto->func_column);
	if (strlen(proto->name) > FEVENT_MAX_NAME)
		return fevent_fail(r, FEVENT_ERR_NAME_TOO_LONG, proto->func_column);
	return 0;
}

static int fevent_read_line(struct fevent_reader *r)
{
	struct fevent_proto *proto = r->proto;
	char c;
	int ret;

	c = fevent_look(r);
	if (!c || c == '#') {
		proto->kind = FEVENT_EMPTY;
		return 0;
	}

	if (c == '!') {
		proto->kind = FEVENT_REMOVE;
		proto->named = true;
		r->pos++;
		ret = fevent_read_event_name(r);
	} else {
		proto->kind = FEVENT_EVENT;
		ret = fevent_read_head(r);
		if (!ret)
			ret = fevent_read_args(r);
		if (!ret)
			ret = fevent_read_as(r);
	}
	if (ret)
		return ret;
	if (fevent_look(r))
		return fevent_fail(r, FEVENT_ERR_TRAILING, r->pos);

	/* The canonical line has more blanks, and has to fit as well. */
	if (r->end > FEVENT_MAX_LINE / 2 && fevent_print(proto, NULL, 0) > FEVENT_MAX_LINE)
		return fevent_fail(r, FEVENT_ERR_TOO_LONG, r->end);
	return 0;
}

/**
 * fevent_parse - read one line
 * @line: the line, without its newline; no NUL has to follow
 * @len: bytes of it; more than FEVENT_MAX_LINE are an error of the line
 * @max_args: register arguments that a function can have, 0 to INT_MAX
 * @find_typedef: for types that are not known here
 * @error: the error and its column, on -EINVAL; else FEVENT_ERR_NONE
 *
 * An empty line or a comment gives a prototype of kind FEVENT_EMPTY.
 *
 * Context: may sleep.
 * Return: the prototype, to be freed by fevent_proto_free(); ERR_PTR(-EINVAL) if
 * the line is not well-formed, ERR_PTR(-ENOMEM).
 */
struct fevent_proto *fevent_parse(const char *line, size_t len, unsigned int max_args,
				  fevent_typedef_t find_typedef, struct fevent_error *error)
{
	struct fevent_reader r = {
		.line = line, .end = len, .max_args = max_args, .find_typedef = find_typedef,
		.error = error,
	};
	unsigned int i;
	int ret;

	error->err = FEVENT_ERR_NONE;
	error->column = 0;
	if (len > FEVENT_MAX_LINE) {
		fevent_fail(&r, FEVENT_ERR_TOO_LONG, FEVENT_MAX_LINE);
		return ERR_PTR(-EINVAL);
	}
	/* Also in comments: a text with a NUL or newline is one line only for the caller. */
	for (i = 0; i < r.end; i++) {
		if (!line[i] || line[i] == '\n') {
			fevent_fail(&r, FEVENT_ERR_BAD_CHAR, i);
			return ERR_PTR(-EINVAL);
		}
	}
	while (r.end && (fevent_is_blank(line[r.end - 1]) || line[r.end - 1] == '\r'))
		r.end--;

	/* After each word there is a separator or the end: so its NUL fits. */
	r.proto = kzalloc(sizeof(*r.proto) + 2 * (r.end + 1), GFP_KERNEL);
	if (!r.proto)
		return ERR_PTR(-ENOMEM);
	r.strings = (char *)(r.proto + 1);

	ret = fevent_read_line(&r);
	if (ret) {
		fevent_proto_free(r.proto);
		return ERR_PTR(ret);
	}
	return r.proto;
}

/**
 * fevent_proto_free - free a prototype
 * @proto: from fevent_parse(), or NULL; its strings and fields go with it
 *
 * Context: any in which kfree() may be called.
 */
void fevent_proto_free(struct fevent_proto *proto)
{
	if (!proto)
		return;
	kfree(proto->fields);
	kfree(proto);
}

/**
 * fevent_field_name_reserved - is this the name of a field that events have by themselves?
 * @name: a name
 *
 * Context: any.
 * Return: true if no field of a line may have it.
 */
bool fevent_field_name_reserved(const char *name)
{
	return !strcmp(name, "ret") || !strcmp(name, "duration") || !strcmp(name, "faults") ||
	       !strncmp(name, "common_", strlen("common_")) || !strncmp(name, "__", 2);
}
