// SPDX-License-Identifier: GPL-2.0-only
/*
 * Draws the lanes of a view; see picture.h.
 *
 * A lane whose bars nest has a row for each depth. Lanes of a group, and lanes with independent
 * bars, are packed instead: each of the longest bars, with its name beside it, goes into the first
 * row that has room for the bar and its name.
 *
 * There may be half a million bars. Bars that are narrower than a fraction of a pixel and directly
 * side by side are joined into one bar, which tells their number.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "boot/picture.h"

#define ROW 16
#define PHASE_ROW 30
#define CALL_ROW 13
#define CALLOUT_ROW 14
/* Deeper bars are not drawn: the bar around them shows the time. */
#define MOST_ROWS 24
/* The most bars of packed lanes with names. */
#define MOST_NAMED 40
/* The most bars of a nested lane whose names are below the lane. */
#define MOST_CALLOUTS 12
/* The least width of a bar whose name is below the lane. */
#define LEAST_CALLOUT 3

/* ---- nested lanes */

/* "btrfs 5.71 ms" */
static void label_of(const struct picture *p, const struct bar *b, char *text, size_t size)
{
	char time[32];

	svg__time(b->end - b->start, p->t->parts[p->t->lanes[b->lane].part].counts, time,
		  sizeof(time));
	snprintf(text, size, "%s %s", b->name, b->endless ? "…" : time);
}

static double row_height(const struct bar *b, size_t row)
{
	if (b->class == BAR_PHASE || b->class == BAR_PROGRAM)
		return row ? ROW : PHASE_ROW;
	return b->class == BAR_CALL ? CALL_ROW : ROW;
}

/* Computes the tops of the rows in this view, and the end of the last row. Returns their number. */
static size_t measure(const struct picture *p, const struct view *v, const struct lane *lane,
		      double *tops)
{
	double heights[MOST_ROWS] = {};
	size_t rows = 0;

	for (size_t i = lane->first; i < lane->first + lane->count; i++) {
		const struct bar *b = &p->t->bars[i];
		size_t row = timeline__row(p->t, b);
		double height = row_height(b, row);

		if (row >= MOST_ROWS || !view__has(v, b))
			continue;
		if (height > heights[row])
			heights[row] = height;
		if (row >= rows)
			rows = row + 1;
	}
	tops[0] = p->y;
	for (size_t i = 0; i < rows; i++)
		tops[i + 1] = tops[i] + (heights[i] > 0 ? heights[i] : ROW);
	return rows;
}

/* A name that does not fit into its bar. It is drawn below the lane, with a line to the bar. */
struct callout {
	const struct bar *bar;
	struct place at;
	size_t row;
};

struct callouts {
	struct callout list[MOST_CALLOUTS];
	size_t count;
};

/* Adds a callout. If there are too many, the longest bars keep theirs. */
static void call_out(struct callouts *c, const struct bar *b, const struct place *at)
{
	size_t least = 0;

	if (at->to - at->from < LEAST_CALLOUT || b->class == BAR_CALL || b->class == BAR_RUNNING)
		return;
	if (c->count < MOST_CALLOUTS) {
		c->list[c->count++] = (struct callout){ .bar = b, .at = *at };
		return;
	}
	for (size_t i = 1; i < c->count; i++) {
		if (c->list[i].at.to - c->list[i].at.from <
		    c->list[least].at.to - c->list[least].at.from)
			least = i;
	}
	if (at->to - at->from > c->list[least].at.to - c->list[least].at.from)
		c->list[least] = (struct callout){ .bar = b, .at = *at };
}

static int by_place(const void *a, const void *b)
{
	const struct callout *x = a, *y = b;

	return x->at.from < y->at.from ? 1 : x->at.from > y->at.from ? -1 : 0;
}

static double callout_width(const struct picture *p, const struct callout *c, char *text,
			    size_t size)
{
	label_of(p, c->bar, text, size);
	return svg__columns(text) * SVG_CHARACTER + 8;
}

/*
 * Places callouts from right to left, each in the first row with enough room left of the callouts
 * on its right. So no line crosses a name. Returns the number of rows.
 */
