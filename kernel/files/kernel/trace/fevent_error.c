// SPDX-License-Identifier: GPL-2.0
/*
 * Function events: complaints about a line that is wrong.
 */
#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#endif

#include "fevent_error.h"

#define C(name, text)							\
	[FEVENT_ERR_##name] = text
const char *fevent_err_text[] = FEVENT_ERRORS;
#undef C

/**
 * __fevent_complain - say what is wrong with a line; see fevent_complain()
 * @complaint: where to store it
 * @err: the kind
 * @column: offset in the line, from 0
 * @detail: format of a text to add, which may be empty
 *
 * Return: -EINVAL.
 */
int __fevent_complain(struct fevent_complaint *complaint, enum fevent_err err, unsigned int column,
		      const char *detail, ...)
{
	va_list args;

	complaint->error.err = err;
	complaint->error.column = column;
	va_start(args, detail);
	vsnprintf(complaint->detail, sizeof(complaint->detail), detail, args);
	va_end(args);
	return -EINVAL;
}

/**
 * fevent_distance - how much of a name has to change to become another one
 * @a: a name
 * @b: another name
 *
 * Return: the length of the longer name without the beginning and end that both share.
 */
size_t fevent_distance(const char *a, const char *b)
{
	size_t common = 0, la = strlen(a), lb = strlen(b);

	while (a[common] && a[common] == b[common])
		common++;
	la -= common;
	lb -= common;
	a += common;
	b += common;
	while (la && lb && a[la - 1] == b[lb - 1]) {
		la--;
		lb--;
	}
	return la > lb ? la : lb;
}
