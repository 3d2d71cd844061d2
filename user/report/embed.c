// SPDX-License-Identifier: GPL-2.0-only
/* Puts the head and the data into a page; see embed.h. */
#include "base/error.h"
#include "report/embed.h"

/* head.html, which the program carries. */
extern const char _binary_head_html_start[], _binary_head_html_end[];

/*
 * Escapes "<", which in JSON is only in strings. So no text can end the element with the data
 * ("</script>"), or begin a comment.
 */
static void put_data(const char *data, size_t length, FILE *out)
{
	const char *end = data + length;

	while (data < end) {
		const char *next = memchr(data, '<', end - data);
		size_t plain = (next ? next : end) - data;

		fwrite(data, 1, plain, out);
		if (next)
			fputs("\\u003c", out);
		data += plain + !!next;
	}
}

/* Writes the text before a marker. Returns the text after it; NULL: there is no marker. */
static const char *put_until(const char *at, const char *end, const char *mark, FILE *out)
{
	const char *place = memmem(at, end - at, mark, strlen(mark));

	if (!place)
		return NULL;
	fwrite(at, 1, place - at, out);
	return place + strlen(mark);
}

int embed__page(const char *start, const char *end, const char *script, const char *script_end, const char *data,
		size_t length, FILE *out)
{
	const char *at = put_until(start, end, "@HEAD@", out);

	if (at) {
		fwrite(_binary_head_html_start, 1, _binary_head_html_end - _binary_head_html_start, out);
		at = put_until(at, end, "@DATA@", out);
	}
	if (at) {
		put_data(data, length, out);
		if (script) {
			at = put_until(at, end, "@SCRIPT@", out);
			fwrite(script, 1, script_end - script, out);
		}
	}
	if (!at)
		return error__return(-EINVAL, "a page of this program has no place for its head or its data");
	fwrite(at, 1, end - at, out);
	return 0;
}
