// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws a bar of a picture. Bars that are too narrow are joined into one bar; see picture.h.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "boot/picture.h"

#define MOST_CHARACTERS 200
/* A bar of this height has room for a second line of text, its time. */
#define TWO_LINES 28

double view__x(const struct view *v, int64_t time)
{
	return PICTURE_LEFT + (double)(time - v->from) / (double)(v->to - v->from) * PICTURE_BARS;
}

bool view__has(const struct view *v, const struct bar *b)
{
	return b->start <= v->to && b->end >= v->from;
}

struct place view__place(const struct view *v, const struct bar *b, double y, double height)
{
	return (struct place){
		.from = view__x(v, b->start > v->from ? b->start : v->from),
		.to = view__x(v, b->end < v->to ? b->end : v->to),
		.y = y,
		.height = height,
	};
}

void lane__begin(struct picture *p, const char *name, double height)
{
	fputs("<g class=\"lane\" aria-label=\"", p->out);
	svg__text(p->out, name, MOST_CHARACTERS);
	fprintf(p->out,
		"\">\n<rect class=\"field\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>\n",
		PICTURE_LEFT, p->y, PICTURE_BARS, height - 1);
	fprintf(p->out, "<text class=\"soft\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
		PICTURE_LEFT - 8, p->y + 12);
	svg__text(p->out, name, 20);
	fputs("</text>\n", p->out);
}

void lane__end(struct picture *p, double height)
{
	fputs("</g>\n", p->out);
	p->y += height + 6;
}

/* ---- one bar */

static void put_point(struct picture *p, const struct view *v, const char *word, int64_t time)
{
	if (p->t->parts[v->part].counts)
		fprintf(p->out, "%s %" PRId64, word, time);
	else
		fprintf(p->out, "%s %.6f s", word, time / 1e9);
}

static void put_tip(struct picture *p, const struct view *v, const struct bar *b)
{
	int counts = p->t->parts[v->part].counts;
	char room[32];

	fputs("<title>", p->out);
	svg__text(p->out, b->name, MOST_CHARACTERS);
	fprintf(p->out, "\n%s: %s\n", bar_class_words[b->class],
		b->endless ? "its end is not known" :
			     svg__time(b->end - b->start, counts, room, sizeof(room)));
	put_point(p, v, "from", b->start);
	if (!b->endless)
		put_point(p, v, " to", b->end);
	if (b->self != b->end - b->start)
		fprintf(p->out, "\nwithout what is inside: %s",
			svg__time(b->self, counts, room, sizeof(room)));
	for (size_t i = b->arg; i < b->arg + b->args; i++) {
		const struct bar_arg *arg = &p->t->args[i];

		fprintf(p->out, "\n%s: ", arg->name);
		if (arg->text)
			svg__text(p->out, arg->text, MOST_CHARACTERS);
		else
			fprintf(p->out, "%" PRId64, arg->number);
	}
	fputs("</title>", p->out);
}

static void begin_rectangle(struct picture *p, const char *class, const char *more,
			    const struct place *at, double width)
{
	fprintf(p->out,
		"<rect class=\"bar %s%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\">",
		class, more, at->from, at->y, width, at->height - 1);
}

/* Draws an arrow: the bar's beginning is known, its end is not. */
static void draw_endless(struct picture *p, const struct view *v, const struct bar *b,
			 const struct place *at)
{
	fprintf(p->out, "<path class=\"bar %s\" d=\"M%.2f %.1fl8 %.1fl-8 %.1fz\">",
		bar_class_words[b->class], at->from, at->y, (at->height - 1) / 2,
		(at->height - 1) / 2);
	put_tip(p, v, b);
	fputs("</path>\n", p->out);
}

void bar__draw(struct picture *p, const struct view *v, const struct bar *b, const struct place *at)
{
	double width = at->to - at->from;

	if (b->endless) {
		draw_endless(p, v, b, at);
		return;
	}
	/* Leaves a gap before the next bar. */
	if (width > 3)
		width -= 0.5;
	begin_rectangle(p, bar_class_words[b->class], "", at, width < 0.3 ? 0.3 : width);
	put_tip(p, v, b);
	fputs("</rect>\n", p->out);
}

bool bar__name(struct picture *p, const struct view *v, const struct bar *b, const struct place *at)
{
	double room = at->to - at->from - 6, x = at->from + 3;
	double line = at->height >= TWO_LINES ? at->y + 12 : at->y + at->height / 2 + 3;
	char time[32];

	if (svg__columns(b->name) * SVG_CHARACTER > room)
		return false;
	svg__label(p->out, "on", x, line, "start", b->name);
	if (at->height < TWO_LINES)
		return true;
	svg__time(b->end - b->start, p->t->parts[v->part].counts, time, sizeof(time));
	if (svg__columns(time) * SVG_CHARACTER <= room)
		svg__label(p->out, "soft on", x, line + 13, "start", time);
	return true;
}

/* ---- joined bars */

void heap__flush(struct picture *p, const struct view *v, struct heap *h)
{
	int counts = p->t->parts[v->part].counts;
	double width = h->at.to - h->at.from;
	const struct bar *b = h->longest;
	char room[2][32];

	if (h->count == 1) {
		bar__draw(p, v, b, &h->at);
	} else if (h->count) {
		begin_rectangle(p, bar_class_words[b->class], " joined", &h->at,
				width < p->narrowest ? p->narrowest : width);
		fprintf(p->out, "<title>%zu %s: %s\nthe longest, %s: ", h->count,
			bar_class_names[b->class],
			svg__time(h->sum, counts, room[0], sizeof(room[0])),
			svg__time(b->end - b->start, counts, room[1], sizeof(room[1])));
		svg__text(p->out, b->name, MOST_CHARACTERS);
		fputs("</title></rect>\n", p->out);
		p->joined += h->count;
	}
	*h = (struct heap){};
}

void heap__join(struct picture *p, const struct view *v, struct heap *h, const struct bar *b,
		const struct place *at)
{
	if (h->count && (at->from - h->at.to > p->narrowest || h->longest->class != b->class))
		heap__flush(p, v, h);
	if (!h->count)
		h->at = *at;
	if (at->to > h->at.to)
		h->at.to = at->to;
	if (!h->count || b->end - b->start > h->longest->end - h->longest->start)
		h->longest = b;
	h->count++;
	h->sum += b->end - b->start;
}