static size_t place_callouts(const struct picture *p, struct callouts *c)
{
	double rows[MOST_CALLOUTS];
	size_t count = 0;
	char text[300];

	qsort(c->list, c->count, sizeof(*c->list), by_place);
	for (size_t i = 0; i < c->count; i++) {
		double width = callout_width(p, &c->list[i], text, sizeof(text));
		double end = c->list[i].at.from + width;
		size_t row = 0;

		/* If a name would leave the picture, it ends at its line. */
		if (end > PICTURE_LEFT + PICTURE_BARS)
			end = c->list[i].at.from;
		while (row < count && rows[row] < end)
			row++;
		count = row == count ? count + 1 : count;
		rows[row] = end == c->list[i].at.from ? end - width : c->list[i].at.from;
		c->list[i].row = row;
	}
	return count;
}

static void draw_callouts(struct picture *p, const struct callouts *c, double top)
{
	char text[300];

	for (size_t i = 0; i < c->count; i++) {
		const struct callout *o = &c->list[i];
		double y = top + o->row * CALLOUT_ROW, x = o->at.from + 1;
		bool left = x + callout_width(p, o, text, sizeof(text)) >
			    PICTURE_LEFT + PICTURE_BARS;

		fprintf(p->out, "<path class=\"lead\" d=\"M%.1f %.1fV%.1fh%d\"/>\n", x,
			o->at.y + o->at.height - 1, y + 9, left ? -4 : 4);
		svg__label(p->out, "mono soft", left ? x - 6 : x + 6, y + 12,
			   left ? "end" : "start", text);
	}
}

/* Draws the bars, each in the row of its depth, and collects bars whose name does not fit. */
static void draw_rows(struct picture *p, const struct view *v, const struct lane *lane,
		      const double *tops, size_t rows, struct callouts *callouts)
{
	struct heap heaps[MOST_ROWS] = {};

	for (size_t i = lane->first; i < lane->first + lane->count; i++) {
		const struct bar *b = &p->t->bars[i];
		size_t row = timeline__row(p->t, b);
		struct place at;

		if (!view__has(v, b))
			continue;
		if (row >= MOST_ROWS) {
			p->deep++;
			continue;
		}
		at = view__place(v, b, tops[row], tops[row + 1] - tops[row]);
		if (!b->endless && at.to - at.from < p->narrowest) {
			heap__join(p, v, &heaps[row], b, &at);
			continue;
		}
		heap__flush(p, v, &heaps[row]);
		bar__draw(p, v, b, &at);
		if (!b->endless && !bar__name(p, v, b, &at))
			call_out(callouts, b, &at);
	}
	for (size_t i = 0; i < rows; i++)
		heap__flush(p, v, &heaps[i]);
}

static void draw_nested(struct picture *p, const struct view *v, const struct lane *lane)
{
	struct callouts callouts = {};
	double tops[MOST_ROWS + 1], height;
	size_t rows = measure(p, v, lane, tops);

	if (!rows)
		return;
	height = tops[rows] - tops[0];
	lane__begin(p, lane->name, height);
	draw_rows(p, v, lane, tops, rows, &callouts);
	height += place_callouts(p, &callouts) * CALLOUT_ROW;
	draw_callouts(p, &callouts, tops[rows]);
	lane__end(p, height);
}

/* ---- packed lanes */

struct packed {
	const struct bar **list;	/* the bars in the view, sorted by time */
	bool *named;
	size_t count, named_count;
	double *rows;			/* for each row, the right end of its last bar */
	size_t row_count;
};

