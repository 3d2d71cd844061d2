/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages for a browser, made of templates in the program, the head that all share, and data. */
#ifndef HYTRACE_REPORT_EMBED_H
#define HYTRACE_REPORT_EMBED_H

/**
 * embed__page() - write a page with its data
 * @start: the template, with the markers @HEAD@, @DATA@ and @SCRIPT@ in this order
 * @end: the end of the template
 * @script: the text for @SCRIPT@; NULL: the template has no such marker
 * @script_end: the end of @script
 * @data: one JSON object, for an element that holds text
 * @length: the length of @data
 * @out: where to; write errors stay in the stream
 *
 * Return: 0, or -EINVAL after a message if a marker is missing.
 */
int embed__page(const char *start, const char *end, const char *script, const char *script_end, const char *data,
		size_t length, FILE *out);

#endif
