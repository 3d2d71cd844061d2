// SPDX-License-Identifier: GPL-2.0-only
/* See utf8.h. */
#include <string.h>

#include "base/utf8.h"

size_t utf8__character(const char *text, size_t length, uint32_t *ret)
{
	static const struct {
		unsigned char mask, lead, count;
		uint32_t least;
	} forms[] = {
		{ 0x80, 0x00, 1, 0 }, { 0xe0, 0xc0, 2, 0x80 }, { 0xf0, 0xe0, 3, 0x800 },
		{ 0xf8, 0xf0, 4, 0x10000 },
	};
	const unsigned char *s = (const unsigned char *)text;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		uint32_t code = s[0] & (unsigned char)~forms[i].mask;

		if ((s[0] & forms[i].mask) != forms[i].lead)
			continue;
		if (forms[i].count > length)
			return 0;
		for (size_t n = 1; n < forms[i].count; n++) {
			if ((s[n] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | (s[n] & 0x3f);
		}
		if (code < forms[i].least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
			return 0;
		if (ret)
			*ret = code;
		return forms[i].count;
	}
	return 0;
}

/* Is the only effect of this character on a terminal that it is seen? */
static bool is_seen(uint32_t code)
{
	return code >= 0x20 && (code < 0x7f || code > 0x9f);
}

bool utf8__is_plain(const char *text)
{
	uint32_t code;

	for (size_t left = strlen(text), bytes; left; text += bytes, left -= bytes) {
		bytes = utf8__character(text, left, &code);
		if (!bytes || !is_seen(code))
			return false;
	}
	return true;
}

void utf8__print(FILE *out, const char *text, const char *allowed)
{
	for (size_t left = strlen(text), bytes; left; text += bytes, left -= bytes) {
		uint32_t code = 0;
		bool seen;

		bytes = utf8__character(text, left, &code);
		seen = bytes && (is_seen(code) || (code < 0x80 && strchr(allowed, code)));
		bytes = bytes ? bytes : 1;
		for (size_t i = 0; i < bytes; i++)
			fprintf(out, seen ? "%c" : "\\x%02x", (unsigned char)text[i]);
	}
}
