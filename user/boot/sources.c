// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a report has as bars of a timeline; see sources.h. This has the early part, and the initcalls.
 */
#include <stdlib.h>
#include <string.h>

#include "boot/report.h"
#include "boot/sources.h"
#include "boot/spans.h"
#include "boot/start_report.h"

/* A lane that is no task's. */
static size_t no_task(struct timeline *t, enum timeline_part_id part, const char *name)
{
	return timeline__lane(t, &(struct lane){ .name = name, .part = part, .pid = -1 });
}

size_t timeline__task(struct timeline *t, int pid, const char *group)
{
	struct lane lane = { .part = TIMELINE_BOOT, .group = group, .pid = pid };

	for (size_t i = t->lane_count; i-- > 0;) {
		if (t->lanes[i].pid == pid && t->lanes[i].part == TIMELINE_BOOT)
			return i;
	}
	lane.name = timeline__keep(t, "process %d", pid);
	return timeline__lane(t, &lane);
}

/* ---- the early part */

/*
 * When something early was, by the kernel's clock, which oneshot has; or else since the first call.
 */
static int64_t early_time(const struct boot_report *r, uint64_t time)
{
	int64_t zero;

	if (boot_report__is_oneshot(r))
		return time;
	return time - (timeline__early_zero(r, &zero) ? (uint64_t)zero : boot_report__first(r));
}

static void begin_early(struct timeline *t, const struct boot_report *r)
{
	struct timeline_part *part = &t->parts[TIMELINE_EARLY];
	int64_t zero;

	part->title = timeline__keep(t, "early boot of %s", r->kernel.id.release);
	part->own_clock = !boot_report__is_oneshot(r) && !timeline__early_zero(r, &zero);
	part->counts = !early_stats__in_ns(&r->stats);
	part->returns = r->calls.timed;
}

static void add_phase(struct timeline *t, size_t lane, const struct boot_report *r,
		      const struct early_phase *phase)
{
	bool oneshot = boot_report__is_oneshot(r);
	char room[64];
	const char *name;

	/* Without a time, it has no place. */
	if (phase->timeless || phase->kind == PHASE_SELF)
		return;
	name = boot_report__shown_name(r, phase, room, sizeof(room));
	timeline__add(t, lane, BAR_PHASE, name == room ? timeline__keep(t, "%s", name) : name,
		      early_time(r, phase->start), early_time(r, phase->start + phase->time));
	timeline__number(t, oneshot ? "callers" : "calls", oneshot ? phase->callers : phase->calls);
	timeline__number(t, "functions", oneshot ? phase->functions : phase->seen_first);
	for (size_t i = 0; i < phase->inner_count; i++)
		add_phase(t, lane, r, &phase->inner[i]);
}

static void add_early_phases(struct timeline *t, const struct boot_report *r)
{
	size_t lane;

	if (!r->early)
		return;
	begin_early(t, r);
	lane = no_task(t, TIMELINE_EARLY, "phases");
	for (size_t i = 0; i < r->phases.count; i++)
		add_phase(t, lane, r, &r->phases.list[i]);
}

/* For first hits, it is not known inside of which calls they are. */
static void add_early_calls(struct timeline *t, const struct boot_report *r)
{
	const struct early_calls *c = &r->calls;
	struct early_span *spans;
	size_t lane, count;

	if (!r->early || boot_report__is_oneshot(r))
		return;
	spans = early_calls__spans(c, c->count, &count);
	lane = no_task(t, TIMELINE_EARLY, "calls");
	for (size_t i = 0; i < count; i++) {
		const struct early_call *call = &c->list[spans[i].call];

		timeline__add(t, lane, BAR_CALL, c->names[call->function],
			      early_time(r, spans[i].start), early_time(r, spans[i].end));
		timeline__text(t, "caller", c->names[call->parent]);
		if (c->timed && call->end == END_OPEN)
			timeline__text(t, "end", "had not returned");
		else if (c->timed && call->end == END_UNKNOWN)
			timeline__text(t, "end", "not exact");
	}
	free(spans);
}

/* ---- from the initcalls on */

/* What process 1 did, one after the other: it made initcalls by levels, and then ran programs. */
static void add_levels_of(struct timeline *t, const struct boot_start *s)
{
	const struct start_level *last = s->level_count ? &s->levels[s->level_count - 1] : NULL;
	size_t lane = no_task(t, TIMELINE_BOOT, "phases");

	/* If the first levels are lost, it is not known when initcalls began. */
	if (boot_start__has_beginning(s))
		timeline__add(t, lane, BAR_PHASE, "(before)", 0, s->levels[0].start);
	for (size_t i = 0; i < s->level_count; i++) {
		const struct start_level *level = &s->levels[i];

		timeline__add(t, lane, BAR_PHASE, level->name, level->start,
			      level->start + level->time);
		timeline__number(t, "initcalls", level->initcalls);
	}
	if (last && s->init_count)
		timeline__add(t, lane, BAR_PHASE, "until init", last->start + last->time,
			      s->inits[0].time);
	for (size_t i = 0; i < s->init_count; i++)
		timeline__add(t, lane, BAR_PROGRAM, s->inits[i].program, s->inits[i].time,
			      i + 1 < s->init_count ? (int64_t)s->inits[i + 1].time :
						      BAR_UNTIL_END);
}

static void add_levels(struct timeline *t, const struct boot_report *r)
{
	const struct boot_start *s = r->start;

	if (!s)
		return;
	if (!timeline__has_parts(r))
		add_levels_of(t, s);
	for (size_t i = 0; i < s->init_count; i++)
		timeline__mark(t, s->inits[i].program, s->inits[i].time);
}

static void add_initcall(struct timeline *t, const struct boot_start *s,
			 const struct start_initcall *call)
{
	size_t lane = timeline__task(t, call->pid, start_initcall__is_module(call) ? "modules" : NULL);

	timeline__add(t, lane, start_initcall__is_module(call) ? BAR_MODULE : BAR_INITCALL,
		      boot_start__name(call), call->start,
		      call->finished ? (int64_t)(call->start + call->time) : BAR_NO_END);
	if (call->level != NO_LEVEL)
		timeline__text(t, "level", s->levels[call->level].name);
	if (call->finished)
		timeline__number(t, "result", call->result);
}

static void add_initcalls(struct timeline *t, const struct boot_report *r)
{
	const struct boot_start *s = r->start;

	for (size_t i = 0; s && i < s->initcall_count; i++) {
		if (!start_initcall__is_module(&s->initcalls[i]))
			add_initcall(t, s, &s->initcalls[i]);
	}
}

static void add_modules(struct timeline *t, const struct boot_report *r)
{
	const struct boot_start *s = r->start;

	for (size_t i = 0; s && i < s->initcall_count; i++) {
		if (start_initcall__is_module(&s->initcalls[i]))
			add_initcall(t, s, &s->initcalls[i]);
	}
}

/* ---- all */

/* Lanes are drawn in this order. */
static void (*const sources[])(struct timeline *t, const struct boot_report *r) = {
	add_early_phases, add_early_calls, timeline__add_parts, add_levels, timeline__add_path,
	add_initcalls, timeline__add_units, add_modules, timeline__add_probes, timeline__add_processors,
};

void timeline__collect(struct timeline *t, const struct boot_report *r)
{
	timeline__init(t);
	/* Several sources have bars of this part. */
	t->parts[TIMELINE_BOOT].title = timeline__keep(t, "boot of %s", r->kernel.id.release);
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		sources[i](t, r);
	timeline__finish(t);
	timeline__add_load(t, r);
}
