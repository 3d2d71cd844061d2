// SPDX-License-Identifier: GPL-2.0-only
/* Makes the list of bars that pictures are drawn from; see timeline.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "boot/timeline.h"

/* A pause ends the boot if it is longer than this and than the whole time before it. */
#define LONG_PAUSE 10000000000LL

const char *const bar_class_words[BAR_CLASSES] = {
	[BAR_PHASE] = "phase", [BAR_CALL] = "call", [BAR_INITCALL] = "initcall",
	[BAR_MODULE] = "module", [BAR_PROBE] = "probe", [BAR_PROGRAM] = "program",
	[BAR_UNIT] = "unit", [BAR_WAIT] = "wait", [BAR_RUNNING] = "running", [BAR_IO] = "io",
};

const char *const bar_class_names[BAR_CLASSES] = {
	[BAR_PHASE] = "phases",
	[BAR_CALL] = "calls",
	[BAR_INITCALL] = "initcalls",
	[BAR_MODULE] = "modules",
	[BAR_PROBE] = "probes of devices",
	[BAR_PROGRAM] = "programs of process 1",
	[BAR_UNIT] = "units",
	[BAR_WAIT] = "waiting",
	[BAR_RUNNING] = "running",
	[BAR_IO] = "input and output",
};

/* ---- for sources */

void timeline__init(struct timeline *t)
{
	memset(t, 0, sizeof(*t));
	t->store = strings__new();
}

size_t timeline__lane(struct timeline *t, const struct lane *lane)
{
	for (size_t i = t->lane_count; i-- > 0;) {
		const struct lane *other = &t->lanes[i];

		if (other->part == lane->part && text__equals(other->name, lane->name) &&
		    text__equals(other->group, lane->group))
			return i;
	}
	*LIST_ADD(t->lanes, t->lane_count) = *lane;
	t->parts[lane->part].there = true;
	return t->lane_count - 1;
}

void timeline__add(struct timeline *t, size_t lane, enum bar_class class, const char *name,
		   int64_t start, int64_t end)
{
	bool endless = end == BAR_NO_END;
	size_t order = t->bar_count;

	*LIST_ADD(t->bars, t->bar_count) = (struct bar){
		.name = name,
		.order = order,
		.lane = lane,
		.class = class,
		.endless = endless,
		.start = start,
		/* Forged input may have an end before the start. */
		.end = endless || end < start ? start : end,
		.arg = t->arg_count,
	};
}

static void add_arg(struct timeline *t, const char *name, const char *text, int64_t number)
{
	if (!t->bar_count)
		return;
	*LIST_ADD(t->args, t->arg_count) = (struct bar_arg){ name, text, number };
	t->bars[t->bar_count - 1].args++;
}

void timeline__text(struct timeline *t, const char *name, const char *text)
{
	add_arg(t, name, text, 0);
}

void timeline__number(struct timeline *t, const char *name, int64_t number)
{
	add_arg(t, name, NULL, number);
}

void timeline__mark(struct timeline *t, const char *name, int64_t time)
{
	*LIST_ADD(t->marks, t->mark_count) = (struct timeline_mark){ name, time };
}

const char *timeline__keep(struct timeline *t, const char *format, ...)
{
	const char *kept;
	char *text;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		memory__fail();
	va_end(args);
	kept = strings__intern(t->store, text);
	free(text);
	return kept;
}

/* ---- the ends of parts */

struct stretch {
	int64_t start, end;
};

