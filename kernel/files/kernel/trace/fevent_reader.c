// SPDX-License-Identifier: GPL-2.0
/*
 * Reading a line of function events: its characters, words and numbers.
 */
#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/hex.h>
#include <linux/string.h>
#endif

#include "fevent_reader.h"

int fevent_fail(struct fevent_reader *r, enum fevent_err err, unsigned int column)
{
	r->error->err = err;
	r->error->column = column;
	return -EINVAL;
}

bool fevent_is_name(const char *word)
{
	if (!fevent_is_name_start(*word))
		return false;
	while (fevent_is_name_char(*word))
		word++;
	return !*word;
}

/* Skip blanks, then do fevent_peek(). Complaints are about this position. */
char fevent_look(struct fevent_reader *r)
{
	while (fevent_is_blank(fevent_peek(r)))
		r->pos++;
	return fevent_peek(r);
}

bool fevent_at(const struct fevent_reader *r, const char *text)
{
	size_t len = strlen(text);

	return r->end - r->pos >= len && !memcmp(r->line + r->pos, text, len);
}

/* How many letters, digits and underscores follow: a name, a number, or neither. */
unsigned int fevent_word_len(const struct fevent_reader *r)
{
	unsigned int i = r->pos;

	while (i < r->end && fevent_is_name_char(r->line[i]))
		i++;
	return i - r->pos;
}

bool fevent_at_word(const struct fevent_reader *r, const char *word)
{
	return fevent_at(r, word) && fevent_word_len(r) == strlen(word);
}

bool fevent_at_addr(const struct fevent_reader *r)
{
	return fevent_peek(r) == '$' || fevent_at(r, "0x");
}

/* Store what was read since @start. */
int fevent_keep(struct fevent_reader *r, unsigned int start, const char **word)
{
	unsigned int len = r->pos - start;

	if (len > FEVENT_MAX_WORD)
		return fevent_fail(r, FEVENT_ERR_NAME_TOO_LONG, start);

	memcpy(r->strings, r->line + start, len);
	*word = r->strings;
	r->strings += len + 1;	/* the memory is zeroed */
	return 0;
}

/* Replace the dots that compilers put into names of functions: event names have none. */
const char *fevent_undot(struct fevent_reader *r, const char *word)
{
	char *name = r->strings;
	unsigned int i;

	if (!strchr(word, '.'))
		return word;

	for (i = 0; word[i]; i++)
		name[i] = word[i] == '.' ? '_' : word[i];
	r->strings += i + 1;
	return name;
}

/* Is @name what fevent_undot() makes of @word? */
bool fevent_is_undotted(const char *name, const char *word)
{
	for (; *word; name++, word++) {
		if (*name != (*word == '.' ? '_' : *word))
			return false;
	}
	return !*name;
}

/* Read n, decimal or 0xHEX. There are no octal numbers. */
int fevent_read_number(struct fevent_reader *r, unsigned int min, unsigned int max,
		       enum fevent_err err, unsigned int *n)
{
	unsigned int start, end;
	int base = 10, digit;
	u64 value = 0;

	fevent_look(r);
	start = r->pos;
	end = start + fevent_word_len(r);
	if (fevent_at(r, "0x")) {
		base = 16;
		r->pos += 2;
	}
	if (r->pos == end)
		return fevent_fail(r, err, start);

	for (; r->pos < end; r->pos++) {
		digit = hex_to_bin(r->line[r->pos]);
		if (digit < 0 || digit >= base)
			return fevent_fail(r, err, start);
		value = value * base + digit;
		if (value > max)
			return fevent_fail(r, err, start);
	}
	if (value < min)
		return fevent_fail(r, err, start);

	*n = value;
	return 0;
}

/* Read n and ']'. The '[' has been read. */
int fevent_read_index(struct fevent_reader *r, unsigned int min, unsigned int max,
		      enum fevent_err err, unsigned int *n)
{
	int ret = fevent_read_number(r, min, max, err, n);

	if (ret)
		return ret;
	if (fevent_look(r) != ']')
		return fevent_fail(r, FEVENT_ERR_NO_BRACKET, r->pos);
	r->pos++;
	return 0;
}
