/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Function events: the errors that a line can have, and their texts. This file does
 * not depend on the kernel: it is compiled in user space as well.
 */
#ifndef _FEVENT_ERROR_H
#define _FEVENT_ERROR_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stddef.h>
#endif

/*
 * Complaints of the parser, and of the code that looks up the names that it has read.
 * error_log shows the text, below it the line, and a caret below the column.
 */
#define FEVENT_ERRORS {							\
	C(NONE,			"No error"),				\
	C(TOO_LONG,		"Line is too long"),			\
	C(BAD_CHAR,		"Unexpected character"),		\
	C(NO_FUNC,		"No function name before the parenthesis"), \
	C(NO_PAREN,		"Missing parenthesis after the function name"), \
	C(NO_CLOSE,		"Missing closing parenthesis"),		\
	C(TRAILING,		"Unexpected text after the prototype"),	\
	C(NO_NAME,		"Missing name"),			\
	C(BAD_NAME,		"Name must consist of letters, digits and underscores"), \
	C(NAME_TOO_LONG,	"Name is too long"),			\
	C(GLOB_NAME,		"A glob needs a name: as NAME"),	\
	C(GLOB_RETTYPE,		"A glob can return nothing but void"),	\
	C(GLOB_PATH,		"A glob's arguments have no BTF names"), \
	C(BAD_RETTYPE,		"Unknown return type"),			\
	C(RET_ARRAY,		"A function does not return an array"),	\
	C(NO_FIELD,		"Missing argument; NULL skips one"),	\
	C(BAD_TYPE,		"Unknown type"),			\
	C(NOT_A_NUMBER,		"Not a typedef of a number that fits a register"),		\
	C(BAD_UNSIGNED,		"unsigned goes with char, short, int and long"), \
	C(BAD_COUNT,		"Array size must be 1 to 256"),		\
	C(STRING_ARRAY,		"Strings do not come in arrays"),	\
	C(NO_BRACKET,		"Missing closing bracket"),		\
	C(BAD_NUMBER,		"Bad number"),				\
	C(BAD_ADDR,		"Address must be 0x... or $symbol"),	\
	C(NO_MEMBER,		"Missing name of a member"),		\
	C(TOO_MANY_STEPS,	"Too many steps"),			\
	C(TOO_MANY_FIELDS,	"Too many fields"),			\
	C(DUP_FIELD,		"Field name is used twice"),		\
	C(RESERVED_FIELD,	"Field name is reserved"),		\
	C(TOO_MANY_ARGS,	"Too many arguments, registers hold no more"), \
	C(NOT_A_FUNCTION,	"No such function"),			\
	C(NOTRACE,		"Function is notrace"),			\
	C(INLINED,		"Function is inlined, nothing calls it"), \
	C(IN_MODULE,		"Function is in a module, which has to be named"), \
	C(NOT_IN_MODULE,	"Module has no such function"),		\
	C(NOT_A_MODULE,		"Not a module, but a part of the kernel proper"), \
	C(CHANGED,		"The module's types are not those the event was made with"), \
	C(AMBIGUOUS,		"More than one function has this name"), \
	C(NO_MATCH,		"Glob matches no function that can be traced"), \
	C(NO_SYMBOL,		"No such symbol"),			\
	C(MANY_SYMBOLS,		"More than one symbol has this name"),	\
	C(PERCPU_SYMBOL,	"Symbol is per CPU, it has no address of its own"), \
	C(NO_BTF,		"No BTF of this function"),		\
	C(NO_ARG,		"Function has no such argument"), \
	C(ARG_POSITION,		"The argument of this name is another one"), \
	C(NOT_IN_REGISTER,	"The argument is not passed in a register"), \
	C(NO_SUCH_MEMBER,	"No such member"),			\
	C(NOT_A_POINTER,	"Not a pointer to a struct"),		\
	C(NOT_A_STRUCT,		"Not a struct"),			\
	C(NOT_AN_ARRAY,		"Neither an array nor a pointer"),	\
	C(BAD_INDEX,		"Index is beyond the end of the array"), \
	C(TYPE_TOO_BIG,		"Type is larger than what is there"),	\
	C(BTF_TYPE,		"Values of this type cannot be recorded"), \
	C(NO_RETVAL,		"Function returns nothing"),		\
	C(RECORD_TOO_BIG,	"Record is too large"),			\
	C(EXISTS,		"Event exists"),			\
	C(FILE_NAME,		"Name is that of a file beside the events"),	\
	C(BUSY,			"Event is busy"),			\
	C(NO_EVENT,		"No such event"),			\
	C(NO_RETURNS,		"Return events need rethook"),		\
	C(MAX,			NULL)					\
}

#undef C
#define C(name, ...)	FEVENT_ERR_##name
enum fevent_err FEVENT_ERRORS;
#undef C

/* Indexed by enum fevent_err. */
extern const char *fevent_err_text[];

/**
 * struct fevent_error - what is wrong with a line, and where
 * @err: the kind, also the index of its text
 * @column: offset in the line, in bytes, 0 based
 */
struct fevent_error {
	enum fevent_err	err;
	unsigned int	column;
};

/**
 * struct fevent_complaint - why a line was refused
 * @error: the kind, and where in the line
 * @detail: text to add, may be empty
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

#endif /* _FEVENT_ERROR_H */
