// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes rows from the json of several boots; see compare.h.
 *
 * If a boot does not have a row, the row's time and count are 0 for this boot. They are unknown if
 * this part of the boot has losses.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/index.h"
#include "base/json.h"
#include "base/memory.h"
#include "boot/compare.h"
#include "kernel/symbols.h"

#define FIRST_ROOM 1024

const struct row_kind row_kinds[] = {
	{ "initcall", "start.initcalls", PART_OF_START, "name", "self", .ready = "ready", .unless = "module",
	  .is_code = true },
	{ "module", "start.initcalls", PART_OF_START, "module", "self", .ready = "ready", .after_init = true },
	{ "level", "start.levels", PART_OF_START, "name", "time", "initcalls", .is_whole = true },
	/* The first program is the end of the total. */
	{ "init", "start.inits", PART_OF_START, "program", "start", .from = 1, .is_whole = true, .is_point = true },
	{ "wait", "start.waits", PART_OF_START, "name", "time", "count" },
	{ "probe", "start.probes", PART_OF_START, "name", "self", .by_probes = true },
	{ "unit", "units", PART_OF_USER, "name", "time" },
	/* The parts that are levels are of the kind "level". */
	{ "part", "parts.rows", PART_OF_USER, "name", "time", .unless = "level", .is_whole = true },
	{ "phase", "phases", PART_OF_EARLY, "name", "time", "calls", .inner = "phases", .is_whole = true, .has_calls = true,
	  .is_code = true },
	{ "function", "functions", PART_OF_EARLY, "name", NULL, "calls", .has_calls = true, .is_code = true },
};

const size_t row_kind_count = sizeof(row_kinds) / sizeof(row_kinds[0]);

const struct row_kind kind_total = { "total", .part = PART_OF_START, .time = "start", .is_whole = true };
const struct row_kind kind_target = { "total", .part = PART_OF_USER, .time = "active_monotonic", .is_whole = true };
const struct row_kind kind_between = { "level", .part = PART_OF_START, .time = "start", .is_whole = true };

void boot_comparison__init(struct boot_comparison *ret, size_t a, size_t b)
{
	*ret = (struct boot_comparison){
		.boots = xcalloc(a + b, sizeof(*ret->boots)), .count = { a, b }, .names = strings__new(),
		.index = index__new(FIRST_ROOM, NULL), .total = SIZE_MAX, .target = SIZE_MAX,
	};
}

void boot_comparison__free(struct boot_comparison *c)
{
	for (size_t i = 0; i < c->row_count; i++)
		free(c->rows[i].cells);
	free(c->rows);
	boot_notes__free(&c->notes);
	free(c->boots);
	lh_table_free(c->index);
	strings__free(c->names);
	*c = (struct boot_comparison){};
}

size_t boot_comparison__boots(const struct boot_comparison *c)
{
	return c->count[0] + c->count[1];
}

bool boot_head__is_oneshot(const struct boot_head *h)
{
	return h->tracer && !strcmp(h->tracer, "oneshot");
}

/* ---- rows */

/* The row of this kind and name; adds it if it is new. */
static struct boot_row *find_row(struct boot_comparison *c, const struct row_kind *kind, const char *name)
{
	struct boot_row *row;
	const void *found;
	char *key;

	name = strings__intern(c->names, name);
	key = xasprintf("%s %s", kind->word, name);
	if (lh_table_lookup_ex(c->index, key, (void **)&found)) {
		row = &c->rows[(uintptr_t)found];
	} else {
		index__add(c->index, strings__add(c->names, key), (void *)c->row_count);
		row = LIST_ADD(c->rows, c->row_count);
		row->kind = kind;
		row->name = name;
		row->cells = xcalloc(boot_comparison__boots(c), sizeof(*row->cells));
	}
	free(key);
	return row;
}

static void add_value(struct boot_cell *cell, enum boot_measure measure, bool known, double value)
{
	cell->value[measure] += value;
	cell->unknown[measure] |= !known;
}

/* A number is known if it is there, finite and not negative. json-c also reads NaN and Infinity. */
static bool get_number(struct json_object *object, const char *field, double *ret)
{
	struct json_object *value = json__field(object, field);
	double number = json_object_get_double(value);
	bool known = (json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double)) &&
		     isfinite(number) && number >= 0;

	*ret = known ? number : 0;
	return known;
}

static void add_field(struct boot_cell *cell, enum boot_measure measure, struct json_object *object, const char *field)
{
	double value;
	bool known = get_number(object, field, &value);

	add_value(cell, measure, known, value);
}

/* The value at a path such as "start.levels". */
static struct json_object *at_path(struct json_object *object, const char *path)
{
	char part[64];

