// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws the lanes of a view; see picture.h.
 *
 * A lane whose bars nest has a row for each depth. Lanes of a group, and lanes with independent bars, are packed
 * instead: each of the longest bars, with its name beside it, goes into the first row that has room for the bar and
 * its name. Each unit has a row of its own.
 *
 * There may be half a million bars. Bars that are narrower than a fraction of a pixel and directly side by side are
 * joined into one bar, which tells their number.
 */
#include "base/memory.h"
#include "base/sorted.h"
#include "boot/picture.h"

#define ROW 16
#define CALL_ROW 13
/* A row with room for a name, and its time below it. */
#define TWO_LINES 30
/* Deeper bars are not drawn: the bar around them shows the time. */
#define MOST_ROWS 24
/* The most bars of packed lanes with names. */
#define MOST_NAMED 40
#define MOST_UNITS 400
#define RIGHT_END (PICTURE_LEFT + PICTURE_BARS)
/* Pixels between a bar, or its name, and what is beside it. */
#define SPACE 3
/* The width of the sign for a bar without a width: a unit without duration, or a bar whose end is not known. */
#define SIGN 8
#define CHART 44
#define CPU_CHART 16
/* Machines with more CPUs only get the chart of all CPUs together. */
#define MOST_CPUS 16

/* ---- a lane */

double view__x(const struct view *v, int64_t time)
{
	time = time < v->from ? v->from : time > v->to ? v->to : time;
	return PICTURE_LEFT + (double)(time - v->from) / (double)(v->to - v->from) * PICTURE_BARS;
}

int64_t view__tick(const struct view *v, int64_t time)
{
	int64_t rounded = time / v->step * v->step;

	return rounded < time ? rounded + v->step : rounded;
}

/* A lane's height is known after its bars, and is needed before them: they are written to memory. */
static void lane__begin(struct picture *p)
{
	p->whole = p->out;
	p->out = xopen_memstream(&p->lane, &p->lane_size);
}

/* Draws the lane, if it has a height, and moves @p->y down. */
static void lane__end(struct picture *p, const char *name, double height)
{
	xclose_memstream(p->out);
	p->out = p->whole;
	if (height > 0) {
		fputs("<g class=\"lane\" aria-label=\"", p->out);
		svg__text(p->out, name, SVG_MOST_CHARACTERS);
		fprintf(p->out, "\">\n<rect class=\"field\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>\n"
			"<text class=\"soft\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", PICTURE_LEFT, p->y, PICTURE_BARS, height - 1,
			PICTURE_LEFT - 8, p->y + 12);
		svg__text(p->out, name, 20);
		fputs("</text>\n<path class=\"grid\" d=\"", p->out);
		for (int64_t time = view__tick(p->v, p->v->from); time <= p->v->to; time += p->v->step)
			fprintf(p->out, "M%.1f %.1fv%.1f", view__x(p->v, time), p->y - 3, height + 6);
		fputs("\"/>\n", p->out);
		fwrite(p->lane, 1, p->lane_size, p->out);
		fputs("</g>\n", p->out);
		p->y += height + 6;
	}
	free(p->lane);
}

/* ---- a bar */

/* The place of a bar, in pixels. */
struct place {
	double from, to, y, height;
};

/* Is a part of the bar in the view? */
static bool is_in_view(const struct view *v, const struct span *s)
{
	return s->start <= v->to && s->end >= v->from;
}

static struct place place_of(const struct picture *p, const struct span *s, double y, double height)
{
	return (struct place){ view__x(p->v, s->start), view__x(p->v, s->end), y, height };
}

static struct svg_time time_of(const struct picture *p, int64_t ns)
{
	return svg__time(ns, p->t->parts[p->v->part].counts);
}

static void put_tip(const struct picture *p, const struct span *s)
{
	FILE *out = p->out;

	fputs("<title>", out);
	svg__text(out, s->name, SVG_MOST_CHARACTERS);
	fprintf(out, "\n%s: %s\n", span_class_words[s->class],
		s->endless ? "its end is not known" : time_of(p, s->end - s->start).text);
	if (p->t->parts[p->v->part].counts)
		fprintf(out, s->endless ? "from %" PRId64 : "from %" PRId64 " to %" PRId64, s->start, s->end);
	else
		fprintf(out, s->endless ? "from %.6f s" : "from %.6f s to %.6f s", s->start / 1e9, s->end / 1e9);
	if (s->self != s->end - s->start)
		fprintf(out, "\nwithout what is inside: %s", time_of(p, s->self).text);
	for (const struct json_field *a = s->arguments; a && a->name; a++) {
		const char *text = span__text(s, a);
		int64_t number = span__number(s, a);

		if (text || number != NOT_KNOWN)
			fprintf(out, "\n%s: ", a->name);
		if (text)
			svg__text(out, text, SVG_MOST_CHARACTERS);
		else if (number != NOT_KNOWN)
			fprintf(out, "%" PRId64, number);
	}
	fputs("</title>", out);
}

