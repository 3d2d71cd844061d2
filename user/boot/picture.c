// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the picture of a boot, like `systemd-analyze plot`: one SVG, without scripts or external
 * files. This file draws its head and the frames of its views; see picture.h.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/version.h"
#include "boot/picture.h"
#include "boot/report.h"

/* The largest picture, in bytes. Viewers become slow with more. */
#define LARGEST 1900000
/* Bars that are narrower, in pixels, are joined. This grows until the picture is small enough. */
#define NARROWEST 0.4
#define LONGEST 8
/* The left end of the list of the longest bars. */
#define SECOND 720
/* The kernel's share of the boot gets a view of its own if it is smaller than this. */
#define SMALL_SHARE 0.4

/* The text of picture.css, embedded in the program. */
extern const char _binary_picture_css_start[], _binary_picture_css_end[];

/* ---- the head */

/* @step: the distance from the line before, in pixels */
static void __attribute__((format(printf, 4, 5))) put_line(struct picture *p, double step, const char *class, const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	p->y += step;
	svg__label(p->out, class, PICTURE_MARGIN, p->y, "start", text);
}

static void draw_totals(struct picture *p, const struct boot_report *r)
{
	const struct timeline_part *early = &p->t->parts[TIMELINE_EARLY];
	char time[32];

	for (size_t i = 0; i < p->t->mark_count; i++) {
		/* Not later marks: process 1 may execute a program long after the boot. */
		if (p->t->marks[i].time <= p->t->parts[TIMELINE_BOOT].end)
			put_line(p, 18, "big", "%s  until %s", svg__time(p->t->marks[i].time, 0, time, sizeof(time)),
				 p->t->marks[i].name);
	}
	if (early->there)
		put_line(p, 18, "big", "%s  of early calls, until the tracer %s took over",
			 svg__time(early->end - early->start, early->counts, time, sizeof(time)), r->stats.tracer);
}

/* Prints the losses: the picture may lack bars of the boot. */
static void draw_lost(struct picture *p, const struct boot_report *r)
{
	uint64_t lost = r->start ? r->start->lost : 0;
	size_t used = 0;
	char text[400];

	used += snprintf(text, sizeof(text), "Lost:");
	if (lost)
		used += snprintf(text + used, sizeof(text) - used, " %" PRIu64 " events", lost);
	if (r->start && r->start->unread)
		used += snprintf(text + used, sizeof(text) - used, " %zu lines that are no events",
				 r->start->unread);
	for (size_t i = 0; r->early && i < r->lost.count && used < sizeof(text); i++) {
		if (r->lost.list[i].value)
			used += snprintf(text + used, sizeof(text) - used, " early: %s %" PRIu64,
					 r->lost.list[i].name, r->lost.list[i].value);
	}
	if (strlen(text) > strlen("Lost:"))
		put_line(p, 18, "bad", "%s", text);
	else
		put_line(p, 18, "soft", "Nothing is lost.");
}

static void draw_legend(struct picture *p)
{
	bool used[BAR_CLASSES] = {};
	double x = PICTURE_MARGIN;

	for (size_t i = 0; i < p->t->bar_count; i++)
		used[p->t->bars[i].class] = true;
	p->y += 20;
	for (size_t i = 0; i < BAR_CLASSES; i++) {
		double width = 28 + 6.2 * strlen(bar_class_names[i]);

		if (!used[i])
			continue;
		if (x + width > SECOND - 20) {
			x = PICTURE_MARGIN;
			p->y += 18;
		}
		fprintf(p->out,
			"<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\"/>\n",
			bar_class_words[i], x, p->y - 10);
		svg__label(p->out, "legend", x + 17, p->y, "start", bar_class_names[i]);
		x += width + 8;
	}
}

static void draw_longest(struct picture *p, enum timeline_part_id part)
{
	size_t count, *list = timeline__longest(p->t, part, LONGEST, &count);
	double y = 32, most;
	char time[32];

	if (count)
		svg__label(p->out, "title", SECOND, y, "start", "Longest, without what is inside");
	most = count ? p->t->bars[list[0]].self : 0;
	for (size_t i = 0; i < count; i++) {
		const struct bar *b = &p->t->bars[list[i]];

		y += 18;
		svg__time(b->self, p->t->parts[part].counts, time, sizeof(time));
		svg__label(p->out, "mono", SECOND + 80, y, "end", time);
		fprintf(p->out,
			"<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"12\"/>\n",
			bar_class_words[b->class], SECOND + 90, y - 10, 1 + 150 * b->self / most);
		fprintf(p->out, "<text class=\"mono\" x=\"%d\" y=\"%.1f\">", SECOND + 250, y);
		svg__text(p->out, b->name, 58);
		fputs("</text>\n", p->out);
	}
	free(list);
	if (p->y < y)
		p->y = y;
}