	while (object && *path) {
		size_t length = strcspn(path, ".");

		snprintf(part, sizeof(part), "%.*s", (int)length, path);
		object = json__field(object, part);
		path += length + (path[length] == '.');
	}
	return object;
}

/* ---- a kind */

struct reading {
	struct boot_comparison *c;
	const struct row_kind *kind;
	size_t boot;
	struct json_object *document;
};

/*
 * systemd keeps only the last start of a unit. If a unit was started again after the boot, its time
 * in the boot is not known, nor are the parts that depend on the times of all units.
 */
static bool is_of_boot(const struct reading *r, struct json_object *element, const char *name)
{
	static const char *const divided[] = { "units", "rest", "between" };
	double started, finish, again;

	if (get_number(element, "start_monotonic", &started) &&
	    get_number(at_path(r->document, "userspace"), "finish", &finish) && started > finish)
		return false;
	if (!get_number(at_path(r->document, "parts"), "started_again", &again) || again <= 0)
		return true;
	for (size_t i = 0; i < sizeof(divided) / sizeof(divided[0]); i++) {
		if (!strcmp(r->kind->word, "part") && !strcmp(name, divided[i]))
			return false;
	}
	return true;
}

/* @outer: the name of the element that contains this element; NULL: there is none */
static void read_element(const struct reading *r, struct json_object *element, const char *outer)
{
	const struct row_kind *kind = r->kind;
	const char *name = json__text(json__field(element, kind->name)), *whole_name = name;
	struct json_object *inner = kind->inner ? json__field(element, kind->inner) : NULL;
	double ready, whole, own;
	struct boot_cell *cell;
	struct boot_row *row;
	char *path;

	if (!name || (kind->unless && json__field(element, kind->unless)))
		return;
	if (kind->is_code)
		name = function__base_name(r->c->names, name);
	path = outer ? xasprintf("%s/%s", outer, name) : NULL;
	row = find_row(r->c, kind, path ?: name);
	free(path);
	cell = &row->cells[r->boot];
	row->joined |= cell->is_there || strcmp(name, whole_name);
	/* Points in time are not added up: the first one counts. */
	if (kind->is_point && cell->is_there)
		return;
	cell->is_there = true;
	if (kind->time)
		add_field(cell, MEASURE_TIME, element, kind->time);
	cell->unknown[MEASURE_TIME] |= kind->part == PART_OF_USER && !is_of_boot(r, element, name);
	/* With inner initcalls, "ready" includes theirs, and "self" does not: do not use it. */
	if (kind->ready && get_number(element, kind->ready, &ready) && get_number(element, "time", &whole) &&
	    get_number(element, kind->time, &own) && own == whole)
		cell->ready += ready;
	/* Oneshot records each function once, so there are no counts. */
	if (kind->count && !(kind->has_calls && boot_head__is_oneshot(&r->c->boots[r->boot])))
		add_field(cell, MEASURE_COUNT, element, kind->count);
	else if (!kind->has_calls || !cell->value[MEASURE_COUNT])
		add_value(cell, MEASURE_COUNT, true, 1);
	/* Two levels of phases are enough. */
	if (!outer && json_object_is_type(inner, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(inner); i++)
			read_element(r, json_object_array_get_idx(inner, i), name);
	}
}

static void read_kind(const struct reading *r)
{
	struct json_object *array = at_path(r->document, r->kind->path);

	if (!json_object_is_type(array, json_type_array)) {
		r->c->boots[r->boot].missing |= row_kind__bit(r->kind);
		return;
	}
	for (size_t i = r->kind->from; i < json_object_array_length(array); i++)
		read_element(r, json_object_array_get_idx(array, i), NULL);
}

/* ---- the time until init */

static void set_time(struct boot_comparison *c, size_t boot, const struct row_kind *kind, const char *name, bool known,
		     double time)
{
	struct boot_row *row = find_row(c, kind, name);

	row->cells[boot].is_there = true;
	add_value(&row->cells[boot], MEASURE_TIME, known, known ? time : 0);
	add_value(&row->cells[boot], MEASURE_COUNT, true, 1);
	if (kind == &kind_total)
		c->total = row - c->rows;
	else if (kind == &kind_target)
		c->target = row - c->rows;
}

/* The element at an index of an array; from its end if the index is negative. */
static struct json_object *element(struct json_object *array, int index)
{
	int count = json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;

	index += index < 0 ? count : 0;
	return index >= 0 && index < count ? json_object_array_get_idx(array, index) : NULL;
}

static double number(struct json_object *object, const char *field)
{
	double value;

	get_number(object, field, &value);
	return value;
}

