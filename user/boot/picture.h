/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The picture of a boot. picture.c draws its head and the frames of its views, and lanes.c the lanes of a view.
 *
 * A view shows a range of time in the whole width. The picture may have three views: the boot; the kernel's share of
 * the boot, if this is small; and the early part.
 */
#ifndef HYTRACE_BOOT_PICTURE_H
#define HYTRACE_BOOT_PICTURE_H

#include "boot/span.h"

/* In pixels. */
#define PICTURE_WIDTH 1400
#define PICTURE_MARGIN 20
/* Names of lanes are on the left of the bars. */
#define PICTURE_LEFT 130
#define PICTURE_BARS (PICTURE_WIDTH - PICTURE_LEFT - PICTURE_MARGIN)

struct view {
	enum timeline_part_id part;
	int64_t from, to;		/* ns, or cycles */
	int64_t step;			/* the distance of ticks */
};

struct picture {
	FILE *out;
	const struct timeline *t;
	const struct view *v;		/* that is being drawn */
	double narrowest;		/* bars that are narrower, in pixels, are joined */
	double y;			/* the lower end of the finished part */
	size_t joined, deep;		/* joined bars; bars that are too deep to be drawn */
	FILE *whole;			/* what @out is after the lane that is being drawn */
	char *lane;
	size_t lane_size;
};

struct boot;

/* Writes the picture of a timeline, after timeline__finish(). The caller checks @out for write errors. */
void picture__write(const struct timeline *t, const struct boot *b, FILE *out);

/* ---- lanes.c */

/* Where a time is in the view, in pixels; at an end of the view if the time is outside. */
double view__x(const struct view *v, int64_t time);
/* The first tick at @time or later. */
int64_t view__tick(const struct view *v, int64_t time);
/* Draws all lanes of the view's part at @p->y, and moves @p->y down. */
void picture__lanes(struct picture *p);

/* ---- texts: names come from user space and may have any bytes: svg__text() writes all of them */

/*
 * The width of a character in pixels, at a height of 11 pixels. Labels have a monospaced font, so that the width of a
 * label is known.
 */
#define SVG_CHARACTER 6.7
#define SVG_MOST_CHARACTERS 200

/*
 * Writes a text as XML. A byte that is not UTF-8, and a character that XML forbids or that changes the direction of
 * writing, becomes U+FFFD. A text of more than @most characters is cut and ends with "…".
 */
void svg__text(FILE *out, const char *text, size_t most);
/* The width of a label in pixels. Non-ASCII characters may be wide. */
double svg__width(const char *text);
/* A label of class @class. @anchor: "start", "middle" or "end" */
void svg__label(FILE *out, const char *class, double x, double y, const char *anchor,
		const char *format, ...) __attribute__((format(printf, 6, 7)));

struct svg_time {
	char text[32];
};

/*
 * A duration or a point in time, with three to five digits: "1.234 s", "56.78 ms". @counts: @ns is a number of
 * cycles.
 */
struct svg_time svg__time(int64_t ns, bool counts);

#endif
