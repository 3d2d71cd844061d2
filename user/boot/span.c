// SPDX-License-Identifier: GPL-2.0-only
/* Makes the list of bars that pictures are drawn from; see timeline.h. */
#include <stdarg.h>

#include "base/memory.h"
#include "base/sorted.h"
#include "base/text.h"
#include "boot/boot.h"

/* A pause ends the boot if it is longer than this and than the whole time before it. */
#define LONG_PAUSE 10000000000LL

const char *const span_class_words[SPAN_CLASSES] = {
	[SPAN_PHASE] = "phase", [SPAN_CALL] = "call", [SPAN_INITCALL] = "initcall", [SPAN_MODULE] = "module",
	[SPAN_PROBE] = "probe", [SPAN_PROGRAM] = "program", [SPAN_UNIT] = "unit", [SPAN_WAIT] = "wait",
	[SPAN_RUNNING] = "running", [SPAN_IO] = "io",
};

const char *const span_class_names[SPAN_CLASSES] = {
	[SPAN_PHASE] = "phases",
	[SPAN_CALL] = "calls",
	[SPAN_INITCALL] = "initcalls",
	[SPAN_MODULE] = "modules",
	[SPAN_PROBE] = "probes of devices",
	[SPAN_PROGRAM] = "programs",
	[SPAN_UNIT] = "units",
	[SPAN_WAIT] = "waiting",
	[SPAN_RUNNING] = "running",
	[SPAN_IO] = "input and output",
};

/* ---- arguments */

#define TEXT(name, member) { name, &field_kept, offsetof(struct span, member) }
#define NUMBER(name, member) { name, &field_time, offsetof(struct span, member) }

static const struct json_field of_initcall[] = { TEXT("level", in), NUMBER("result", result), { } };
static const struct json_field of_probe[] = { TEXT("driver", in), TEXT("result", note), NUMBER("result", result), { } };
static const struct json_field of_call[] = { TEXT("caller", in), TEXT("end", note), { } };
static const struct json_field of_unit[] = { TEXT("state", in), TEXT("result", note), { } };
static const struct json_field of_task[] = { TEXT("in", in), NUMBER("task", task), { } };

static const struct json_field *const arguments[SPAN_CLASSES] = {
	[SPAN_CALL] = of_call, [SPAN_INITCALL] = of_initcall, [SPAN_MODULE] = of_initcall, [SPAN_PROBE] = of_probe,
	[SPAN_UNIT] = of_unit, [SPAN_WAIT] = of_task, [SPAN_RUNNING] = of_task, [SPAN_IO] = of_task,
};

const char *span__text(const struct span *s, const struct json_field *argument)
{
	return argument->kind == &field_kept ? *(const char *const *)((const char *)s + argument->offset) : NULL;
}

int64_t span__number(const struct span *s, const struct json_field *argument)
{
	return argument->kind == &field_time ? *(const int64_t *)((const char *)s + argument->offset) : NOT_KNOWN;
}

/* ---- lists */

const char *span__name(const struct span *s)
{
	static const char *const probes[PROBE_KINDS] = {
		[PROBE_DEVICE] = "(a device)", [PROBE_UNPACK] = "unpacking the initramfs", [PROBE_CONSOLE] = "writing to consoles",
	};

	if (s->class == SPAN_INITCALL || s->class == SPAN_MODULE)
		return s->module ?: s->name ?: "(a module)";
	if (s->name || (s->class != SPAN_PROBE && s->class != SPAN_CALL))
		return s->name ?: "(not known)";
	return probes[s->kind];
}

struct span *span_list__outer(const struct span_list *l, size_t index)
{
	const struct span *s = &l->list[index];

	while (index-- > 0) {
		struct span *other = &l->list[index];

		if (other->task == s->task && other->kind == s->kind && other->end != NOT_KNOWN && other->end >= s->end)
			return other;
	}
	return NULL;
}

void span_list__settle(struct span_list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		struct span *s = &l->list[i], *outer;

		if (s->end == NOT_KNOWN)
			continue;
		s->self = s->end - s->start;
		outer = span_list__outer(l, i);
		if (outer)
			outer->self -= s->self;
	}
}

static int by_own_time(const void *a, const void *b)
{
	const struct span *x = *(const struct span *const *)a, *y = *(const struct span *const *)b;

	return ORDER(x->end != NOT_KNOWN, y->end != NOT_KNOWN) ?: ORDER(y->self, x->self) ?: ORDER(x, y);
}

const struct span **span_list__by_self(const struct span_list *l, bool (*is_listed)(const struct span *s),
				       size_t *ret_count)
{
	const struct span **list = xcalloc(l->count, sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (!is_listed || is_listed(&l->list[i]))
			list[count++] = &l->list[i];
	}
	qsort(list, count, sizeof(*list), by_own_time);
	*ret_count = count;
	return list;
}

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

struct span *timeline__add(struct timeline *t, size_t lane, enum span_class class, const char *name, int64_t start,
			   int64_t end)
{
	size_t order = t->span_count;
	struct span *span = LIST_ADD(t->spans, t->span_count);

	*span = (struct span){
		SPAN_NONE, .name = name, .arguments = arguments[class], .order = order, .lane = lane, .class = class,
		.endless = end == NOT_KNOWN, .start = start,
		/* Forged input may have an end before the start. */
		.end = end < start ? start : end,
	};
	return span;
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

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return ORDER(x->start, y->start);
}