static void draw_head(struct picture *p, const struct boot_report *r)
{
	put_line(p, 32, "head", "Boot of Linux %s", r->kernel.id.release);
	put_line(p, 20, "soft", "boot id %s; hytrace %s", r->boot_id ?: "unknown", HYTRACE_VERSION);
	p->y += 4;
	draw_totals(p, r);
	draw_lost(p, r);
	draw_legend(p);
	draw_longest(p, TIMELINE_BOOT);
}

/* ---- a view */

/* The distance of ticks: 1, 2 or 5 times a power of ten, for about ten ticks. */
static int64_t step_of(int64_t whole)
{
	static const int factors[] = { 1, 2, 5 };
	int64_t power = 1;
	size_t i = 0;

	while (whole / (factors[i] * power) > 12) {
		if (++i == sizeof(factors) / sizeof(factors[0])) {
			i = 0;
			power *= 10;
		}
	}
	return factors[i] * power;
}

/* Writes the time of a tick, in a unit that suits the view, with as many digits as @step needs. */
static void put_tick(struct picture *p, const struct view *v, int64_t time, int64_t step)
{
	static const struct {
		int64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "µs" }, { 1, "ns" } };
	size_t unit = 0;
	int digits = 0;
	char text[40];

	while (units[unit].ns > 1 && units[unit].ns > (v->to - v->from) / 2)
		unit++;
	for (int64_t rest = units[unit].ns; rest > step; rest /= 10)
		digits++;
	if (p->t->parts[v->part].counts)
		snprintf(text, sizeof(text), "%" PRId64, time);
	else
		snprintf(text, sizeof(text), "%.*f %s", digits, (double)time / units[unit].ns,
			 units[unit].name);
	/* The last tick may be at the edge of the picture. */
	svg__label(p->out, "soft", view__x(v, time), p->y,
		   v->to - time < step / 4 ? "end" : "middle", text);
}

/* Writes the times of ticks above the lanes. The lines follow when the height is known. */
static void draw_axis(struct picture *p, const struct view *v)
{
	int64_t step = step_of(v->to - v->from), time = v->from / step * step;

	p->y += 16;
	for (; time <= v->to; time += step) {
		if (time >= v->from)
			put_tick(p, v, time, step);
	}
	p->y += 6;
}

static void draw_lines(struct picture *p, const struct view *v)
{
	int64_t step = step_of(v->to - v->from), time = v->from / step * step;

	for (; time <= v->to; time += step) {
		double x = view__x(v, time);

		if (time >= v->from)
			fprintf(p->out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>\n", x,
				v->top - 3, p->y);
	}
}

/* Names are above the axis. A name that would cover another name is only in its tooltip. */
static void draw_marks(struct picture *p, const struct view *v, double y, bool lines)
{
	double free = 0;

	for (size_t i = 0; v->part == TIMELINE_BOOT && i < p->t->mark_count; i++) {
		const struct timeline_mark *m = &p->t->marks[i];
		double x = view__x(v, m->time), width = svg__columns(m->name) * SVG_CHARACTER;
		bool left = x + width > PICTURE_WIDTH - PICTURE_MARGIN;

		if (m->time < v->from || m->time > v->to)
			continue;
		if (lines) {
			fprintf(p->out, "<path class=\"mark\" d=\"M%.1f %.1fV%.1f\"><title>", x,
				v->top - 3, p->y);
			svg__text(p->out, m->name, 200);
			fputs("</title></path>\n", p->out);
		} else if ((left ? x - width : x) >= free) {
			svg__label(p->out, "marked", x, y, left ? "end" : "start", m->name);
			free = (left ? x : x + width) + 8;
		}
	}
}

/* The lines of ticks come first, to be behind the bars, but only the lanes tell their length. */
static void draw_lanes(struct picture *p, const struct view *v)
{
	FILE *out = p->out;
	char *lanes;
	size_t size;

	p->out = xopen_memstream(&lanes, &size);
	view__lanes(p, v);
	xclose_memstream(p->out);
	p->out = out;
	draw_lines(p, v);
	fwrite(lanes, 1, size, out);
	free(lanes);
}

static void draw_view(struct picture *p, struct view *v)
{
	p->y += 34;
	svg__label(p->out, "title", PICTURE_MARGIN, p->y, "start", v->title);
	fprintf(p->out, "<g class=\"view\" data-from=\"%" PRId64 "\" data-to=\"%" PRId64 "\">\n",
		v->from, v->to);
	if (v->part == TIMELINE_BOOT && p->t->mark_count) {
		p->y += 16;
		draw_marks(p, v, p->y, false);
	}
	draw_axis(p, v);
	v->top = p->y;
	draw_lanes(p, v);
	draw_marks(p, v, 0, true);
	fputs("</g>\n", p->out);
}

