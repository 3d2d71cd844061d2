/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The picture of a boot. picture.c draws its head and the frames of its views. lanes.c lays out the
 * lanes of a view, bars.c draws a bar, and chart.c draws the load.
 *
 * A view shows a range of time in the whole width. The picture may have three views: the boot; the
 * kernel's share of the boot, if this is small; and the early part.
 */
#ifndef HYTRACE_BOOT_PICTURE_H
#define HYTRACE_BOOT_PICTURE_H

#include <stdio.h>

#include "boot/timeline.h"

/* In pixels. */
#define PICTURE_WIDTH 1400
#define PICTURE_MARGIN 20
/* Names of lanes are on the left of the bars. */
#define PICTURE_LEFT 130
#define PICTURE_BARS (PICTURE_WIDTH - PICTURE_LEFT - PICTURE_MARGIN)

struct view {
	enum timeline_part_id part;
	const char *title;
	int64_t from, to;		/* ns, or cycles */
	double top;			/* where the lanes begin */
};

struct boot_report;

struct picture {
	FILE *out;
	const struct timeline *t;
	double narrowest;		/* bars that are narrower, in pixels, are joined */
	double y;			/* the lower end of the finished part */
	size_t joined, deep;		/* joined bars; bars that are too deep to be drawn */
};

/* The place of a bar, in pixels. */
struct place {
	double from, to, y, height;
};

/* Narrow bars, side by side, which are drawn as one bar. */
struct heap {
	struct place at;
	const struct bar *longest;
	size_t count;
	int64_t sum;
};

/* ---- picture.c */

/**
 * picture__write() - write the picture of a timeline, in at most 2 MB
 * @t: the timeline, after timeline__finish()
 * @r: the report, for the head: the kernel, the boot and the losses
 * @out: the stream, which the caller checks for write errors
 */
void picture__write(const struct timeline *t, const struct boot_report *r, FILE *out);

/* ---- bars.c */

double view__x(const struct view *v, int64_t time);
/* Is a part of the bar in the view? */
bool view__has(const struct view *v, const struct bar *b);
/* The place of a bar, cut off at the ends of the view. */
struct place view__place(const struct view *v, const struct bar *b, double y, double height);

/* Begin and end a lane with its name, at @p->y. lane__end() moves @p->y down. */
void lane__begin(struct picture *p, const char *name, double height);
void lane__end(struct picture *p, double height);

void bar__draw(struct picture *p, const struct view *v, const struct bar *b,
	       const struct place *at);
/*
 * Writes the name into a bar, and below it the time if the bar is high enough. Returns false
 * without writing if the name does not fit.
 */
bool bar__name(struct picture *p, const struct view *v, const struct bar *b,
	       const struct place *at);

/* Adds a bar. If the bar is not directly beside the heap, first draws and empties the heap. */
void heap__join(struct picture *p, const struct view *v, struct heap *h, const struct bar *b,
		const struct place *at);
/* Draws the heap, and empties it. */
void heap__flush(struct picture *p, const struct view *v, struct heap *h);

/* ---- chart.c */

/* Draws lanes with the load, if it is known and the view is of the boot. */
void view__load(struct picture *p, const struct view *v);

/* ---- lanes.c */

/* Draws all lanes of the view's part at @p->y, and moves @p->y down. */
void view__lanes(struct picture *p, const struct view *v);

/* ---- svg.c: names come from user space and may have any bytes: svg__text() writes all text */

/*
 * The width of a character in pixels, at a height of 11 pixels. Labels have a monospaced font, so
 * that the width of a label is known.
 */
#define SVG_CHARACTER 6.7

/**
 * svg__text() - write the beginning of a text as XML
 * @out: the stream, which the caller checks for write errors
 * @text: any bytes; a byte that is not UTF-8, and a character that XML forbids or that changes the
 *	direction of writing, becomes U+FFFD
 * @most: the maximum number of characters. A longer text is cut and ends with "…".
 */
void svg__text(FILE *out, const char *text, size_t most);
/* The number of columns of a text. Counts 2 for non-ASCII characters, as they may be wide. */
size_t svg__columns(const char *text);
/* A label of class @class. @anchor: "start", "middle" or "end" */
void svg__label(FILE *out, const char *class, double x, double y, const char *anchor,
		const char *text);

/*
 * Prints a duration or a point in time, with three to five digits: "1.234 s", "56.78 ms". @counts:
 * @ns is a number of cycles.
 */
const char *svg__time(int64_t ns, int counts, char *room, size_t size);

#endif
