// SPDX-License-Identifier: GPL-2.0-only
/* Writes labels and times of a picture in SVG; see picture.h. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "boot/picture.h"

/* XML forbids U+FFFE, U+FFFF and control characters, but for three, which names do not need. */
static int is_shown(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xfffe || code == 0xffff)
		return 0;
	/* The characters below are invisible, or change the direction of the text after them. */
	return !((code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
		 (code >= 0x2060 && code <= 0x206f) || code == 0x061c || code == 0xfeff);
}

static void put_character(FILE *out, const char *text, size_t bytes, uint32_t code)
{
	if (!bytes || !is_shown(code))
		fputs(UTF8_REPLACEMENT, out);
	else if (code == '<')
		fputs("&lt;", out);
	else if (code == '>')
		fputs("&gt;", out);
	else if (code == '&')
		fputs("&amp;", out);
	else if (code == '"')
		fputs("&quot;", out);
	else
		fwrite(text, 1, bytes, out);
}

void svg__text(FILE *out, const char *text, size_t most)
{
	size_t length = strlen(text);

	for (size_t count = 0; length; count++) {
		uint32_t code = 0;
		size_t bytes = utf8__character(text, length, &code), step = bytes ? bytes : 1;

		if (count + 1 >= most && length > step) {
			fputs("…", out);
			return;
		}
		put_character(out, text, bytes, code);
		text += step;
		length -= step;
	}
}

size_t svg__columns(const char *text)
{
	size_t length = strlen(text), columns = 0;

	while (length) {
		size_t bytes = utf8__character(text, length, NULL);

		columns += bytes == 1 ? 1 : 2;
		text += bytes ? bytes : 1;
		length -= bytes ? bytes : 1;
	}
	return columns;
}

void svg__label(FILE *out, const char *class, double x, double y, const char *anchor,
		const char *text)
{
	fprintf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\"", class, x, y);
	if (strcmp(anchor, "start"))
		fprintf(out, " text-anchor=\"%s\"", anchor);
	fputc('>', out);
	svg__text(out, text, 200);
	fputs("</text>\n", out);
}

const char *svg__time(int64_t ns, int counts, char *room, size_t size)
{
	double value = ns, magnitude = ns < 0 ? -value : value;

	if (counts)
		snprintf(room, size, "%" PRId64 " cycles", ns);
	else if (magnitude >= 999999500)
		snprintf(room, size, "%.3f s", value / 1e9);
	else if (magnitude >= 99999500)
		snprintf(room, size, "%.1f ms", value / 1e6);
	else if (magnitude >= 999950)
		snprintf(room, size, "%.2f ms", value / 1e6);
	else if (magnitude >= 1000)
		snprintf(room, size, "%.*f µs", magnitude >= 10000 || ns % 1000 == 0 ? 0 : 1,
			 value / 1e3);
	else
		snprintf(room, size, "%" PRId64 " ns", ns);
	return room;
}
