// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the picture of a boot, like `systemd-analyze plot`: one SVG, without scripts or external files. This file
 * draws its head and the frames of its views, and writes texts; see picture.h.
 */
#include <stdarg.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/version.h"
#include "boot/boot.h"
#include "boot/picture.h"

/* The largest picture, in bytes. Viewers become slow with more. */
#define LARGEST 1900000
/* Bars that are narrower, in pixels, are joined. This grows until the picture is small enough. */
#define NARROWEST 0.4
#define LONGEST 8
/* The left end of the list of the longest bars. */
#define SECOND 720
#define LEGEND_COLUMNS 5
/* The kernel's share of the boot gets a view of its own if it is smaller than this. */
#define SMALL_SHARE 0.4

/* The text of picture.css, embedded in the program. */
extern const char _binary_picture_css_start[], _binary_picture_css_end[];

/* @step: the distance from the line before, in pixels */
#define PUT_LINE(p, step, class, ...) \
	((p)->y += (step), svg__label((p)->out, class, PICTURE_MARGIN, (p)->y, "start", __VA_ARGS__))

/* ---- texts */

/* XML forbids U+FFFE, U+FFFF and control characters, but for three, which names do not need. */
static bool is_shown(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xfffe || code == 0xffff)
		return false;
	/* The characters below are invisible, or change the direction of the text after them. */
	return !((code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
		 (code >= 0x2060 && code <= 0x206f) || code == 0x061c || code == 0xfeff);
}

static void put_character(FILE *out, const char *text, size_t bytes, uint32_t code)
{
	static const char *const escapes[0x80] = { ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;" };

	if (!bytes || !is_shown(code))
		fputs(UTF8_REPLACEMENT, out);
	else if (code < 0x80 && escapes[code])
		fputs(escapes[code], out);
	else
		fwrite(text, 1, bytes, out);
}

void svg__text(FILE *out, const char *text, size_t most)
{
	size_t length = strlen(text);

	for (size_t count = 0; length; count++) {
		uint32_t code = 0;
		size_t bytes = utf8__character(text, length, &code), step = bytes ? bytes : 1;

		if (count + 1 >= most && length > step) {
			fputs("…", out);
			return;
		}
		put_character(out, text, bytes, code);
		text += step;
		length -= step;
	}
}

double svg__width(const char *text)
{
	size_t length = strlen(text), columns = 0;

	while (length) {
		size_t bytes = utf8__character(text, length, NULL);

		columns += bytes == 1 ? 1 : 2;
		text += bytes ? bytes : 1;
		length -= bytes ? bytes : 1;
	}
	return columns * SVG_CHARACTER;
}

void svg__label(FILE *out, const char *class, double x, double y, const char *anchor, const char *format, ...)
{
	char text[4 * SVG_MOST_CHARACTERS + 4];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\"", class, x, y);
	if (strcmp(anchor, "start"))
		fprintf(out, " text-anchor=\"%s\"", anchor);
	fputc('>', out);
	svg__text(out, text, SVG_MOST_CHARACTERS);
	fputs("</text>\n", out);
}

struct svg_time svg__time(int64_t ns, bool counts)
{
	double value = ns, magnitude = ns < 0 ? -value : value;
	struct svg_time time;

	if (counts)
		snprintf(time.text, sizeof(time.text), "%" PRId64 " cycles", ns);
	else if (magnitude >= 999999500)
		snprintf(time.text, sizeof(time.text), "%.3f s", value / 1e9);
	else if (magnitude >= 99999500)
		snprintf(time.text, sizeof(time.text), "%.1f ms", value / 1e6);
	else if (magnitude >= 999950)
		snprintf(time.text, sizeof(time.text), "%.2f ms", value / 1e6);
	else if (magnitude >= 1000)
		snprintf(time.text, sizeof(time.text), "%.*f µs", magnitude >= 10000 || ns % 1000 == 0 ? 0 : 1, value / 1e3);
	else
		snprintf(time.text, sizeof(time.text), "%" PRId64 " ns", ns);
	return time;
}

/* ---- the head */

static void draw_totals(struct picture *p, const struct boot *b)
{
	const struct timeline_part *early = &p->t->parts[TIMELINE_EARLY];

	for_array(m, p->t->marks, p->t->mark_count) {
		/* Not later marks: process 1 may execute a program long after the boot. */
		if (m->time <= p->t->parts[TIMELINE_BOOT].end)
			PUT_LINE(p, 18, "big", "%s  until %s", svg__time(m->time, false).text, m->name);
	}
	if (early->there)
		PUT_LINE(p, 18, "big", "%s  of early calls, until the tracer %s took over",
			 svg__time(early->end - early->start, early->counts).text, b->early.tracer);
}