/* Runs of CPUs and requests to disks go on as long as the machine runs, so they show no pause. */
static bool is_of_boot(const struct span *b)
{
	return b->class != SPAN_RUNNING && b->class != SPAN_IO;
}

/* Finds when a part began and ended, from spans that are sorted by start. The boot ends with the first long pause. */
static void find_ends(struct timeline *t, enum timeline_part_id id)
{
	struct timeline_part *part = &t->parts[id];
	int64_t begin = INT64_MIN, end = INT64_MIN;
	bool there = false;

	for_array(s, t->spans, t->span_count) {
		int64_t pause = begin == INT64_MIN ? 0 : s->start - end;

		if (t->lanes[s->lane].part != id)
			continue;
		if (!there)
			part->start = s->start;
		there = true;
		if (!is_of_boot(s))
			continue;
		if (id == TIMELINE_BOOT && pause > LONG_PAUSE && pause > end - begin)
			break;
		if (begin == INT64_MIN)
			begin = s->start;
		if (s->end != UNTIL_END && s->end > end)
			end = s->end;
		if (s->start > end)
			end = s->start;
	}
	if (!part->end_known)
		part->end = end > part->start ? end : part->start;
}

/* Replaces UNTIL_END by the end of the part, and counts bars that begin after this end. */
static void set_ends(struct timeline *t)
{
	for_array(b, t->spans, t->span_count) {
		struct timeline_part *part = &t->parts[t->lanes[b->lane].part];

		if (b->end == UNTIL_END)
			b->end = part->end > b->start ? part->end : b->start;
		part->later += b->start > part->end && is_of_boot(b);
	}
}

/* ---- how bars nest */

static int by_place(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return ORDER(x->lane, y->lane) ?: ORDER(x->start, y->start) ?: ORDER(y->end, x->end) ?: ORDER(x->order, y->order);
}

/* The open bars of a layer, from the outermost to the innermost. */
struct layer {
	size_t *open, depth, most;
};

struct layers {
	struct layer *list;
	size_t count;
};

static bool fits(const struct timeline *t, struct layer *layer, const struct span *b, enum lane_kind kind)
{
	while (layer->depth && t->spans[layer->open[layer->depth - 1]].end <= b->start)
		layer->depth--;
	if (!layer->depth)
		return true;
	return kind == LANE_NESTS && t->spans[layer->open[layer->depth - 1]].end >= b->end;
}

static void open_bar(struct timeline *t, struct layer *layer, size_t index)
{
	if (layer->depth == layer->most)
		LIST_ADD(layer->open, layer->most);
	t->spans[index].depth = layer->depth;
	/* The own time of the bar around it excludes its time. */
	if (layer->depth)
		t->spans[layer->open[layer->depth - 1]].self -=
			t->spans[index].end - t->spans[index].start;
	layer->open[layer->depth++] = index;
}

static void put_in_layer(struct timeline *t, struct layers *layers, size_t index)
{
	enum lane_kind kind = t->lanes[t->spans[index].lane].kind;
	size_t i = 0;

	while (i < layers->count && !fits(t, &layers->list[i], &t->spans[index], kind))
		i++;
	if (i == layers->count)
		LIST_ADD(layers->list, layers->count);
	t->spans[index].layer = i;
	open_bar(t, &layers->list[i], index);
}

static void nest(struct timeline *t, struct lane *lane)
{
	struct layers layers = {};

	for (size_t i = lane->first; i < lane->first + lane->count; i++) {
		t->spans[i].self = t->spans[i].end - t->spans[i].start;
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
	t->spans = t->spans ?: xcalloc(0, sizeof(*t->spans));
	qsort(t->spans, t->span_count, sizeof(*t->spans), by_start);
	for (size_t i = 0; i < TIMELINE_PARTS; i++)
		find_ends(t, i);
	set_ends(t);
	qsort(t->spans, t->span_count, sizeof(*t->spans), by_place);
	for (size_t i = 0; i < t->lane_count; i++)
		t->lanes[i].count = 0;
	for (size_t i = 0; i < t->span_count; i++) {
		struct lane *lane = &t->lanes[t->spans[i].lane];

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
	free(t->spans);
	free(t->marks);
	boot_load__free(&t->load);
	strings__free(t->store);
	memset(t, 0, sizeof(*t));
}

/* ---- for pictures */

size_t timeline__row(const struct timeline *t, const struct span *b)
{
	const struct lane *lane = &t->lanes[b->lane];
	size_t row = b->depth;

	for (size_t i = 0; i < b->layer; i++)
		row += lane->layer_depth[i];
	return row;
}

static bool can_be_changed(const struct span *b)
{
	return b->class == SPAN_INITCALL || b->class == SPAN_MODULE || b->class == SPAN_PROBE ||
	       b->class == SPAN_UNIT || b->class == SPAN_WAIT;
}

const struct span **timeline__longest(const struct timeline *t, enum timeline_part_id part, size_t most, size_t *ret_count)
{
	const struct span **list = xcalloc(t->span_count, sizeof(*list));
	size_t count = 0;

	for_array(s, t->spans, t->span_count) {
		if (t->lanes[s->lane].part == part && can_be_changed(s) && s->self > 0 && s->start <= t->parts[part].end)
			list[count++] = s;
	}
	qsort(list, count, sizeof(*list), by_own_time);
	*ret_count = count < most ? count : most;
	return list;
}
