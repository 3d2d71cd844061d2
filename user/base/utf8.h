/* SPDX-License-Identifier: GPL-2.0-only */
/* Names from user space are any bytes, and json and XML must be UTF-8. */
#ifndef HYTRACE_BASE_UTF8_H
#define HYTRACE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

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

#endif
