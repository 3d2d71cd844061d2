// SPDX-License-Identifier: GPL-2.0-only
/* Text: UTF-8, and the most similar of several names; see text.h. */
#include "base/memory.h"
#include "base/text.h"

/* ---- UTF-8 */

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

bool utf8__is_seen(uint32_t code)
{
	return code >= 0x20 && (code < 0x7f || code > 0x9f);
}

bool utf8__is_plain(const char *text)
{
	uint32_t code;

	for (size_t left = strlen(text), bytes; left; text += bytes, left -= bytes) {
		bytes = utf8__character(text, left, &code);
		if (!bytes || !utf8__is_seen(code))
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
		seen = bytes && (utf8__is_seen(code) || (code < 0x80 && strchr(allowed, code)));
		bytes = bytes ? bytes : 1;
		for (size_t i = 0; i < bytes; i++)
			fprintf(out, seen ? "%c" : "\\x%02x", (unsigned char)text[i]);
	}
}

char *utf8__printed(const char *text)
{
	char *printed;
	size_t length;
	FILE *out = xopen_memstream(&printed, &length);

	utf8__print(out, text, "");
	xclose_memstream(out);
	return printed;
}

/* ---- similar names */

static unsigned int smallest(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int least = a < b ? a : b;

	return least < c ? least : c;
}

/*
 * The number of edits between two names: inserting, deleting or changing a letter, or swapping two
 * neighbours. Gives up beyond @limit.
 */
static unsigned int distance(const char *a, const char *b, unsigned int limit)
{
	unsigned int rows[3][128];
	size_t la = strlen(a), lb = strlen(b);

	if (lb >= 128 || (la > lb ? la - lb : lb - la) > limit)
		return limit + 1;
	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int *row = rows[i % 3], *last = rows[(i + 2) % 3];
		unsigned int *before = rows[(i + 1) % 3], best;

		row[0] = best = i;
		for (size_t j = 1; j <= lb; j++) {
			row[j] = smallest(last[j] + 1, row[j - 1] + 1,
					  last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
			if (row[j] < best)
				best = row[j];
		}
		if (best > limit)
			return limit + 1;
	}
	return rows[la % 3][lb];
}

void similar__begin(struct similar *s, const char *name)
{
	s->name = name;
	s->limit = strlen(name) > 5 ? 3 : 1;
	s->nearest = NULL;
}

void similar__try(struct similar *s, const char *candidate)
{
	unsigned int apart;

	if (!s->limit)
		return;
	apart = distance(s->name, candidate, s->limit);
	if (apart > s->limit)
		return;
	s->nearest = candidate;
	s->limit = apart ? apart - 1 : 0;
}