static void begin_rectangle(FILE *out, const char *class, const char *more, const struct place *at, double width)
{
	fprintf(out, "<rect class=\"bar %s%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\">",
		class, more, at->from, at->y, width, at->height - 1);
}

/* Draws an arrow, as only the beginning is known, or a rhombus for a point in time. */
static void draw_sign(const struct picture *p, const struct span *s, const struct place *at)
{
	double half = (at->height - 1) / 2;

	fprintf(p->out, "<path class=\"bar %s\" d=\"M%.2f %.1fl%d %.1fl-%d %.1f", span_class_words[s->class], at->from, at->y,
		SIGN / 2, half, SIGN / 2, half);
	if (!s->endless)
		fprintf(p->out, "l-%d -%.1f", SIGN / 2, half);
	fputs("z\">", p->out);
	put_tip(p, s);
	fputs("</path>\n", p->out);
}

static void draw_bar(const struct picture *p, const struct span *s, const struct place *at)
{
	double width = at->to - at->from;

	if (s->endless || (s->class == SPAN_UNIT && s->end == s->start)) {
		draw_sign(p, s, at);
		return;
	}
	/* Leaves a gap before the next bar. */
	if (width > 3)
		width -= 0.5;
	begin_rectangle(p->out, span_class_words[s->class], "", at, width < 0.3 ? 0.3 : width);
	put_tip(p, s);
	fputs("</rect>\n", p->out);
}

/* Writes the name into the bar if it fits, and the time below it if the bar has room for two lines. */
static void put_name(const struct picture *p, const struct span *s, const struct place *at)
{
	double room = at->to - at->from - 2 * SPACE, x = at->from + SPACE;
	bool two = at->height >= TWO_LINES;
	double line = two ? at->y + 12 : at->y + at->height / 2 + 3;
	struct svg_time time;

	if (s->endless || svg__width(s->name) > room)
		return;
	svg__label(p->out, "on", x, line, "start", "%s", s->name);
	time = time_of(p, s->end - s->start);
	if (two && svg__width(time.text) <= room)
		svg__label(p->out, "soft on", x, line + 13, "start", "%s", time.text);
}

/* ---- joined bars */

/* Narrow bars, side by side, which are drawn as one bar. */
struct heap {
	struct place at;
	const struct span *longest;
	size_t count;
	int64_t sum;
};

/* Draws the heap, and empties it. */
static void heap__flush(struct picture *p, struct heap *h)
{
	const struct span *s = h->longest;

	if (h->count == 1) {
		draw_bar(p, s, &h->at);
	} else if (h->count) {
		begin_rectangle(p->out, span_class_words[s->class], " joined", &h->at,
				h->at.to - h->at.from < p->narrowest ? p->narrowest : h->at.to - h->at.from);
		fprintf(p->out, "<title>%zu %s: %s\nthe longest, %s: ", h->count, span_class_names[s->class],
			time_of(p, h->sum).text, time_of(p, s->end - s->start).text);
		svg__text(p->out, s->name, SVG_MOST_CHARACTERS);
		fputs("</title></rect>\n", p->out);
		p->joined += h->count;
	}
	*h = (struct heap){};
}

/* Adds a bar. If the bar is not directly beside the heap, first draws and empties the heap. */
static void heap__join(struct picture *p, struct heap *h, const struct span *s, const struct place *at)
{
	if (h->count && (at->from - h->at.to > p->narrowest || h->longest->class != s->class))
		heap__flush(p, h);
	if (!h->count)
		h->at = *at;
	if (at->to > h->at.to)
		h->at.to = at->to;
	if (!h->count || s->end - s->start > h->longest->end - h->longest->start)
		h->longest = s;
	h->count++;
	h->sum += s->end - s->start;
}

/* ---- nested lanes */