/* Prints the losses: the picture may lack bars of the boot. */
static void draw_lost(struct picture *p, const struct boot *b)
{
	double y = p->y;

	if (b->lost > 0)
		PUT_LINE(p, 18, "bad", "Lost: %" PRId64 " events", b->lost);
	if (b->unread > 0)
		PUT_LINE(p, 18, "bad", "Lost: %" PRId64 " lines that are no events", b->unread);
	for_list(c, &b->early.lost) {
		if (c->value)
			PUT_LINE(p, 18, "bad", "Lost: early: %s %" PRIu64, c->name, c->value);
	}
	if (p->y == y)
		PUT_LINE(p, 18, "soft", "Nothing is lost.");
}

static void draw_legend(struct picture *p)
{
	bool used[SPAN_CLASSES] = {};
	size_t count = 0;

	for (size_t i = 0; i < p->t->span_count; i++)
		used[p->t->spans[i].class] = true;
	for (size_t i = 0; i < SPAN_CLASSES; i++) {
		double x = PICTURE_MARGIN + count % LEGEND_COLUMNS * 136;

		if (!used[i])
			continue;
		p->y += count % LEGEND_COLUMNS ? 0 : 20;
		fprintf(p->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\"/>\n",
			span_class_words[i], x, p->y - 10);
		svg__label(p->out, "legend", x + 17, p->y, "start", "%s", span_class_names[i]);
		count++;
	}
}

static void draw_longest(struct picture *p)
{
	size_t count;
	const struct span **list = timeline__longest(p->t, TIMELINE_BOOT, LONGEST, &count);
	double y = 32;

	if (count)
		svg__label(p->out, "title", SECOND, y, "start", "Longest, without what is inside");
	for (size_t i = 0; i < count; i++) {
		const struct span *s = list[i];

		y += 18;
		svg__label(p->out, "mono", SECOND + 80, y, "end", "%s", svg__time(s->self, false).text);
		fprintf(p->out, "<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"12\"/>\n",
			span_class_words[s->class], SECOND + 90, y - 10,
			1 + 150.0 * s->self / list[0]->self);
		fprintf(p->out, "<text class=\"mono\" x=\"%d\" y=\"%.1f\">", SECOND + 250, y);
		svg__text(p->out, s->name, 58);
		fputs("</text>\n", p->out);
	}
	free(list);
	p->y = p->y < y ? y : p->y;
}

/* ---- a view */

/* Writes the time of a tick, in a unit that suits the view, with as many digits as the step needs. */
static void put_tick(struct picture *p, const struct view *v, int64_t time)
{
	static const struct {
		int64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "µs" }, { 1, "ns" } };
	/* The last tick may be at the edge of the picture. */
	const char *anchor = v->to - time < v->step / 4 ? "end" : "middle";
	size_t unit = 0;
	int digits = 0;

	while (units[unit].ns > 1 && units[unit].ns > (v->to - v->from) / 2)
		unit++;
	for (int64_t rest = units[unit].ns; rest > v->step; rest /= 10)
		digits++;
	if (p->t->parts[v->part].counts)
		svg__label(p->out, "soft", view__x(v, time), p->y, anchor, "%" PRId64, time);
	else
		svg__label(p->out, "soft", view__x(v, time), p->y, anchor, "%.*f %s", digits,
			   (double)time / units[unit].ns, units[unit].name);
}

/* Names are above the axis. A name that would cover another name is only in its tooltip. */
static void draw_marks(struct picture *p, const struct view *v, double top)
{
	double free = 0;

	for_array(m, p->t->marks, p->t->mark_count) {
		double x = view__x(v, m->time), width = svg__width(m->name);
		bool left = x + width > PICTURE_WIDTH - PICTURE_MARGIN;

		if (m->time < v->from || m->time > v->to)
			continue;
		fprintf(p->out, "<path class=\"mark\" d=\"M%.1f %.1fV%.1f\"><title>", x, top + 19, p->y);
		svg__text(p->out, m->name, SVG_MOST_CHARACTERS);
		fputs("</title></path>\n", p->out);
		if ((left ? x - width : x) < free)
			continue;
		svg__label(p->out, "marked", x, top, left ? "end" : "start", "%s", m->name);
		free = (left ? x : x + width) + 8;
	}
}

/* The distance of ticks: 1, 2 or 5 times a power of ten, for about ten ticks. */
static int64_t step_of(int64_t whole)
{
	int64_t power = 1;

	while (whole / power >= 65)
		power *= 10;
	return whole / power >= 26 ? 5 * power : whole / power >= 13 ? 2 * power : power;
}