static int by_start(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* The start of the first bar after a long pause without bars; INT64_MAX: there is no such pause. */
static int64_t first_after_pause(struct stretch *list, size_t count)
{
	int64_t end;

	qsort(list, count, sizeof(*list), by_start);
	end = count ? list[0].end : 0;
	for (size_t i = 1; i < count; i++) {
		int64_t pause = list[i].start - end;

		if (pause > LONG_PAUSE && pause > end - list[0].start)
			return list[i].start;
		if (list[i].end > end)
			end = list[i].end;
	}
	return INT64_MAX;
}

/* Runs of CPUs and requests to disks go on as long as the machine runs, so they show no pause. */
static bool is_of_boot(const struct bar *b)
{
	return b->class != BAR_RUNNING && b->class != BAR_IO;
}

static void find_start(struct timeline *t, enum timeline_part_id id)
{
	struct timeline_part *part = &t->parts[id];
	bool first = true;

	for (size_t i = 0; i < t->bar_count; i++) {
		const struct bar *b = &t->bars[i];

		if (t->lanes[b->lane].part != id || (!first && b->start >= part->start))
			continue;
		part->start = b->start;
		first = false;
	}
}

static void find_end(struct timeline *t, enum timeline_part_id id)
{
	struct timeline_part *part = &t->parts[id];
	struct stretch *list;
	int64_t limit;
	size_t count = 0;

	if (part->end_known)
		return;
	list = xcalloc(t->bar_count, sizeof(*list));
	for (size_t i = 0; i < t->bar_count; i++) {
		const struct bar *b = &t->bars[i];

		if (t->lanes[b->lane].part == id && is_of_boot(b))
			list[count++] = (struct stretch){
				b->start, b->end == BAR_UNTIL_END ? b->start : b->end,
			};
	}
	limit = id == TIMELINE_BOOT ? first_after_pause(list, count) : INT64_MAX;
	part->end = part->start;
	for (size_t i = 0; i < count; i++) {
		if (list[i].start < limit && list[i].end > part->end)
			part->end = list[i].end;
	}
	free(list);
}

/* Replaces BAR_UNTIL_END by the end of the part, and counts bars that begin after this end. */
static void set_ends(struct timeline *t)
{
	for (size_t i = 0; i < t->bar_count; i++) {
		struct bar *b = &t->bars[i];
		struct timeline_part *part = &t->parts[t->lanes[b->lane].part];

		if (b->end == BAR_UNTIL_END)
			b->end = part->end > b->start ? part->end : b->start;
		part->later += b->start > part->end && is_of_boot(b);
	}
}

/* ---- how bars nest */

static int by_place(const void *a, const void *b)
{
	const struct bar *x = a, *y = b;

	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* The open bars of a layer, from the outermost to the innermost. */
struct layer {
	size_t *open, depth, most;
};

struct layers {
	struct layer *list;
	size_t count;
};

static bool fits(const struct timeline *t, struct layer *layer, const struct bar *b,
		 enum lane_kind kind)
{
	while (layer->depth && t->bars[layer->open[layer->depth - 1]].end <= b->start)
		layer->depth--;
	if (!layer->depth)
		return true;
	return kind == LANE_NESTS && t->bars[layer->open[layer->depth - 1]].end >= b->end;
}

static void open_bar(struct timeline *t, struct layer *layer, size_t index)
{
	if (layer->depth == layer->most)
		LIST_ADD(layer->open, layer->most);
	t->bars[index].depth = layer->depth;
	/* The own time of the bar around it excludes its time. */
	if (layer->depth)
		t->bars[layer->open[layer->depth - 1]].self -=
			t->bars[index].end - t->bars[index].start;
	layer->open[layer->depth++] = index;
}

static void put_in_layer(struct timeline *t, struct layers *layers, size_t index)
{
	enum lane_kind kind = t->lanes[t->bars[index].lane].kind;
	size_t i = 0;

	while (i < layers->count && !fits(t, &layers->list[i], &t->bars[index], kind))
		i++;
	if (i == layers->count)
		LIST_ADD(layers->list, layers->count);
	t->bars[index].layer = i;
	open_bar(t, &layers->list[i], index);
}

static void nest(struct timeline *t, struct lane *lane)
{
	struct layers layers = {};

	for (size_t i = lane->first; i < lane->first + lane->count; i++) {
		t->bars[i].self = t->bars[i].end - t->bars[i].start;
		put_in_layer(t, &layers, i);
	}
	lane->layers = layers.count;
	lane->layer_depth = xcalloc(layers.count, sizeof(*lane->layer_depth));
	for (size_t i = 0; i < layers.count; i++) {
		lane->layer_depth[i] = layers.list[i].most;
		free(layers.list[i].open);
	}
	free(layers.list);
}

void timeline__finish(struct timeline *t)
{
	for (size_t i = 0; i < TIMELINE_PARTS; i++) {
		find_start(t, i);
		find_end(t, i);
	}
	set_ends(t);
	if (t->bar_count)
		qsort(t->bars, t->bar_count, sizeof(*t->bars), by_place);
	for (size_t i = 0; i < t->lane_count; i++)
		t->lanes[i].count = 0;
	for (size_t i = 0; i < t->bar_count; i++) {
		struct lane *lane = &t->lanes[t->bars[i].lane];

		if (!lane->count++)
			lane->first = i;
	}
	for (size_t i = 0; i < t->lane_count; i++)
		nest(t, &t->lanes[i]);
}

void timeline__free(struct timeline *t)
{
	for (size_t i = 0; i < t->lane_count; i++)
		free(t->lanes[i].layer_depth);
	free(t->lanes);
	free(t->bars);
	free(t->args);
	free(t->marks);
	boot_load__free(&t->load);
	strings__free(t->store);
	memset(t, 0, sizeof(*t));
}

/* ---- for pictures */

size_t timeline__row(const struct timeline *t, const struct bar *b)
{
	const struct lane *lane = &t->lanes[b->lane];
	size_t row = b->depth;

	for (size_t i = 0; i < b->layer; i++)
		row += lane->layer_depth[i];
	return row;
}

static bool can_be_changed(const struct bar *b)
{
	return b->class == BAR_INITCALL || b->class == BAR_MODULE || b->class == BAR_PROBE ||
	       b->class == BAR_UNIT || b->class == BAR_WAIT;
}

static int by_self(const void *a, const void *b, void *arg)
{
	const struct bar *list = arg;
	const size_t *x = a, *y = b;

	if (list[*x].self != list[*y].self)
		return list[*x].self > list[*y].self ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

size_t *timeline__longest(const struct timeline *t, enum timeline_part_id part, size_t most, size_t *ret_count)
{
	size_t *list = xcalloc(t->bar_count, sizeof(*list)), count = 0;

	for (size_t i = 0; i < t->bar_count; i++) {
		const struct bar *b = &t->bars[i];

		if (t->lanes[b->lane].part == part && can_be_changed(b) && b->self > 0 &&
		    b->start <= t->parts[part].end)
			list[count++] = i;
	}
	qsort_r(list, count, sizeof(*list), by_self, t->bars);
	*ret_count = count < most ? count : most;
	return list;
}