/* Draws the bars, each in the row of its depth. */
static void draw_nested(struct picture *p, const struct lane *lane)
{
	const struct span *list = p->t->spans + lane->first;
	enum span_class class = lane->count ? list->class : SPAN_CLASSES;
	double height = class == SPAN_PHASE || class == SPAN_PROGRAM ? TWO_LINES : class == SPAN_CALL ? CALL_ROW : ROW;
	struct heap heaps[MOST_ROWS] = {};
	size_t rows = 0;

	lane__begin(p);
	for_array(s, list, lane->count) {
		size_t row = timeline__row(p->t, s);
		struct place at = place_of(p, s, p->y + row * height, height);

		if (!is_in_view(p->v, s))
			continue;
		if (row >= MOST_ROWS) {
			p->deep++;
			continue;
		}
		rows = row >= rows ? row + 1 : rows;
		if (!s->endless && at.to - at.from < p->narrowest) {
			heap__join(p, &heaps[row], s, &at);
			continue;
		}
		heap__flush(p, &heaps[row]);
		draw_bar(p, s, &at);
		put_name(p, s, &at);
	}
	for (size_t i = 0; i < rows; i++)
		heap__flush(p, &heaps[i]);
	lane__end(p, lane->name, rows * height);
}

/* ---- packed lanes */

static int by_time(const void *a, const void *b)
{
	const struct span *x = *(const struct span *const *)a, *y = *(const struct span *const *)b;

	return ORDER(x->start, y->start) ?: ORDER(x->order, y->order);
}

static int by_length(const void *a, const void *b)
{
	const struct span *x = *(const struct span *const *)a, *y = *(const struct span *const *)b;

	return ORDER(y->endless, x->endless) ?: ORDER(y->end - y->start, x->end - x->start) ?: ORDER(x->order, y->order);
}

static bool is_of(const struct lane *lane, const struct lane *other)
{
	return lane == other || (lane->group && other->group && lane->part == other->part &&
				 !strcmp(lane->group, other->group));
}

/* Puts the spans with names first. Narrow calls get none: there may be thousands of microseconds. */
static size_t choose_named(const struct view *v, const struct span **list, size_t count)
{
	size_t named = 0;

	qsort(list, count, sizeof(*list), by_length);
	for (size_t i = 0; i < count && named < (list[i]->class == SPAN_UNIT ? MOST_UNITS : MOST_NAMED); i++) {
		const struct span *s = list[i];

		if (s->class == SPAN_CALL && view__x(v, s->end) - view__x(v, s->start) < 1)
			continue;
		list[i] = list[named];
		list[named++] = s;
	}
	qsort(list, named, sizeof(*list), by_time);
	qsort(list + named, count - named, sizeof(*list), by_time);
	return named;
}

/*
 * Takes the first row that is free from @from on; of @row_count rows, @rows has the right ends. A unit takes a new
 * row.
 */
static size_t take_row(double *rows, size_t *row_count, const struct span *s, double from, double to)
{
	size_t row = s->class == SPAN_UNIT ? *row_count : 0;

	while (row < *row_count && rows[row] > from)
		row++;
	if (row == *row_count)
		++*row_count;
	rows[row] = to + SPACE + 1;
	return row;
}

/*
 * Draws a bar and its name, which is in the bar if it fits, otherwise after it, or before it. The longest names are
 * over the bar, until the right end.
 */
static void draw_named(struct picture *p, const struct span *s, double *rows, size_t *row_count)
{
	struct place at = place_of(p, s, 0, ROW);
	double width, from, to, x;
	char text[300];

	snprintf(text, sizeof(text), s->endless ? "%s …" : s->start == s->end ? "%s" : "%s %s", s->name,
		 time_of(p, s->end - s->start).text);
	width = svg__width(text) + 2 * SPACE;
	if (s->endless || s->start == s->end)
		at.to = at.from + SIGN;
	from = at.from;
	to = at.to;
	x = from + SPACE;
	if (to - from >= width) {
		/* It is in the bar. */
	} else if (to + width <= RIGHT_END) {
		x = to + SPACE;
		to += width;
	} else {
		x = from - width >= PICTURE_LEFT ? from - SPACE : RIGHT_END - SPACE;
		from = x - width;
	}
	at.y = p->y + take_row(rows, row_count, s, from, to) * ROW;
	draw_bar(p, s, &at);
	svg__label(p->out, x >= at.from && x < at.to && from == at.from ? "on" : "mono", x, at.y + ROW / 2 + 3,
		   from < at.from ? "end" : "start", "%s", text);
}

