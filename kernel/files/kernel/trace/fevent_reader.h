/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading a line of function events: its characters, words and numbers. The grammar is
 * in fevent_parse.c. This file does not depend on the kernel: it is compiled in user
 * space as well.
 *
 * Only the letters of ASCII are letters. The kernel's isalpha() also knows Latin-1.
 */
#ifndef _FEVENT_READER_H
#define _FEVENT_READER_H

#include "fevent_parse.h"

#define FEVENT_MAX_WORD		511	/* KSYM_NAME_LEN has room for as many */

/*
 * A line that is being read. The text before @pos has been read. Nothing looks at
 * @end or beyond, where the next line may follow.
 */
struct fevent_reader {
	const char		*line;
	unsigned int		pos;
	unsigned int		end;
	unsigned int		max_args;
	fevent_typedef_t	find_typedef;
	unsigned int		arg;		/* the register that a field reads now */
	char			*strings;	/* free memory for words */
	struct fevent_proto	*proto;
	struct fevent_error	*error;
};

static inline bool fevent_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool fevent_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool fevent_is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool fevent_is_name_char(char c)
{
	return fevent_is_name_start(c) || fevent_is_digit(c);
}

/* The next character; 0 at the end, as the line itself has no NUL. */
static inline char fevent_peek(const struct fevent_reader *r)
{
	return r->pos < r->end ? r->line[r->pos] : 0;
}

int fevent_fail(struct fevent_reader *r, enum fevent_err err, unsigned int column);
bool fevent_is_name(const char *word);
char fevent_look(struct fevent_reader *r);
bool fevent_at(const struct fevent_reader *r, const char *text);
unsigned int fevent_word_len(const struct fevent_reader *r);
bool fevent_at_word(const struct fevent_reader *r, const char *word);
bool fevent_at_addr(const struct fevent_reader *r);
int fevent_keep(struct fevent_reader *r, unsigned int start, const char **word);
const char *fevent_undot(struct fevent_reader *r, const char *word);
bool fevent_is_undotted(const char *name, const char *word);
int fevent_read_number(struct fevent_reader *r, unsigned int min, unsigned int max,
		       enum fevent_err err, unsigned int *n);
int fevent_read_index(struct fevent_reader *r, unsigned int min, unsigned int max,
		      enum fevent_err err, unsigned int *n);

#endif /* _FEVENT_READER_H */
