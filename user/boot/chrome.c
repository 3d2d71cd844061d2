// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the timeline as Chrome's trace events, for Perfetto; see boot.h.
 *
 * A part of the timeline is a process of the trace; each layer of a lane is a thread, drawn as a row. Layers must not
 * share a row: viewers drop events of a thread that overlap without nesting.
 *
 * A bar without a known end is a begin event ("B") without an end. Viewers draw it until the end of the trace, and
 * all later bars inside it. So a lane has one more row, for such bars only.
 */
#include "base/json.h"
#include "base/memory.h"
#include "base/version.h"
#include "boot/boot.h"

/* The first number of rows that do not belong to a task: larger than any pid. */
#define NO_TASK (1 << 22)

struct row {
	size_t first;			/* the number of the lane's first row */
	size_t shown;			/* the number of spans of the lane that have an end */
	bool endless;			/* a span of the lane has no end */
};

struct chrome {
	json_writer_t *w;
	const struct timeline *t;
	bool some_calls;		/* the early part has more calls than the timeline */
	int64_t zero[TIMELINE_PARTS];	/* the time written as 0: no time may be negative */
	struct row *rows;		/* for each lane */
};

static void write_label(json_writer_t *w, const char *what, int part, size_t row, const char *name)
{
	jsonw_start_object(w);
	jsonw_string_field(w, "name", what);
	jsonw_string_field(w, "ph", "M");
	jsonw_lluint_field(w, "pid", part + 1);
	jsonw_lluint_field(w, "tid", row);
	json__object(w, "args");
	jsonw_string_field(w, "name", name);
	jsonw_end_object(w);
	jsonw_end_object(w);
}

/* Writes a time in microseconds. If the part has cycles, they take the place of microseconds. */
static void write_micros(struct chrome *c, const char *name, const struct timeline_part *part, int64_t time)
{
	jsonw_name(c->w, name);
	if (part->counts)
		jsonw_printf(c->w, "%" PRId64, time);
	else
		jsonw_printf(c->w, "%" PRId64 ".%03" PRId64, time / 1000, time % 1000);
}

static void write_args(struct chrome *c, const struct span *b)
{
	json__object(c->w, "args");
	for (const struct json_field *a = b->arguments; a && a->name; a++) {
		if (!span__text(b, a) && span__number(b, a) == NOT_KNOWN)
			continue;
		jsonw_name(c->w, a->name);
		a->kind->write(c->w, a, (const char *)b + a->offset);
	}
	jsonw_end_object(c->w);
}

static size_t row_of(const struct chrome *c, const struct span *b)
{
	const struct lane *lane = &c->t->lanes[b->lane];

	if (b->endless)
		return c->rows[b->lane].first + lane->layers;
	return b->layer || lane->pid < 0 ? c->rows[b->lane].first + b->layer : (size_t)lane->pid;
}

static void write_bar(struct chrome *c, const struct span *b)
{
	enum timeline_part_id id = c->t->lanes[b->lane].part;
	const struct timeline_part *part = &c->t->parts[id];

	jsonw_start_object(c->w);
	jsonw_string_field(c->w, "name", *b->name ? b->name : "(no name)");
	jsonw_string_field(c->w, "cat", span_class_words[b->class]);
	jsonw_string_field(c->w, "ph", b->endless ? "B" : "X");
	write_micros(c, "ts", part, b->start - c->zero[id]);
	if (!b->endless)
		write_micros(c, "dur", part, b->end - b->start);
	jsonw_lluint_field(c->w, "pid", id + 1);
	jsonw_lluint_field(c->w, "tid", row_of(c, b));
	write_args(c, b);
	jsonw_end_object(c->w);
}