static void draw_packed(struct picture *p, const struct lane *lane)
{
	const struct span **list = xcalloc(p->t->span_count, sizeof(*list));
	double rows[MOST_UNITS];
	size_t count = 0, row_count = 0, named;
	struct heap heap = {};

	for_array(s, p->t->spans, p->t->span_count) {
		if (is_of(lane, &p->t->lanes[s->lane]) && is_in_view(p->v, s))
			list[count++] = s;
	}
	named = choose_named(p->v, list, count);
	lane__begin(p);
	for (size_t i = 0; i < named; i++)
		draw_named(p, list[i], rows, &row_count);
	for (size_t i = named; i < count; i++) {
		struct place at = place_of(p, list[i], p->y + row_count * ROW, ROW);

		heap__join(p, &heap, list[i], &at);
	}
	heap__flush(p, &heap);
	lane__end(p, lane->group ?: lane->name, (row_count + (count > named)) * ROW);
	free(list);
}

/* ---- how busy CPUs and disks were, as areas over the time */

/* @share: of each bin, 0 to 1; negative: not known. @most: what 1 means; NULL: nothing to tell */
static void draw_chart(struct picture *p, const char *name, const char *class, double height, const double *share,
		       const char *most)
{
	const struct boot_load *load = &p->t->load;
	double bottom = p->y + height - 1;

	lane__begin(p);
	fprintf(p->out, "<path class=\"%s\" d=\"M%.2f %.1f", class, view__x(p->v, load->start), bottom);
	for (size_t i = 0; i < load->bins; i++) {
		int64_t start = load->start + (int64_t)i * load->bin, end = start + load->bin;

		if (end <= p->v->from || start >= p->v->to)
			continue;
		if (share[i] >= 0)
			fprintf(p->out, "V%.1fH%.2f", bottom - share[i] * (height - 1), view__x(p->v, end));
		else
			fprintf(p->out, "V%.1fM%.2f %.1f", bottom, view__x(p->v, end), bottom);
	}
	fprintf(p->out, "V%.1f\"/>\n", bottom);
	if (most)
		svg__label(p->out, "soft", PICTURE_LEFT - 8, p->y + 26, "end", "%s", most);
	lane__end(p, name, height);
}

static void draw_load(struct picture *p)
{
	const struct boot_load *load = &p->t->load;
	double *share = xcalloc(load->bins, sizeof(*share));
	uint64_t most = 0;
	char name[64];

	for (size_t i = 0; i < load->bins; i++)
		share[i] = boot_load__mean(load, i);
	draw_chart(p, "CPUs busy", "busy", CHART, share, NULL);
	for (size_t cpu = 0; load->cpus > 1 && load->cpus <= MOST_CPUS && cpu < load->cpus; cpu++) {
		snprintf(name, sizeof(name), "CPU %" PRId64 " busy", load->numbers[cpu]);
		draw_chart(p, name, "busy", CPU_CHART, load->busy + cpu * load->bins, NULL);
		p->y -= 4;
	}
	for (size_t i = 0; load->io_bytes && i < load->bins; i++)
		most = load->io_bytes[i] > most ? load->io_bytes[i] : most;
	for (size_t i = 0; most && i < load->bins; i++)
		share[i] = (double)load->io_bytes[i] / most;
	snprintf(name, sizeof(name), "≤ %.1f MB/s", most / (load->bin / 1e9) / 1e6);
	if (most)
		draw_chart(p, "disks", "disk", CHART, share, name);
	free(share);
}

/* ---- all */

/* A group is drawn at the place of its first lane. Was this lane drawn with an earlier lane? */
static bool is_drawn(const struct timeline *t, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (is_of(&t->lanes[index], &t->lanes[i]))
			return true;
	}
	return false;
}

void picture__lanes(struct picture *p)
{
	const struct timeline *t = p->t;
	bool load = p->v->part == TIMELINE_BOOT && t->load.bins;

	for (size_t i = 0; i < t->lane_count; i++) {
		const struct lane *lane = &t->lanes[i];

		if (lane->part != p->v->part || is_drawn(t, i))
			continue;
		/* The load comes after the phases. */
		if (load && strcmp(lane->name, "phases")) {
			draw_load(p);
			load = false;
		}
		if (lane->group || lane->kind == LANE_APART)
			draw_packed(p, lane);
		else
			draw_nested(p, lane);
	}
}