static void draw_boot(struct picture *p)
{
	const struct timeline *t = p->t;
	const struct timeline_part *part = &t->parts[TIMELINE_BOOT];
	struct view all = { .part = TIMELINE_BOOT, .from = part->start, .to = part->end };
	struct view kernel = all;
	char title[400], time[32];

	if (!part->there || part->end <= part->start)
		return;
	snprintf(title, sizeof(title), "The boot: %s",
		 svg__time(part->end - part->start, 0, time, sizeof(time)));
	all.title = title;
	draw_view(p, &all);
	if (!t->mark_count)
		return;
	/* Without the firmware, which ran before the zero of the kernel's clock. */
	kernel.from = all.from < 0 ? 0 : all.from;
	kernel.to = t->marks[0].time;
	if (kernel.to <= kernel.from || kernel.to - kernel.from > SMALL_SHARE * (all.to - all.from))
		return;
	snprintf(title, sizeof(title), "Of that, until %s: %s", t->marks[0].name,
		 svg__time(kernel.to - kernel.from, 0, time, sizeof(time)));
	kernel.title = title;
	draw_view(p, &kernel);
}

static void draw_early(struct picture *p)
{
	const struct timeline_part *part = &p->t->parts[TIMELINE_EARLY];
	struct view v = { .part = TIMELINE_EARLY, .from = part->start, .to = part->end };
	char title[200], time[32];

	if (!part->there || part->end <= part->start)
		return;
	snprintf(title, sizeof(title), "The early part, before ftrace: %s, %s",
		 svg__time(part->end - part->start, part->counts, time, sizeof(time)),
		 part->own_clock ? "since the first call" : "on the kernel's clock");
	v.title = title;
	draw_view(p, &v);
}

/* ---- all */

static void draw_notes(struct picture *p)
{
	const struct timeline_part *part = &p->t->parts[TIMELINE_BOOT];

	p->y += 14;
	if (part->there && part->later)
		put_line(p, 15, "soft", "%zu bars begin after %s, and are not shown; -f chrome has them.", part->later,
			 part->end_known ? "the boot was complete" : "a long pause");
	if (p->joined)
		put_line(p, 15, "soft", "Bars that are narrower than %.1f pixels are joined with their neighbours: paler ones, "
			 "with %zu bars. Point at a bar to see what it is.", p->narrowest, p->joined);
	if (p->t->parts[TIMELINE_EARLY].there)
		put_line(p, 15, "soft", "%s", p->t->parts[TIMELINE_EARLY].returns ?
			 "Bars of early calls are exact: when they returned was recorded." :
			 "When an early call returned is not known: its bar lasts until the next call that does not come from "
			 "inside it.");
	if (p->deep)
		put_line(p, 15, "soft", "%zu bars are too deep inside others to be shown.", p->deep);
}

/* Writes the body to memory, to be freed: the text before the body needs its height. */
static void make_body(struct picture *p, const struct boot_report *r, char **ret, size_t *ret_size)
{
	p->out = xopen_memstream(ret, ret_size);
	draw_head(p, r);
	draw_boot(p);
	draw_early(p);
	draw_notes(p);
	p->y += 20;
	xclose_memstream(p->out);
}

static void write_all(const struct picture *p, const struct boot_report *r, const char *body,
		      size_t size, FILE *out)
{
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\">\n"
		"<title>Boot of Linux ",
		PICTURE_WIDTH, p->y, PICTURE_WIDTH, p->y);
	svg__text(out, r->kernel.id.release, 200);
	fputs("</title>\n<style>\n", out);
	fwrite(_binary_picture_css_start, 1, _binary_picture_css_end - _binary_picture_css_start,
	       out);
	fprintf(out, "</style>\n<rect class=\"paper\" width=\"%d\" height=\"%.0f\"/>\n",
		PICTURE_WIDTH, p->y);
	fwrite(body, 1, size, out);
	fputs("</svg>\n", out);
}

void picture__write(const struct timeline *t, const struct boot_report *r, FILE *out)
{
	struct picture p = { .t = t, .narrowest = NARROWEST };
	char *body;
	size_t size;

	for (;;) {
		make_body(&p, r, &body, &size);
		if (size <= LARGEST || p.narrowest > PICTURE_BARS)
			break;
		free(body);
		p = (struct picture){ .t = t, .narrowest = p.narrowest * 1.6 };
	}
	write_all(&p, r, body, size, out);
	free(body);
}

void boot_report__svg(const struct boot_report *r, FILE *out)
{
	struct timeline t;

	timeline__collect(&t, r);
	picture__write(&t, r, out);
	timeline__free(&t);
}
