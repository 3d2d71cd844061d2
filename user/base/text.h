/* SPDX-License-Identifier: GPL-2.0-only */
/* Text: comparing what may be NULL, UTF-8, and names that resemble each other. */
#ifndef HYTRACE_BASE_TEXT_H
#define HYTRACE_BASE_TEXT_H

/* For sorting: NULL is before all texts. */
static inline int text__compare(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !!a - !!b;
}

/* NULL means that there is none, so NULL equals NULL. */
static inline bool text__equals(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* NULL means unknown: are @a and @b known to be equal? */
static inline bool text__is_known_equal(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* NULL means unknown: are @a and @b known to differ? */
static inline bool text__is_known_other(const char *a, const char *b)
{
	return a && b && strcmp(a, b);
}

/* ---- UTF-8: names from user space may have any bytes, but json and XML must be UTF-8, and a terminal obeys ESC */

/* U+FFFD, which replaces bytes that are no character. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/**
 * utf8__character() - the first character of a text
 * @text: at least one byte; it may be the NUL at the end of a string
 * @length: the number of bytes in @text
 * @ret: its code point; may be NULL
 *
 * Return: the number of bytes of the character; 0: they are not UTF-8, and @ret is not set.
 */
size_t utf8__character(const char *text, size_t length, uint32_t *ret);

/* Is the only effect of this character on a terminal that it is seen? */
bool utf8__is_seen(uint32_t code);

/* Is the text UTF-8 that can be printed on a terminal in one line, without other effects? */
bool utf8__is_plain(const char *text);

/**
 * utf8__print() - print a text for people, whatever is in it
 * @out: the stream; write errors stay in it
 * @text: control characters, and bytes that are not UTF-8, are printed as \x1b, as libsmartcols does in tables
 * @allowed: control characters that are printed as they are: "\n\t"
 */
void utf8__print(FILE *out, const char *text, const char *allowed);
/* Returns what utf8__print() prints, to be freed: so that a text of a stranger can be printed anywhere. */
char *utf8__printed(const char *text);

/* ---- the name that is most similar to a mistyped one */

struct similar {
	const char *name;
	unsigned int limit;	/* with at most this many edits, a name is nearer than @nearest */
	const char *nearest;	/* NULL: no name is similar */
};

void similar__begin(struct similar *s, const char *name);
/* @candidate must live as long as it may be the nearest name. */
void similar__try(struct similar *s, const char *candidate);

#endif
