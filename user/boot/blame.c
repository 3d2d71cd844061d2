// SPDX-License-Identifier: GPL-2.0-only
/* One list of the units, initcalls, modules and probes that took time in a boot; see blame.h. */
#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "boot/blame.h"
#include "boot/cells.h"
#include "boot/probes.h"
#include "boot/start_report.h"
#include "boot/whole.h"

#define BLAME_SCHEMA 1

void blame__add(struct blame *b, uint64_t time, const char *name, const char *kind)
{
	size_t added = b->count;

	if (time)
		*LIST_ADD(b->list, b->count) = (struct blame_item){ time, name, kind, added };
}

void blame__add_units(struct blame *b, const struct boot_units *u)
{
	for (size_t i = 0; i < u->count; i++)
		blame__add(b, boot_unit__time(&u->list[i]), u->list[i].name, "unit");
}

/* Adds the probe of a device by a driver. */
static void add_probe(struct blame *b, struct strings *store, const struct boot_probe *probe)
{
	char name[256];

	if (probe->kind != PROBE_DEVICE || !probe->finished)
		return;
	snprintf(name, sizeof(name), "%s (%s)", probe->device ?: "(a device)", probe->driver ?: "a driver");
	blame__add(b, probe->self, strings__intern(store, name), "probe");
}

/* The innermost initcall that made the probe in the initcall's own task; SIZE_MAX: none. */
static size_t initcall_of(const struct boot_start *s, const struct boot_probe *probe)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < s->initcall_count && s->initcalls[i].start <= probe->start; i++) {
		const struct start_initcall *call = &s->initcalls[i];

		if (call->finished && call->pid == probe->pid && call->start + call->time >= probe->start + probe->time)
			found = i;
	}
	return found;
}

/* The times of initcalls without probes that have items of their own; to be freed. */
static uint64_t *times_without_probes(const struct boot_start *s)
{
	uint64_t *times = xcalloc(s->initcall_count, sizeof(*times));

	for (size_t i = 0; i < s->initcall_count; i++)
		times[i] = s->initcalls[i].self;
	for (size_t i = 0; s->probes && i < s->probes->count; i++) {
		const struct boot_probe *probe = &s->probes->list[i];
		size_t outer = probe->kind == PROBE_DEVICE && probe->finished ? initcall_of(s, probe) : SIZE_MAX;

		if (outer != SIZE_MAX)
			times[outer] -= probe->self < times[outer] ? probe->self : times[outer];
	}
	return times;
}

void blame__add_start(struct blame *b, const struct boot_start *s)
{
	uint64_t *times = times_without_probes(s);

	for (size_t i = 0; s->probes && i < s->probes->count; i++)
		add_probe(b, s->store, &s->probes->list[i]);

	for (size_t i = 0; i < s->initcall_count; i++) {
		const struct start_initcall *call = &s->initcalls[i];

		if (call->finished)
			blame__add(b, times[i], boot_start__name(call),
				   start_initcall__is_module(call) ? "module" : "initcall");
	}
	free(times);
}

static int by_time(const void *a, const void *b)
{
	const struct blame_item *x = a, *y = b;

	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	return x->added < y->added ? -1 : x->added > y->added;
}

void blame__sort(struct blame *b)
{
	if (b->count)
		qsort(b->list, b->count, sizeof(*b->list), by_time);
}

void blame__free(struct blame *b)
{
	free(b->list);
	*b = (struct blame){};
}

/* ---- text and json */

static void add_line(struct libscols_table *table, const struct blame_item *item)
{
	struct cells c = cells__line(table, NULL);

	cell__time(&c, item->time);
	cell__text(&c, item->name);
	cell__text(&c, item->kind);
}

void blame__text(const struct blame *b, size_t most, FILE *out)
{
	static const struct column columns[] = { { "TIME", 10, RIGHT }, { "NAME", 0.5 }, { "KIND", 8 }, { } };
	struct libscols_table *table = cells__table(out, columns);

	for (size_t i = 0; i < b->count && i < most; i++)
		add_line(table, &b->list[i]);
	cells__print(table, most, b->count, out);
}

void blame__json(const struct blame *b, size_t most, const struct boot_whole *whole, const struct boot_start *s, FILE *out)
{
	json_writer_t *w = boot_whole__begin(whole, out, "boot-blame", BLAME_SCHEMA);

	json__number_or_null(w, "lost", s, s ? s->lost + (s->probes ? s->probes->lost : 0) : 0);
	json__number_or_null(w, "full", s && s->full, s ? s->full : 0);
	jsonw_lluint_field(w, "count", b->count);
	json__lines(w, "items");
	for (size_t i = 0; i < b->count && i < most; i++) {
		jsonw_start_object(w);
		jsonw_lluint_field(w, "time", b->list[i].time);
		jsonw_string_field(w, "name", b->list[i].name);
		jsonw_string_field(w, "kind", b->list[i].kind);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	json__end(&w);
}
