/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names from user space are any bytes. json and XML must be UTF-8, and a terminal obeys some characters, such as those
 * that begin with ESC.
 */
#ifndef HYTRACE_BASE_UTF8_H
#define HYTRACE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* U+FFFD, which stands for what is no character. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/**
 * utf8__character() - the first character of a text
 * @text: at least one byte, or the end of a string
 * @length: how many bytes there are
 * @ret: its code point; may be NULL
 *
 * Return: how many bytes form it; 0: they are not UTF-8, and @ret is not set.
 */
size_t utf8__character(const char *text, size_t length, uint32_t *ret);

/* Is it UTF-8 that has no effect on a terminal but to be seen, all in one line? */
bool utf8__is_plain(const char *text);

/**
 * utf8__print() - print a text for people, whatever is in it
 * @out: where to; write errors stay in the stream
 * @text: control characters, and bytes that are not UTF-8, are printed as \x1b, as libsmartcols does in tables
 * @allowed: control characters that are printed as they are: "\n\t"
 */
void utf8__print(FILE *out, const char *text, const char *allowed);

#endif
