// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sources of a timeline. Each source adds bars of one kind from a report, or nothing if the
 * report does not have them. The table of sources is at the end of the file.
 */
#include <stdlib.h>
#include <string.h>

#include "boot/probes.h"
#include "boot/report.h"
#include "boot/sched.h"
#include "boot/spans.h"
#include "boot/start_report.h"
#include "boot/timeline.h"
#include "boot/waits.h"
#include "boot/whole.h"

/* In a picture, a bin is about 2.5 pixels wide. */
#define LOAD_BINS 500

/* A lane that does not belong to a task. */
static size_t no_task(struct timeline *t, enum timeline_part_id part, const char *name)
{
	return timeline__lane(t, &(struct lane){ .name = name, .part = part, .pid = -1 });
}

/*
 * The lane of a task. All sources use the same lane of a task, so that its bars nest.
 * @group: the group of a new lane; NULL: no group. Ignored if the lane exists.
 */
static size_t task_lane(struct timeline *t, int pid, const char *group)
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
 * Finds the zero of the kernel's clock in times of the tracer function, which begin with the TSC's
 * zero. Returns false if it is not known.
 */
static bool find_early_zero(const struct boot_report *r, int64_t *ret)
{
	uint64_t since;

	if (!r->whole || !early_stats__in_ns(&r->stats) || boot_clock__since_reset(&r->whole->clock, &since))
		return false;
	*ret = since;
	return true;
}

/* An early time on the kernel's clock, which oneshot uses; if unknown, since the first call. */
static int64_t early_time(const struct boot_report *r, uint64_t time)
{
	int64_t zero;

	if (boot_report__is_oneshot(r))
		return time;
	return time - (find_early_zero(r, &zero) ? (uint64_t)zero : boot_report__first(r));
}

static void begin_early(struct timeline *t, const struct boot_report *r)
{
	struct timeline_part *part = &t->parts[TIMELINE_EARLY];
	int64_t zero;

	part->title = timeline__keep(t, "early boot of %s", r->kernel.id.release);
	part->own_clock = !boot_report__is_oneshot(r) && !find_early_zero(r, &zero);
	part->counts = !early_stats__in_ns(&r->stats);
	part->returns = r->calls.timed;
}

