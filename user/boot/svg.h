/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pieces of a picture in SVG. Names in a picture come from user space and may be any bytes: all
 * text goes through svg__text().
 */
#ifndef HYTRACE_BOOT_SVG_H
#define HYTRACE_BOOT_SVG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Labels have a font whose characters all have the same width, so that it is known where they fit.
 * These are pixels, for 11 pixels of height.
 */
#define SVG_CHARACTER 6.7

/**
 * svg__text() - write the beginning of a text as XML
 * @out: where to; write errors stay in the stream
 * @text: any bytes; what is no character of XML, or would change the direction of writing, becomes
 *	U+FFFD
 * @most: the most characters. A longer text ends with "…".
 */
void svg__text(FILE *out, const char *text, size_t most);
/* How many columns a text takes. Characters that are not ASCII may be wide. */
size_t svg__columns(const char *text);
/* A label of class @class. @anchor: "start", "middle" or "end" */
void svg__label(FILE *out, const char *class, double x, double y, const char *anchor,
		const char *text);

/*
 * A duration or a point in time for people, with three to five digits: "1.234 s", "56.78 ms". If
 * @counts, it is a number of cycles.
 */
const char *svg__time(int64_t ns, int counts, char *room, size_t size);

#endif
