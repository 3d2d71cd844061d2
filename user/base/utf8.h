/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names from user space may have any bytes. But json and XML must be UTF-8, and a terminal obeys
 * some characters, such as those that begin with ESC.
 */
#ifndef HYTRACE_BASE_UTF8_H
#define HYTRACE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/* Is the text UTF-8 that can be printed on a terminal in one line, without other effects? */
bool utf8__is_plain(const char *text);

/**
 * utf8__print() - print a text for people, whatever is in it
 * @out: the stream; write errors stay in it
 * @text: control characters, and bytes that are not UTF-8, are printed as \x1b, as libsmartcols does in tables
 * @allowed: control characters that are printed as they are: "\n\t"
 */
void utf8__print(FILE *out, const char *text, const char *allowed);

#endif