static void write_lane_labels(struct chrome *c, size_t index)
{
	const struct lane *lane = &c->t->lanes[index];

	for (size_t layer = 0; c->rows[index].shown && layer < lane->layers; layer++) {
		size_t row = layer || lane->pid < 0 ? c->rows[index].first + layer :
						      (size_t)lane->pid;

		write_label(c->w, "thread_name", lane->part, row,
			    c->some_calls && lane->part == TIMELINE_EARLY && !strcmp(lane->name, "calls") ? "longest calls" : lane->name);
	}
	if (c->rows[index].endless) {
		char name[300];

		snprintf(name, sizeof(name), "%s: the end was not seen", lane->name);
		write_label(c->w, "thread_name", lane->part, c->rows[index].first + lane->layers, name);
	}
}

static void write_part(struct chrome *c, enum timeline_part_id id)
{
	const struct timeline *t = c->t;

	if (!t->parts[id].there)
		return;
	write_label(c->w, "process_name", id, 1, t->parts[id].title);
	for (size_t i = 0; i < t->lane_count; i++) {
		if (t->lanes[i].part == id)
			write_lane_labels(c, i);
	}
	for (size_t i = 0; i < t->span_count; i++) {
		if (t->lanes[t->spans[i].lane].part == id)
			write_bar(c, &t->spans[i]);
	}
}

static void number_rows(struct chrome *c)
{
	size_t next[TIMELINE_PARTS] = { [TIMELINE_EARLY] = 1, [TIMELINE_BOOT] = NO_TASK + 1 };

	c->rows = xcalloc(c->t->lane_count, sizeof(*c->rows));
	for (size_t i = 0; i < c->t->span_count; i++) {
		struct row *row = &c->rows[c->t->spans[i].lane];

		row->shown += !c->t->spans[i].endless;
		row->endless |= c->t->spans[i].endless;
	}
	for (size_t i = 0; i < c->t->lane_count; i++) {
		c->rows[i].first = next[c->t->lanes[i].part];
		next[c->t->lanes[i].part] += c->t->lanes[i].layers + c->rows[i].endless;
	}
}

/* Sets the zero of each part. Parts on the kernel's clock have one zero. */
static void set_zero(struct chrome *c)
{
	int64_t first = 0;

	for (size_t i = 0; i < TIMELINE_PARTS; i++) {
		if (!c->t->parts[i].own_clock && c->t->parts[i].start < first)
			first = c->t->parts[i].start;
	}
	for (size_t i = 0; i < TIMELINE_PARTS; i++)
		c->zero[i] = c->t->parts[i].own_clock ? c->t->parts[i].start : first;
}

static void write_other(struct chrome *c, const struct boot *b)
{
	const struct boot_early *e = &b->early;
	json_writer_t *w = c->w;

	json__object(w, "otherData");
	jsonw_string_field(w, "hytrace", HYTRACE_VERSION);
	json__string_or_null(w, "release", b->kernel.release);
	json__string_or_null(w, "boot_id", b->boot_id);
	if (boot__has_early(b)) {
		jsonw_string_field(w, "tracer", e->tracer);
		jsonw_string_field(w, "clock", e->clock);
		jsonw_string_field(w, "unit", e->counts ? "counts" : "us");
		json__int_or_null(w, "recorded", e->recorded != NOT_KNOWN, e->recorded);
		jsonw_lluint_field(w, "calls_shown", e->longest.count);
		json__string_or_null(w, "ends", boot__is_oneshot(b) ? NULL : e->returns == NOT_KNOWN ? "next calls" : "returns");
		json__counters(w, "lost", &e->lost);
	}
	json__int_or_null(w, "start_lost", b->has_start, b->lost);
	jsonw_end_object(w);
}

void boot__chrome(const struct boot *b, FILE *out)
{
	struct timeline t;
	struct chrome c = {
		.t = &t, .w = jsonw_new(out, true), .some_calls = b->early.calls > (int64_t)b->early.longest.count,
	};

	timeline__collect(&t, b);
	number_rows(&c);
	set_zero(&c);
	jsonw_start_object(c.w);
	json__lines(c.w, "traceEvents");
	for (size_t i = 0; i < TIMELINE_PARTS; i++)
		write_part(&c, i);
	jsonw_end_array(c.w);
	write_other(&c, b);
	jsonw_end_object(c.w);
	jsonw_destroy(&c.w);
	free(c.rows);
	timeline__free(&t);
}