/* Rows for the time before the first level and after the last; levels are the rest until init. */
static void read_total(struct boot_comparison *c, size_t boot, struct json_object *document)
{
	struct json_object *levels = at_path(document, "start.levels"), *init = element(at_path(document, "start.inits"), 0);
	struct json_object *first = element(levels, 0), *last = element(levels, -1);
	const char *name = json__text(json__field(first, "name")), *program = json__text(json__field(init, "program"));
	double start = number(init, "start"), end = number(last, "start") + number(last, "time");
	double unused;
	bool started = get_number(init, "start", &unused);

	c->boots[boot].program = program ? strings__intern(c->names, program) : NULL;
	if (!c->boots[boot].has[PART_OF_START])
		return;
	set_time(c, boot, &kind_total, "until init", started, start);
	/* If the first levels are lost, the time before them is not known. */
	set_time(c, boot, &kind_between, "(before)", name && !strcmp(name, "early"), number(first, "start"));
	set_time(c, boot, &kind_between, "(after, until init)", started && last && start >= end, start - end);
}

/*
 * Uses CLOCK_MONOTONIC without translation, so the time depends neither on events nor on when the
 * report was made. A target that was reached after the boot was complete was started by a user.
 */
static void read_target(struct boot_comparison *c, size_t boot, struct json_object *document)
{
	const char *target = json__text(at_path(document, "userspace.target"));
	struct json_object *units = at_path(document, "units"), *unit;
	double active = 0, finish;
	bool known = false;

	if (!c->boots[boot].has[PART_OF_USER] || !target)
		return;
	c->boots[boot].target = strings__intern(c->names, target);
	for (int i = 0; !known && (unit = element(units, i)); i++) {
		const char *name = json__text(json__field(unit, "name"));

		known = name && !strcmp(name, target) && get_number(unit, kind_target.time, &active) &&
			get_number(at_path(document, "userspace"), "finish", &finish) && active <= finish;
	}
	set_time(c, boot, &kind_target, "until the default target", known, active);
}

/* ---- the head */

static uint64_t sum_of(struct json_object *counters)
{
	uint64_t sum = 0;

	if (json_object_is_type(counters, json_type_object)) {
		json_object_object_foreach(counters, name, value) {
			(void)name;
			sum += json_object_get_uint64(value);
		}
	}
	return sum;
}

static void read_head(struct boot_comparison *c, struct boot_head *h, struct json_object *document)
{
	const struct {
		const char **to, *path;
	} texts[] = {
		{ &h->release, "kernel.release" }, { &h->build_id, "kernel.build_id" }, { &h->cmdline, "kernel.cmdline" },
		{ &h->boot_id, "boot_id" }, { &h->tracer, "tracer" }, { &h->unit, "window.unit" },
		{ &h->model, "machine.model" },
	};
	struct json_object *functions = at_path(document, "functions");

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *text = json__text(at_path(document, texts[i].path));

		*texts[i].to = text ? strings__intern(c->names, text) : NULL;
	}
	h->cpus = json_object_get_uint64(at_path(document, "machine.cpus"));
	h->memory = json_object_get_uint64(at_path(document, "machine.memory_bytes"));
	h->sites = json_object_get_uint64(at_path(document, "totals.sites"));
	h->has[PART_OF_EARLY] = h->tracer;
	h->has[PART_OF_START] = at_path(document, "start");
	h->has[PART_OF_USER] = at_path(document, "units");
	h->lost[PART_OF_EARLY] = sum_of(at_path(document, "lost"));
	h->lost[PART_OF_START] = json_object_get_uint64(at_path(document, "start.lost"));
	h->probes_lost = json_object_get_uint64(at_path(document, "start.probes_lost")) || at_path(document, "start.probes_full");
	h->full = at_path(document, "start.full");
	h->knows_ready = at_path(document, "start.init.ready");
	h->cut = json_object_is_type(functions, json_type_array) &&
		 json_object_array_length(functions) < json_object_get_uint64(at_path(document, "totals.functions"));
}

int boot_comparison__read(struct boot_comparison *c, size_t boot, const char *path, struct json_object *document)
{
	struct boot_head *h = &c->boots[boot];

	h->path = path;
	read_head(c, h, document);
	if (!h->has[PART_OF_EARLY] && !h->has[PART_OF_START] && !h->has[PART_OF_USER])
		return error__return(-EINVAL, "%s: has neither initcalls nor an early part nor units, so there is nothing to "
				     "compare", path);
	read_total(c, boot, document);
	read_target(c, boot, document);
	for (size_t i = 0; i < row_kind_count; i++)
		read_kind(&(struct reading){ c, &row_kinds[i], boot, document });
	return 0;
}