static void draw_view(struct picture *p, enum timeline_part_id part, int64_t from, int64_t to, const char *title)
{
	struct view v = { .part = part, .from = from, .to = to, .step = step_of(to - from) };
	bool marked = part == TIMELINE_BOOT && p->t->mark_count;
	double top;

	PUT_LINE(p, 34, "title", "%s%s", title, svg__time(to - from, p->t->parts[part].counts).text);
	fprintf(p->out, "<g class=\"view\" data-from=\"%" PRId64 "\" data-to=\"%" PRId64 "\">\n", from, to);
	top = p->y += marked ? 16 : 0;
	p->y += 16;
	for (int64_t time = view__tick(&v, from); time <= to; time += v.step)
		put_tick(p, &v, time);
	p->y += 6;
	p->v = &v;
	picture__lanes(p);
	if (marked)
		draw_marks(p, &v, top);
	fputs("</g>\n", p->out);
}

static void draw_views(struct picture *p)
{
	const struct timeline_part *boot = &p->t->parts[TIMELINE_BOOT], *early = &p->t->parts[TIMELINE_EARLY];
	/* The kernel is without the firmware, which ran before the zero of the kernel's clock. */
	int64_t from = boot->start < 0 ? 0 : boot->start, to = p->t->mark_count ? p->t->marks[0].time : 0;
	char title[400];

	if (boot->there && boot->end > boot->start)
		draw_view(p, TIMELINE_BOOT, boot->start, boot->end, "The boot: ");
	snprintf(title, sizeof(title), "Of that, until %s: ", p->t->mark_count ? p->t->marks[0].name : "");
	if (boot->there && to > from && to - from <= SMALL_SHARE * (boot->end - boot->start))
		draw_view(p, TIMELINE_BOOT, from, to, title);
	snprintf(title, sizeof(title), "The early part, before ftrace, %s: ",
		 early->own_clock ? "since the first call" : "on the kernel's clock");
	if (early->there && early->end > early->start)
		draw_view(p, TIMELINE_EARLY, early->start, early->end, title);
}

/* ---- all */

static void draw_notes(struct picture *p)
{
	const struct timeline_part *boot = &p->t->parts[TIMELINE_BOOT], *early = &p->t->parts[TIMELINE_EARLY];

	p->y += 14;
	if (boot->there && boot->later)
		PUT_LINE(p, 15, "soft", "%zu bars begin after %s, and are not shown; -f chrome has them.", boot->later,
			 boot->end_known ? "the boot was complete" : "a long pause");
	if (p->joined)
		PUT_LINE(p, 15, "soft", "Bars that are narrower than %.1f pixels are joined with their neighbours: paler ones, "
			 "with %zu bars. Point at a bar to see what it is.", p->narrowest, p->joined);
	if (early->there && early->returns)
		PUT_LINE(p, 15, "soft", "Bars of early calls are exact: when they returned was recorded.");
	else if (early->there)
		PUT_LINE(p, 15, "soft", "When an early call returned is not known: its bar lasts until the next call that does "
			 "not come from inside it.");
	if (p->deep)
		PUT_LINE(p, 15, "soft", "%zu bars are too deep inside others to be shown.", p->deep);
}

/* Writes the body to memory, to be freed: the text before the body needs its height. */
static void make_body(struct picture *p, const struct boot *b, char **ret, size_t *ret_size)
{
	p->out = xopen_memstream(ret, ret_size);
	PUT_LINE(p, 32, "head", "Boot of Linux %s", b->kernel.release ?: "unknown");
	PUT_LINE(p, 20, "soft", "boot id %s; hytrace %s", b->boot_id ?: "unknown", HYTRACE_VERSION);
	p->y += 4;
	draw_totals(p, b);
	draw_lost(p, b);
	draw_legend(p);
	draw_longest(p);
	draw_views(p);
	draw_notes(p);
	p->y += 20;
	xclose_memstream(p->out);
}

void picture__write(const struct timeline *t, const struct boot *b, FILE *out)
{
	struct picture p = { .t = t, .narrowest = NARROWEST };
	char *body;
	size_t size;

	make_body(&p, b, &body, &size);
	while (size > LARGEST && p.narrowest <= PICTURE_BARS) {
		free(body);
		p = (struct picture){ .t = t, .narrowest = p.narrowest * 1.6 };
		make_body(&p, b, &body, &size);
	}
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%.0f\" viewBox=\"0 0 %d %.0f\">\n<title>Boot of Linux ", PICTURE_WIDTH, p.y, PICTURE_WIDTH, p.y);
	svg__text(out, b->kernel.release ?: "unknown", SVG_MOST_CHARACTERS);
	fputs("</title>\n<style>\n", out);
	fwrite(_binary_picture_css_start, 1, _binary_picture_css_end - _binary_picture_css_start, out);
	fprintf(out, "</style>\n<rect class=\"paper\" width=\"%d\" height=\"%.0f\"/>\n", PICTURE_WIDTH, p.y);
	fwrite(body, 1, size, out);
	fputs("</svg>\n", out);
	free(body);
}

void boot__svg(const struct boot *b, FILE *out)
{
	struct timeline t;

	timeline__collect(&t, b);
	picture__write(&t, b, out);
	timeline__free(&t);
}