static int by_time(const void *a, const void *b)
{
	const struct bar *x = *(const struct bar *const *)a, *y = *(const struct bar *const *)b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int by_length(const void *a, const void *b, void *arg)
{
	const struct packed *k = arg;
	const struct bar *x = k->list[*(const size_t *)a], *y = k->list[*(const size_t *)b];
	int64_t length = x->end - x->start, other = y->end - y->start;

	if (x->endless != y->endless)
		return x->endless ? -1 : 1;
	if (length != other)
		return length > other ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static bool is_of(const struct lane *lane, const struct lane *other)
{
	if (lane == other)
		return true;
	return lane->group && other->group && lane->part == other->part &&
	       !strcmp(lane->group, other->group);
}

/* Narrow calls get no name: there may be thousands of calls, and most take microseconds. */
static bool may_be_named(const struct view *v, const struct bar *b)
{
	struct place at = view__place(v, b, 0, ROW);

	return b->class != BAR_CALL || at.to - at.from >= 1;
}

static void choose_named(struct packed *k, const struct view *v)
{
	size_t *order = xcalloc(k->count, sizeof(*order));

	for (size_t i = 0; i < k->count; i++)
		order[i] = i;
	qsort_r(order, k->count, sizeof(*order), by_length, k);
	for (size_t i = 0; i < k->count && k->named_count < MOST_NAMED; i++) {
		if (!may_be_named(v, k->list[order[i]]))
			continue;
		k->named[order[i]] = true;
		k->named_count++;
	}
	free(order);
}

static void collect(struct packed *k, const struct picture *p, const struct view *v, const struct lane *lane)
{
	k->list = xcalloc(p->t->bar_count, sizeof(*k->list));
	k->named = xcalloc(p->t->bar_count, sizeof(*k->named));
	k->rows = xcalloc(MOST_NAMED, sizeof(*k->rows));
	for (size_t i = 0; i < p->t->bar_count; i++) {
		const struct bar *b = &p->t->bars[i];

		if (is_of(lane, &p->t->lanes[b->lane]) && view__has(v, b))
			k->list[k->count++] = b;
	}
	qsort(k->list, k->count, sizeof(*k->list), by_time);
	choose_named(k, v);
}

/* Takes the first row that is free from @from on. */
static size_t take_row(struct packed *k, double from, double to)
{
	size_t row = 0;

	while (row < k->row_count && k->rows[row] > from)
		row++;
	if (row == k->row_count)
		k->row_count++;
	k->rows[row] = to;
	return row;
}

/*
 * Places a bar with its name, which is in the bar if it fits, otherwise after it, or before it at
 * the right end of the picture. @draw: false in the first pass, which only counts rows.
 */
static void put_named(struct picture *p, const struct view *v, struct packed *k,
		      const struct bar *b, bool draw)
{
	struct place at = view__place(v, b, 0, ROW);
	double width, from = at.from, to = at.to, x;
	const char *anchor = "start";
	char text[300];

	label_of(p, b, text, sizeof(text));
	width = svg__columns(text) * SVG_CHARACTER + 6;
	if (b->endless)
		to = at.to = at.from + 8;
	x = at.from + 3;
	if (to - from < width) {
		x = to + 3;
		to += width;
		if (to > PICTURE_LEFT + PICTURE_BARS) {
			from = at.from - width;
			x = at.from - 3;
			to = at.to;
			anchor = "end";
		}
	}
	at.y = p->y + take_row(k, from, to + 4) * ROW;
	if (!draw)
		return;
	bar__draw(p, v, b, &at);
	svg__label(p->out, x >= at.from && x < at.to && *anchor == 's' ? "on" : "mono", x,
		   at.y + ROW / 2 + 3, anchor, text);
}

static void draw_rest(struct picture *p, const struct view *v, const struct packed *k, double y)
{
	struct heap heap = {};

	for (size_t i = 0; i < k->count; i++) {
		struct place at = view__place(v, k->list[i], y, ROW);

		if (!k->named[i])
			heap__join(p, v, &heap, k->list[i], &at);
	}
	heap__flush(p, v, &heap);
}

static void draw_packed(struct picture *p, const struct view *v, const struct lane *lane)
{
	struct packed k = {};
	double height;

	collect(&k, p, v, lane);
	if (!k.count)
		goto cleanup;
	for (size_t i = 0; i < k.count; i++) {
		if (k.named[i])
			put_named(p, v, &k, k.list[i], false);
	}
	height = (k.row_count + (k.count > k.named_count)) * ROW;
	lane__begin(p, lane->group ?: lane->name, height);
	if (k.count > k.named_count)
		draw_rest(p, v, &k, p->y + k.row_count * ROW);
	k.row_count = 0;
	for (size_t i = 0; i < k.count; i++) {
		if (k.named[i])
			put_named(p, v, &k, k.list[i], true);
	}
	lane__end(p, height);
cleanup:
	free(k.list);
	free(k.named);
	free(k.rows);
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

void view__lanes(struct picture *p, const struct view *v)
{
	const struct timeline *t = p->t;
	bool load = false;

	for (size_t i = 0; i < t->lane_count; i++) {
		const struct lane *lane = &t->lanes[i];

		if (lane->part != v->part || is_drawn(t, i))
			continue;
		/* The load comes after the phases. */
		if (!load && strcmp(lane->name, "phases")) {
			view__load(p, v);
			load = true;
		}
		if (lane->group || lane->kind == LANE_APART)
			draw_packed(p, v, lane);
		else
			draw_nested(p, v, lane);
	}
}
