/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the picture of a boot share. picture.c has the whole: its head, and the frames
 * of its views. lanes.c lays out the lanes of a view, bars.c draws a bar, and chart.c the load.
 *
 * A view shows a stretch of a part in the whole width. So the picture may have several: the boot,
 * the kernel's share of it if that is small, and the early part.
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
	double y;			/* all above is drawn */
	size_t joined, deep;		/* how many bars are joined, and how many are not drawn */
};

/* Where a bar is, in pixels. */
struct place {
	double from, to, y, height;
};

/* Bars that are too narrow, side by side, which become one. */
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
 * @r: for the head: which boot it is, and what is lost
 * @out: where to; write errors stay in the stream
 */
void picture__write(const struct timeline *t, const struct boot_report *r, FILE *out);

/* ---- bars.c */

double view__x(const struct view *v, int64_t time);
/* Is a part of the bar in the view? */
bool view__has(const struct view *v, const struct bar *b);
/* What is outside of the view is cut off. */
struct place view__place(const struct view *v, const struct bar *b, double y, double height);

/* A lane with its name, at @p->y. Its end moves that. */
void lane__begin(struct picture *p, const char *name, double height);
void lane__end(struct picture *p, double height);

void bar__draw(struct picture *p, const struct view *v, const struct bar *b,
	       const struct place *at);
/*
 * Writes the name into a bar, and below it the time if the bar is high enough. Return: whether the
 * name fits; otherwise nothing is written.
 */
bool bar__name(struct picture *p, const struct view *v, const struct bar *b,
	       const struct place *at);

/* Adds a bar. Draws what is there before if the bar is not directly beside it. */
void heap__join(struct picture *p, const struct view *v, struct heap *h, const struct bar *b,
		const struct place *at);
/* Draws what is there, and empties the heap. */
void heap__flush(struct picture *p, const struct view *v, struct heap *h);

/* ---- chart.c */

/* Lanes of the load, if it is known and the view has its part. */
void view__load(struct picture *p, const struct view *v);

/* ---- lanes.c */

/* Draws all lanes of the view's part below @p->y, and moves that. */
void view__lanes(struct picture *p, const struct view *v);

/* ---- svg.c: names in a picture come from user space and may be any bytes, so all text goes through svg__text() */

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
