// SPDX-License-Identifier: GPL-2.0-only
/* The list of bars that pictures draw from; see timeline.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/strings.h"
#include "boot/timeline.h"

/* A pause ends the boot if it is longer than this, and than all before it. */
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

/* ---- what sources call */

void timeline__init(struct timeline *t)
{
	memset(t, 0, sizeof(*t));
	t->store = strings__new();
}

/* Makes room for one more at powers of two; false: no memory, and a message has said so. */
static bool make_room(struct timeline *t, void *list, size_t count, size_t size)
{
	void **at = list, *more;

	if (t->err)
		return false;
	if (count & (count - 1))
		return true;
	more = reallocarray(*at, count ? 2 * count : 1, size);
	if (!more) {
		t->err = error__no_memory();
		return false;
	}
	*at = more;
	return true;
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

size_t timeline__lane(struct timeline *t, const struct lane *lane)
{
	for (size_t i = t->lane_count; i-- > 0;) {
		const struct lane *other = &t->lanes[i];

		if (other->part == lane->part && same(other->name, lane->name) &&
		    same(other->group, lane->group))
			return i;
	}
	if (!make_room(t, &t->lanes, t->lane_count, sizeof(*t->lanes)))
		return 0;
	t->lanes[t->lane_count] = *lane;
	t->parts[lane->part].there = true;
	return t->lane_count++;
}

void timeline__add(struct timeline *t, size_t lane, enum bar_class class, const char *name,
		   int64_t start, int64_t end)
{
	bool endless = end == BAR_NO_END;

	if (!make_room(t, &t->bars, t->bar_count, sizeof(*t->bars)))
		return;
	t->bars[t->bar_count] = (struct bar){
		.name = name,
		.order = t->bar_count,
		.lane = lane,
		.class = class,
		.endless = endless,
		.start = start,
		/* A source may have read any numbers. */
		.end = endless || end < start ? start : end,
		.arg = t->arg_count,
	};
	t->bar_count++;
}

static void add_arg(struct timeline *t, const char *name, const char *text, int64_t number)
{
	if (!t->bar_count || !make_room(t, &t->args, t->arg_count, sizeof(*t->args)))
		return;
	t->args[t->arg_count++] = (struct bar_arg){ name, text, number };
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
	if (make_room(t, &t->marks, t->mark_count, sizeof(*t->marks)))
		t->marks[t->mark_count++] = (struct timeline_mark){ name, time };
}

const char *timeline__keep(struct timeline *t, const char *format, ...)
{
	const char *kept = "";
	char *text;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0) {
		if (!t->err)
			t->err = error__no_memory();
	} else {
		kept = strings__intern(t->store, text);
		free(text);
	}
	va_end(args);
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

/* When the first stretch begins after a long pause, in which nothing runs. */
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

/* Processors never stop running something, and disks are used as long as the machine is. */
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

static int find_end(struct timeline *t, enum timeline_part_id id)
{
	struct timeline_part *part = &t->parts[id];
	struct stretch *list;
	int64_t limit;
	size_t count = 0;

	if (part->end_known)
		return 0;
	list = calloc(t->bar_count + 1, sizeof(*list));
	if (!list)
		return error__no_memory();
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
	return 0;
}

/* Bars that last until the end get it, and what begins after it is counted. */
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

/* The bars of a layer that have not ended yet; each is inside the one before. */
struct layer {
	size_t *open, depth, room;
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

static int open_bar(struct timeline *t, struct layer *layer, size_t index)
{
	if (layer->depth == layer->room) {
		size_t *more = reallocarray(layer->open, 2 * layer->room + 8, sizeof(*more));

		if (!more)
			return error__no_memory();
		layer->open = more;
		layer->room = 2 * layer->room + 8;
	}
	t->bars[index].depth = layer->depth;
	/* Its time is not that of the bar around it. */
	if (layer->depth)
		t->bars[layer->open[layer->depth - 1]].self -=
			t->bars[index].end - t->bars[index].start;
	layer->open[layer->depth++] = index;
	return 0;
}

static int put_in_layer(struct timeline *t, struct layers *layers, size_t index)
{
	enum lane_kind kind = t->lanes[t->bars[index].lane].kind;
	struct layer *more;

	for (size_t i = 0; i < layers->count; i++) {
		if (fits(t, &layers->list[i], &t->bars[index], kind)) {
			t->bars[index].layer = i;
			return open_bar(t, &layers->list[i], index);
		}
	}
	more = reallocarray(layers->list, layers->count + 1, sizeof(*more));
	if (!more)
		return error__no_memory();
	layers->list = more;
	layers->list[layers->count] = (struct layer){};
	t->bars[index].layer = layers->count;
	return open_bar(t, &layers->list[layers->count++], index);
}

static int nest(struct timeline *t, struct lane *lane)
{
	struct layers layers = {};
	int err = 0;

	for (size_t i = lane->first; !err && i < lane->first + lane->count; i++) {
		t->bars[i].self = t->bars[i].end - t->bars[i].start;
		err = put_in_layer(t, &layers, i);
	}
	lane->layers = layers.count;
	lane->layer_depth = calloc(layers.count + 1, sizeof(*lane->layer_depth));
	if (!err && !lane->layer_depth)
		err = error__no_memory();
	for (size_t i = lane->first; !err && i < lane->first + lane->count; i++) {
		const struct bar *b = &t->bars[i];

		if (b->depth >= lane->layer_depth[b->layer])
			lane->layer_depth[b->layer] = b->depth + 1;
	}
	for (size_t i = 0; i < layers.count; i++)
		free(layers.list[i].open);
	free(layers.list);
	return err;
}

int timeline__finish(struct timeline *t)
{
	for (size_t i = 0; i < TIMELINE_PARTS; i++) {
		find_start(t, i);
		if (!t->err)
			t->err = find_end(t, i);
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
	for (size_t i = 0; !t->err && i < t->lane_count; i++)
		t->err = nest(t, &t->lanes[i]);
	return t->err;
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

/* ---- what pictures ask */

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

int timeline__longest(const struct timeline *t, enum timeline_part_id part, size_t most,
		      size_t **ret, size_t *ret_count)
{
	size_t *list = calloc(t->bar_count + 1, sizeof(*list)), count = 0;

	if (!list)
		return error__no_memory();
	for (size_t i = 0; i < t->bar_count; i++) {
		const struct bar *b = &t->bars[i];

		if (t->lanes[b->lane].part == part && can_be_changed(b) && b->self > 0 &&
		    b->start <= t->parts[part].end)
			list[count++] = i;
	}
	qsort_r(list, count, sizeof(*list), by_self, t->bars);
	*ret = list;
	*ret_count = count < most ? count : most;
	return 0;
}