static void add_phase(struct timeline *t, size_t lane, const struct boot_report *r,
		      const struct early_phase *phase)
{
	bool oneshot = boot_report__is_oneshot(r);
	char room[64];
	const char *name;

	/* A phase without a start or a time has no place. */
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

/* Not for oneshot: how its first hits nest is not known. */
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

/* ---- all parts */

static bool is_placed(const struct boot_part *part)
{
	return part->start_known && part->time_known && part->time;
}

/* Are parts of the boot known? Then they are drawn as phases, instead of the levels. */
static bool has_parts(const struct boot_report *r)
{
	const struct boot_parts *p = r->whole ? &r->whole->parts : NULL;

	for (size_t i = 0; p && i < p->count; i++) {
		if (is_placed(&p->list[i]))
			return true;
	}
	return false;
}

/*
 * The end of a part: the start of the next part. The last parts end later than start + time, as
 * their time excludes the time in which no unit was starting.
 */
static int64_t end_of(const struct boot_whole *w, size_t index)
{
	const struct boot_part *part = &w->parts.list[index];
	int64_t end = part->start + (int64_t)part->time, finish;

	for (size_t i = index + 1; i < w->parts.count; i++) {
		if (is_placed(&w->parts.list[i]))
			return w->parts.list[i].start;
	}
	if (part->kind >= PART_UNITS && boot_units__complete(&w->units) &&
	    !boot_clock__from_monotonic(&w->clock, w->units.manager.finish, &finish) && finish > end)
		return finish;
	return end;
}

/* Adds the parts of the boot. A part whose end is not known is included in the next part. */
static void add_parts(struct timeline *t, const struct boot_report *r)
{
	const struct boot_parts *p;
	size_t lane;

	if (!has_parts(r))
		return;
	p = &r->whole->parts;
	lane = no_task(t, TIMELINE_BOOT, "phases");
	for (size_t i = 0; i < p->count; i++) {
		const struct boot_part *part = &p->list[i];

		if (!is_placed(part))
			continue;
		timeline__add(t, lane, part->kind < PART_INITRD ? BAR_PHASE : BAR_PROGRAM,
			      part->level ?: boot_part__title(part), part->start, end_of(r->whole, i));
		if (part->with)
			timeline__number(t, "with parts before it", part->with);
	}
}

/* ---- from the initcalls on */

/* Adds what process 1 did: the initcalls of each level, then programs. */
static void add_levels_of(struct timeline *t, const struct boot_start *s)
{
	const struct start_level *last = s->level_count ? &s->levels[s->level_count - 1] : NULL;
	size_t lane = no_task(t, TIMELINE_BOOT, "phases");

	/* If the first levels are lost, the beginning of the initcalls is not known. */
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
	if (!has_parts(r))
		add_levels_of(t, s);
	for (size_t i = 0; i < s->init_count; i++)
		timeline__mark(t, s->inits[i].program, s->inits[i].time);
}

static void add_initcall(struct timeline *t, const struct boot_start *s,
			 const struct start_initcall *call)
{
	size_t lane = task_lane(t, call->pid, start_initcall__is_module(call) ? "modules" : NULL);

	timeline__add(t, lane, start_initcall__is_module(call) ? BAR_MODULE : BAR_INITCALL,
		      boot_start__name(call), call->start,
		      call->finished ? (int64_t)(call->start + call->time) : BAR_NO_END);
	if (call->level != NO_LEVEL)
		timeline__text(t, "level", s->levels[call->level].name);
	if (call->finished)
		timeline__number(t, "result", call->result);
}

static void add_calls(struct timeline *t, const struct boot_start *s, bool modules)
{
	for (size_t i = 0; s && i < s->initcall_count; i++) {
		if (start_initcall__is_module(&s->initcalls[i]) == modules)
			add_initcall(t, s, &s->initcalls[i]);
	}
}

static void add_initcalls(struct timeline *t, const struct boot_report *r)
{
	add_calls(t, r->start, false);
}

static void add_modules(struct timeline *t, const struct boot_report *r)
{
	add_calls(t, r->start, true);
}

/* ---- units */

static void add_unit(struct timeline *t, size_t lane, const struct boot_whole *w, const struct boot_unit *unit)
{
	bool done = unit->activated >= unit->activating || unit->deactivated >= unit->activating;
	int64_t start;

	/* Units that have failed, or are still starting, are a part of the boot, too. */
	if (!unit->activating || (done && !boot_unit__time(unit)) ||
	    (boot_units__complete(&w->units) && unit->activating > w->units.manager.finish) ||
	    boot_clock__from_monotonic(&w->clock, unit->activating, &start))
		return;
	timeline__add(t, lane, BAR_UNIT, unit->name, start,
		      done ? start + (int64_t)boot_unit__time(unit) : BAR_NO_END);
	timeline__text(t, "state", unit->state);
	if (unit->result)
		timeline__text(t, "result", unit->result);
}

/* Marks when the default target was reached, and sets the end of the boot. */
static void add_end(struct timeline *t, const struct boot_whole *w)
{
	const struct boot_unit *target = w->units.target ? boot_units__find(&w->units, w->units.target) : NULL;
	int64_t time;

	if (target && target->activated && !boot_clock__from_monotonic(&w->clock, target->activated, &time))
		timeline__mark(t, target->name, time);
	if (boot_units__complete(&w->units) &&
	    !boot_clock__from_monotonic(&w->clock, w->units.manager.finish, &time)) {
		t->parts[TIMELINE_BOOT].end = time;
		t->parts[TIMELINE_BOOT].end_known = true;
	}
}

static void add_units(struct timeline *t, const struct boot_report *r)
{
	const struct boot_whole *w = r->whole;
	size_t lane;

	if (!w || !w->units.known || !w->clock.monotonic_known)
		return;
	lane = timeline__lane(t, &(struct lane){
		.name = "units", .part = TIMELINE_BOOT, .kind = LANE_APART, .pid = -1,
	});
	for (size_t i = 0; i < w->units.count; i++)
		add_unit(t, lane, w, &w->units.list[i]);
	add_end(t, w);
}

/* ---- the critical path */

static enum bar_class class_of(enum wait_class class)
{
	if (class == CLASS_RUNNING)
		return BAR_RUNNING;
	return class == CLASS_BLOCK ? BAR_IO : BAR_WAIT;
}

/* Adds what process 1 did until init, and what other tasks did while it waited for them. */
static void add_path(struct timeline *t, const struct boot_report *r)
{
	const struct boot_waits *w = r->start ? r->start->waits : NULL;
	size_t lane;

	if (!w || !w->path_count)
		return;
	lane = no_task(t, TIMELINE_BOOT, "critical path");
	for (size_t i = 0; i < w->path_count; i++) {
		const struct path_piece *piece = &w->path[i];
		const char *words = wait_class__words(piece->class), *name = words;

		if (piece->class == CLASS_UNKNOWN)
			name = "waiting, nobody knows for what";
		else if (piece->class == CLASS_RUNNING)
			name = piece->name ?: words;
		else if (piece->name)
			name = timeline__keep(t, "%s: %s", words, piece->name);
		timeline__add(t, lane, class_of(piece->class), name, piece->start, piece->end);
		timeline__text(t, "in", piece->where);
		if (piece->pid >= 0)
			timeline__number(t, "task", piece->pid);
	}
}

/* ---- functions with probes */

static void add_probe(struct timeline *t, const struct boot_probe *probe)
{
	static const char *const names[PROBE_KINDS] = {
		[PROBE_DEVICE] = "(a device)", [PROBE_UNPACK] = "unpacking the initramfs",
		[PROBE_CONSOLE] = "writing to consoles",
	};
	bool device = probe->kind == PROBE_DEVICE;

	timeline__add(t, task_lane(t, probe->pid, "devices"), device ? BAR_PROBE : BAR_CALL,
		      probe->device ?: names[probe->kind], probe->start,
		      probe->finished ? (int64_t)(probe->start + probe->time) : BAR_NO_END);
	if (!device)
		return;
	timeline__text(t, "driver", probe->driver ?: "not known");
	if (probe->deferred)
		timeline__text(t, "result", "deferred");
	else if (probe->finished)
		timeline__number(t, "result", probe->result);
}

static void add_probes(struct timeline *t, const struct boot_report *r)
{
	const struct boot_probes *p = r->start ? r->start->probes : NULL;

	for (size_t i = 0; p && i < p->count; i++)
		add_probe(t, &p->list[i]);
}

/* ---- CPUs */

static void add_processors(struct timeline *t, const struct boot_report *r)
{
	const struct boot_sched *s = r->start ? r->start->sched : NULL;

	for (size_t cpu = 0; s && cpu < s->cpu_count; cpu++) {
		size_t lane = no_task(t, TIMELINE_BOOT, timeline__keep(t, "CPU %zu", cpu));

		for (size_t i = 0; i < s->run_count; i++) {
			if (s->runs[i].cpu != (int)cpu)
				continue;
			timeline__add(t, lane, BAR_RUNNING, s->runs[i].name,
				      s->runs[i].start, s->runs[i].end);
			timeline__number(t, "task", s->runs[i].pid);
		}
	}
}

/* The load of a CPU is known from its first run on. */
static void add_busy(struct boot_load *l, const struct boot_sched *s, size_t cpu)
{
	bool first = true;

	for (size_t i = 0; i < s->run_count; i++) {
		const struct cpu_run *run = &s->runs[i];

		if (run->cpu != (int)cpu)
			continue;
		if (first)
			boot_load__watched(l, cpu, run->start, boot_sched__known_until(s, cpu));
		first = false;
		boot_load__busy(l, cpu, run->start, run->end);
	}
}

/* Must be called after timeline__finish(), which finds the end of the boot. */
static void add_load(struct timeline *t, const struct boot_report *r)
{
	const struct boot_sched *s = r->start ? r->start->sched : NULL;
	const struct timeline_part *part = &t->parts[TIMELINE_BOOT];

	if (!s || !s->run_count || part->end <= 0 || part->end <= part->start)
		return;
	/* The clock of the events begins with 0. */
	boot_load__init(&t->load, part->start > 0 ? part->start : 0, part->end, LOAD_BINS, s->cpu_count,
			true);
	for (size_t cpu = 0; cpu < s->cpu_count; cpu++)
		add_busy(&t->load, s, cpu);
	for (size_t i = 0; i < s->io_count; i++)
		boot_load__io(&t->load, s->ios[i].time, s->ios[i].bytes);
}

/* ---- all */

/* Lanes are drawn in this order. */
static void (*const sources[])(struct timeline *t, const struct boot_report *r) = {
	add_early_phases, add_early_calls, add_parts, add_levels, add_path,
	add_initcalls, add_units, add_modules, add_probes, add_processors,
};

void timeline__collect(struct timeline *t, const struct boot_report *r)
{
	timeline__init(t);
	/* Several sources have bars of this part. */
	t->parts[TIMELINE_BOOT].title = timeline__keep(t, "boot of %s", r->kernel.id.release);
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		sources[i](t, r);
	timeline__finish(t);
	add_load(t, r);
}
